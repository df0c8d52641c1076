//! What a new workspace consists of. Nothing is written here; [`crate::Store::found`] does that.

use std::path::Path;

use hewto_core::config::render_config;

use super::table::{SPOX_ARCHIVE, SPOX_CHANGES, SPOX_CONFIG, SPOX_SPECS};
use super::{Layout, LayoutKind};
use crate::path::RelPath;

/// What is asked of proofs, from the root.
const PROOF_SETTINGS: &str = ".hewto/proof.toml";
/// A new workspace is told what lacks proof, and refused nothing.
const NEW_PROOF_SETTINGS: &str = "# What lacks proof is told, nothing is refused; `hewto proof init` declares the checks.\npolicy = \"warn\"\n";

/// The folders and files of a new workspace, and the layout it will have.
#[derive(Debug, Clone)]
pub struct InitPlan {
    pub layout: Layout,
    pub folders: Vec<RelPath>,
    pub files: Vec<(RelPath, String)>,
}

/// Plans a workspace of this kind in this root, which has to be a real path.
pub fn plan_init(root: &Path, kind: LayoutKind, name: &str, description: &str) -> InitPlan {
    let layout = Layout::with_kinds(root, vec![kind]);
    let places = layout.places().clone();
    let mut folders: Vec<RelPath> = layout.spec_roots().iter().map(|root| root.path.clone()).collect();
    let mut files = Vec::new();
    match kind {
        LayoutKind::Native => {
            folders.extend(layout.change_roots().iter().map(|root| root.changes.clone()));
            files.push((places.config, render_config(name, description)));
            files.push((RelPath::known(PROOF_SETTINGS), NEW_PROOF_SETTINGS.to_owned()));
        }
        LayoutKind::Airsspec => {
            folders.push(places.wire_logs.path().clone());
            files.push((places.config, render_config(name, description)));
        }
        LayoutKind::Spox => {
            let changes = layout.change_roots().iter();
            folders.extend(changes.flat_map(|root| [root.changes.clone(), root.archive.clone()]));
            files.push((RelPath::known(SPOX_CONFIG), spox_config()));
            files.push((RelPath::known("specs/mission.md"), about(name, description)));
        }
        LayoutKind::Specman => {
            let own = [&places.implementations, &places.scratchpad, &places.templates];
            folders.extend(own.map(|folder| folder.path().clone()));
            // Git keeps no empty folder, and this folder is the marker.
            files.push((RelPath::known(".specman/.gitignore"), "/cache/\n/logs/\n".to_owned()));
        }
        LayoutKind::Openspec => {
            folders.extend(layout.change_roots().iter().map(|root| root.archive.clone()));
            files.push((RelPath::known("openspec/project.md"), about(name, description)));
        }
    }
    InitPlan { layout, folders, files }
}

fn spox_config() -> String {
    format!(
        "[paths]\nspec_folder = \"{SPOX_SPECS}/\"\nchanges_folder = \"{SPOX_CHANGES}\"\n\
         archive_folder = \"{SPOX_ARCHIVE}\"\n\n[rules]\nsystem = []\ncustom = []\n"
    )
}

fn about(name: &str, description: &str) -> String {
    if description.is_empty() { format!("# {name}\n") } else { format!("# {name}\n\n{description}\n") }
}
