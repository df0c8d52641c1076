//! The installed reference and the workspace it is run on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) struct Reference {
    scripts: PathBuf,
    installation: PathBuf,
}

pub(crate) struct Workspace {
    root: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) valid: bool,
    pub(crate) strict: bool,
    pub(crate) issues: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Archived {
    pub(crate) archived: bool,
    /// Shown when a comparison fails.
    #[expect(dead_code, reason = "read by Debug")]
    pub(crate) why: String,
}

pub(crate) struct Verdicts {
    pub(crate) specs: BTreeMap<String, Verdict>,
    pub(crate) changes: BTreeMap<String, Verdict>,
}

/// Whether the reference is installed: once for all tests, which run at the same time.
static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();

impl Reference {
    /// Installs the reference where it is not there yet. `None` when that is impossible and nobody relies on it.
    pub(crate) fn find() -> Option<Self> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/openspec");
        let installation = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openspec-reference");
        let installed = INSTALLED.get_or_init(|| {
            let run = Command::new(scripts.join("install.sh")).arg(&installation).output();
            match run {
                Ok(output) if output.status.success() => Ok(()),
                Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
                Err(error) => Err(error.to_string()),
            }
        });
        match installed {
            Ok(()) => Some(Self { scripts, installation }),
            Err(error) if std::env::var_os("CI").is_some() => {
                panic!("OpenSpec could not be installed: {error}")
            }
            Err(error) => {
                eprintln!("skipped: OpenSpec could not be installed: {error}");
                None
            }
        }
    }

    pub(crate) fn validate(&self, workspace: &Workspace) -> Verdicts {
        let answer = self.run(workspace, "validate");
        Verdicts { specs: verdicts(&answer["specs"]), changes: verdicts(&answer["changes"]) }
    }

    pub(crate) fn archive(&self, workspace: &Workspace) -> BTreeMap<String, Archived> {
        let answer = self.run(workspace, "archive");
        let entries = answer.as_object().expect("an object").iter();
        let one = |value: &Value| Archived {
            archived: value["archived"].as_bool().expect("a flag"),
            why: value["why"].as_str().unwrap_or_default().to_owned(),
        };
        entries.map(|(id, value)| (id.clone(), one(value))).collect()
    }

    fn run(&self, workspace: &Workspace, task: &str) -> Value {
        let output = Command::new("node")
            .arg(self.scripts.join("reference.mjs"))
            .args([self.installation.as_path(), workspace.root()])
            .arg(task)
            .output()
            .expect("node is there");
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
    }
}

impl Workspace {
    pub(crate) fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("openspec-{name}"));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).expect("the folder for tests can be written");
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn folder(&self, path: &str) {
        std::fs::create_dir_all(self.root.join(path)).expect("the folder for tests can be written");
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }
}

fn verdicts(answer: &Value) -> BTreeMap<String, Verdict> {
    let one = |value: &Value| {
        let issue = |issue: &Value| format!("{} {}", issue["level"], issue["message"]);
        let issues =
            value["issues"].as_array().map(|issues| issues.iter().map(issue).collect()).unwrap_or_default();
        let flag = |key: &str| value[key].as_bool().expect("a flag");
        Verdict { valid: flag("valid"), strict: flag("strict"), issues }
    };
    answer.as_object().expect("an object").iter().map(|(id, value)| (id.clone(), one(value))).collect()
}
