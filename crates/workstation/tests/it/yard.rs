//! A folder with a root and something outside of it that must never be seen or touched.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use hewto_workstation::{Call, Error, PageRequest, Protected, Roots, RunPlace, Settings, Workstation, files};

pub(crate) const SECRET: &str = "the secret outside";

pub(crate) struct Yard {
    dir: tempfile::TempDir,
    pub(crate) station: Workstation,
}

impl Yard {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// One that finds programs, as a server started from a terminal would.
    pub(crate) fn with_programs(settings: Settings) -> Self {
        let mut yard = Self::with(Settings::default());
        let home = yard.base().join("home");
        fs_err::create_dir(&home).unwrap();
        fs_err::write(home.join(".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n").unwrap();
        let mut environment = settings.environment.clone();
        let settings = Settings {
            run_places: vec![RunPlace::allowed(yard.root())],
            search_path: programs(),
            environment: {
                environment.extend([
                    ("HOME".into(), home.into()),
                    ("DATABASE_URL".into(), "postgres://user:hunter2@db/x".into()),
                    ("AUTHORIZATION".into(), "Bearer abc".into()),
                    ("GIT_EXTERNAL_DIFF".into(), "/bin/false".into()),
                ]);
                environment
            },
            ..settings
        };
        let roots = Roots::open(&[yard.root()], protected()).unwrap();
        yard.station = Workstation::new(roots, settings);
        yard
    }

    /// Runs git as a user would, to prepare something.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.root().join(folder))
            .env("HOME", self.base().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "git {arguments:?}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        text.trim_end().to_owned()
    }

    /// A repository at the root with one commit.
    pub(crate) fn repository(settings: Settings) -> Self {
        let yard = Self::with_programs(settings);
        yard.git(".", &["init", "--quiet", "--initial-branch=main"]);
        yard.put("README.md", "one\ntwo\nthree\n");
        yard.put("src/lib.rs", "fn one() {}\n");
        yard.git(".", &["add", "."]);
        yard.git(".", &["commit", "--quiet", "--message=First"]);
        yard
    }

    /// A program that leaves a mark when it is run.
    pub(crate) fn trap(&self, name: &str) -> PathBuf {
        let path = self.base().join(format!("trap-{name}"));
        let marks = self.base().join("marks");
        fs_err::create_dir_all(&marks).unwrap();
        let script = format!("#!/bin/sh\ntouch '{}/{name}'\ncat\n", marks.display());
        fs_err::write(&path, script).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The traps that were run.
    pub(crate) fn marks(&self) -> Vec<String> {
        let Ok(entries) = fs_err::read_dir(self.base().join("marks")) else { return vec![] };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self::made_in(tempfile::tempdir().unwrap(), settings)
    }

    /// In memory where the machine offers that, for tests with very many files.
    pub(crate) fn in_memory() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        Self::made_in(dir, Settings::default())
    }

    fn made_in(dir: tempfile::TempDir, settings: Settings) -> Self {
        let base = fs_err::canonicalize(dir.path()).unwrap();
        for name in ["root", "outside", "root_evil"] {
            fs_err::create_dir(base.join(name)).unwrap();
        }
        fs_err::write(base.join("outside/secret.txt"), SECRET).unwrap();
        fs_err::write(base.join("root_evil/x"), SECRET).unwrap();
        let roots = Roots::open(&[base.join("root")], protected()).unwrap();
        Self { dir, station: Workstation::new(roots, settings) }
    }

    /// The folder that holds the root and the outside.
    pub(crate) fn base(&self) -> PathBuf {
        fs_err::canonicalize(self.dir.path()).unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("root")
    }

    pub(crate) fn put(&self, path: &str, contents: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, contents).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs_err::read(self.root().join(path)).unwrap()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// The root opened once more, as another server would.
    pub(crate) fn roots(&self) -> Roots {
        Roots::open(&[self.root()], protected()).unwrap()
    }

    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) {
        symlink(target, self.root().join(path)).unwrap();
    }

    pub(crate) fn pipe(&self, path: &str) {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, self.root().join(path), kind, mode, 0).unwrap();
    }

    /// Everything outside is as it was made.
    pub(crate) fn assert_outside_untouched(&self) {
        let names = |path: &Path| -> Vec<_> {
            fs_err::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(names(&self.base().join("outside")), ["secret.txt"]);
        assert_eq!(names(&self.base().join("root_evil")), ["x"]);
        assert_eq!(fs_err::read_to_string(self.base().join("outside/secret.txt")).unwrap(), SECRET);
        assert_eq!(fs_err::read_to_string(self.base().join("root_evil/x")).unwrap(), SECRET);
    }
}

