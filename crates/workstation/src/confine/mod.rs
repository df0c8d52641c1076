//! Paths beneath the allowed folders, and nowhere else (D-15).
//!
//! Every path a client names is opened by descriptor beneath a root that was opened once. No symbolic link leads
//! out, not even one that is swapped in at the wrong moment; pipes, devices and `/proc` are refused; what belongs to
//! git is never written.

mod argument;
mod entries;
mod open;
mod protect;
mod roots;
mod walk;

pub(crate) use argument::{Wanted, first_root};
pub(crate) use entries::entries;
pub(crate) use open::{
    Folder, OpenFile, is_kernel_file_system, open_child_folder, open_child_regular, real_files_only,
    special_file,
};
pub use protect::Protected;
pub(crate) use protect::{is_git_name, secret};
pub use roots::Roots;
pub(crate) use walk::{Last, MAX_DEPTH, Missing, Spot, WalkPlace, too_deep};
