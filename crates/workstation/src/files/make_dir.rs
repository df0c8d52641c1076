//! `fs_mkdir`: a folder, and the folders on the way to it.

use rustix::fs::{FileType, Mode};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::confine::{Last, Missing};
use crate::error::{Error, Result};
use crate::station::Workstation;

/// Which folder to make.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeDir {
    pub path: String,
}

/// A folder that is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MakeDirView {
    pub path: String,
    /// Whether it was not there before
    pub created: bool,
}

/// Makes a folder; one that is there already is fine.
pub fn make_dir(station: &Workstation, call: &Call<'_>, request: &MakeDir) -> Result<MakeDirView> {
    call.check()?;
    let roots = station.roots();
    let wanted = roots.wanted("path", &request.path)?;
    let spot = roots.locate_to_change(&wanted, Last::Follow, Missing::Make)?;
    match spot.kind() {
        Some(FileType::Directory) => return Ok(MakeDirView { path: spot.shown, created: false }),
        Some(_) => return Err(Error::exists(&spot.shown)),
        None => {}
    }
    roots.protected().refuse_files(roots, &spot)?;
    match rustix::fs::mkdirat(&spot.folder, spot.name()?, Mode::from_raw_mode(0o777)) {
        Ok(()) => Ok(MakeDirView { path: spot.shown, created: true }),
        Err(Errno::EXIST) => Ok(MakeDirView { path: spot.shown, created: false }),
        Err(error) => Err(Error::io("make the folder", &spot.shown, error)),
    }
}