fn protected() -> Protected {
    Protected { names: vec![".hewto".to_owned()], ..Protected::default() }
}

#[expect(clippy::disallowed_methods, reason = "a test stands in for the command line")]
fn programs() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect()
}

/// Where the Rust toolchain of this machine lives, which a home of our own would hide.
#[expect(clippy::disallowed_methods, reason = "a test stands in for the command line")]
pub(crate) fn rust_homes() -> Vec<(OsString, OsString)> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")]
        .map(|(name, folder)| {
            (name.into(), std::env::var_os(name).unwrap_or_else(|| home.join(folder).into()))
        })
        .into()
}

pub(crate) fn call() -> Call<'static> {
    Call::unbounded()
}

pub(crate) fn read_request(path: &str) -> files::Read {
    files::Read {
        path: path.to_owned(),
        lines: files::Lines::All,
        form: files::Form::Auto,
        line_numbers: false,
        max_chars: None,
    }
}

pub(crate) fn edit_request(path: &str, edits: &[(&str, &str)]) -> files::EditFile {
    let edit =
        |(old, new): &(&str, &str)| files::Edit { old_text: (*old).to_owned(), new_text: (*new).to_owned() };
    files::EditFile {
        path: path.to_owned(),
        edits: edits.iter().map(edit).collect(),
        dry_run: false,
        max_chars: None,
    }
}

pub(crate) fn tree_request(path: &str) -> files::Tree {
    files::Tree {
        path: path.to_owned(),
        depth: None,
        exclude: vec![],
        ignored: files::Ignored::Skip,
        page: PageRequest::default(),
    }
}

pub(crate) fn find_request(path: &str, pattern: &str) -> files::Find {
    files::Find {
        path: path.to_owned(),
        pattern: pattern.to_owned(),
        exclude: vec![],
        ignored: files::Ignored::Skip,
        page: PageRequest::default(),
    }
}

pub(crate) fn search_request(path: &str, query: &str) -> files::Search {
    files::Search {
        path: path.to_owned(),
        query: query.to_owned(),
        syntax: files::SearchSyntax::Literal,
        pattern: None,
        exclude: vec![],
        ignored: files::Ignored::Skip,
        page: PageRequest::default(),
    }
}

/// Every use case that takes a path, by the name of its tool, applied to one path.
pub(crate) fn every_file_call(yard: &Yard, path: &str) -> Vec<(&'static str, Result<String, Error>)> {
    let station = &yard.station;
    let call = &call();
    let path = path.to_owned();
    let fresh = |name: &str| format!("copies/{name}");
    vec![
        ("fs_read", shown(files::read(station, call, &read_request(&path)))),
        ("fs_list", {
            let order = files::ListOrder::Name;
            shown(files::list(
                station,
                call,
                &files::List { path: path.clone(), order, sizes: true, page: PageRequest::default() },
            ))
        }),
        ("fs_tree", shown(files::tree(station, call, &tree_request(&path)))),
        ("fs_find", shown(files::find(station, call, &find_request(&path, "*")))),
        ("fs_search", shown(files::search(station, call, &search_request(&path, "secret")))),
        ("fs_info", shown(files::info(station, call, &files::Info { path: path.clone() }))),
        ("fs_exists", {
            let kind = files::WantedKind::Any;
            shown(files::exists(station, call, &files::Exists { path: path.clone(), kind }))
        }),
        ("fs_copy", {
            let destination = fresh("copy");
            let request = files::Copy { source: path.clone(), destination, recursive: true };
            shown(files::copy(station, call, &request))
        }),
        ("fs_edit", shown(files::edit(station, call, &edit_request(&path, &[("secret", "public")])))),
        ("fs_append", {
            let content = "appended".to_owned();
            shown(files::append(station, call, &files::Append { path: path.clone(), content }))
        }),
        ("fs_write", {
            let content = "written".to_owned();
            shown(files::write(station, call, &files::Write { path: path.clone(), content }))
        }),
        ("fs_mkdir", shown(files::make_dir(station, call, &files::MakeDir { path: path.clone() }))),
        ("fs_move", {
            let destination = fresh("moved");
            shown(files::relocate(station, call, &files::Move { source: path.clone(), destination }))
        }),
        ("fs_delete", {
            shown(files::delete(
                station,
                call,
                &files::Delete { path, recursive: true, kind: files::WantedKind::Any },
            ))
        }),
    ]
}

pub(crate) fn shown<T: std::fmt::Debug>(result: Result<T, Error>) -> Result<String, Error> {
    result.map(|value| format!("{value:?}"))
}
