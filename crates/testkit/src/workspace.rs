//! A folder that lives as long as the test, filled from a string.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder with files in it.
#[derive(Debug)]
pub struct TestWorkspace {
    folder: TempDir,
}

impl TestWorkspace {
    /// A folder that is no workspace.
    pub fn empty() -> Self {
        let folder =
            tempfile::Builder::new().prefix("hewto-test-").tempdir().expect("a temporary folder can be made");
        Self { folder }
    }

    /// A native workspace.
    pub fn native() -> Self {
        Self::from_fixture(
            "//- .hewto/config.toml\n[project]\nname = \"sample\"\ndescription = \"A sample\"\n\n[defaults]\ncategory = \"feature\"\n//- specs/\n",
        )
    }

    /// A workspace in the layout of seed 000.
    pub fn airsspec() -> Self {
        Self::from_fixture(
            "//- .airsspec/config.toml\n[project]\nname = \"sample\"\ndescription = \"A sample\"\n\n[defaults]\ncategory = \"feature\"\n//- .airsspec/specs/\n//- .airsspec/logs/\n",
        )
    }

    /// A folder with the files of a fixture; see [`Self::add`].
    pub fn from_fixture(fixture: &str) -> Self {
        let workspace = Self::empty();
        workspace.add(fixture);
        workspace
    }

    /// Writes files: each begins with a line `//- path`, and a path that ends in `/` is a folder.
    pub fn add(&self, fixture: &str) {
        for section in fixture.split("//- ").skip(1) {
            let (name, text) = section.split_once('\n').unwrap_or((section, ""));
            let path = self.path(name.trim());
            if name.trim().ends_with('/') {
                fs_err::create_dir_all(path).expect("a folder can be made");
            } else {
                fs_err::create_dir_all(path.parent().expect("a file has a folder"))
                    .expect("a folder can be made");
                fs_err::write(path, text).expect("a file can be written");
            }
        }
    }

    /// Replaces a file all at once, as editors do; [`Self::add`] empties it first, which somebody who watches may see.
    pub fn replace(&self, relative: &str, text: &str) {
        let draft = self.path(".replacement");
        fs_err::write(&draft, text).expect("a file can be written");
        fs_err::rename(draft, self.path(relative)).expect("a file can be replaced");
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// A path beneath the root.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// The text of a file, which has to be there.
    pub fn read(&self, relative: &str) -> String {
        fs_err::read_to_string(self.path(relative)).expect("the file can be read")
    }

    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// Names of what is in a folder, sorted; none when there is no folder.
    pub fn names_in(&self, relative: &str) -> Vec<String> {
        let Ok(entries) = fs_err::read_dir(self.path(relative)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_becomes_files_and_folders() {
        let workspace = TestWorkspace::from_fixture("//- a/b.md\none\ntwo\n//- empty/\n//- c.txt\n");
        assert_eq!(workspace.read("a/b.md"), "one\ntwo\n");
        assert_eq!(workspace.read("c.txt"), "");
        assert_eq!(workspace.names_in(""), ["a", "c.txt", "empty"]);
        assert!(workspace.names_in("nowhere").is_empty());
        workspace.replace("c.txt", "three");
        assert_eq!(workspace.read("c.txt"), "three");
        assert_eq!(workspace.names_in(""), ["a", "c.txt", "empty"]);
    }
}
