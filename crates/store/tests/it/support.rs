//! A workspace in a temporary folder, and child processes that run a test of this binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hewto_core::id::SpecId;
use hewto_store::{Context, Doc, DocFolder, DocKey, Layout, RelPath, Start, Store, discover};

/// The variable that tells a test that it is a child process, and what to do.
const CHILD: &str = "HEWTO_STORE_TEST_CHILD";

pub(crate) struct Workspace {
    dir: tempfile::TempDir,
}

impl Workspace {
    /// A native workspace.
    pub(crate) fn native() -> Self {
        Self::with(&[(".hewto/config.toml", "")])
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let workspace = Self { dir: tempfile::tempdir().unwrap() };
        for (file, text) in files {
            workspace.write(file, text);
        }
        workspace
    }

    pub(crate) fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.dir.path()).unwrap()
    }

    pub(crate) fn layout(&self) -> Layout {
        layout(self.dir.path())
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.layout()).unwrap()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The text of a file; `None` when it is not there.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }
}

pub(crate) fn layout(root: &Path) -> Layout {
    discover(Start::Here(root)).unwrap()
}

/// A context whose key other processes of these tests have too.
pub(crate) fn context() -> Context {
    // Not below `target`: a key that lies in a repository is refused.
    let folder = std::env::temp_dir().join("hewto-store-tests");
    Context::background().with_secret(hewto_store::MachineSecret::keeping_in([folder]))
}

pub(crate) fn folder(path: &str) -> DocFolder {
    RelPath::parse(path).unwrap().into()
}

pub(crate) fn file(path: &str) -> DocKey {
    DocKey::File(RelPath::parse(path).unwrap())
}

pub(crate) fn id(text: &str) -> SpecId {
    SpecId::parse(text).unwrap()
}

pub(crate) fn read(store: &Store, key: &DocKey) -> Option<Doc> {
    store.read(&context(), key).unwrap()
}

/// The arguments of this process, which is the child of a test. Started by hand it fails: without them it would show nothing.
pub(crate) fn child_arguments() -> Vec<String> {
    let text = std::env::var(CHILD).expect("another test starts this one, with arguments; run that one");
    text.split('\n').map(str::to_owned).collect()
}

/// A process that runs one test of this binary with arguments.
pub(crate) fn child(test: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--include-ignored", "--nocapture", "--quiet"])
        .env(CHILD, arguments.join("\n"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}
