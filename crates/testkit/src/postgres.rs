//! A real PostgreSQL in a temporary folder, reached by its socket alone.
//!
//! A shell keeps it: when the test process ends, however it ends, the shell's input does too, and it stops the cluster and
//! removes the folder.

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEEPER: &str = r#"
set -eu
run() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
cd "$DIR"
if [ "$(id -u)" = 0 ]; then chown postgres "$DIR"; fi
chmod 755 "$DIR"
trap 'run "$BIN/pg_ctl" -D "$DIR/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$DIR"' EXIT
run "$BIN/initdb" -D "$DIR/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >"$DIR/initdb.log" 2>&1
run "$BIN/pg_ctl" -D "$DIR/data" -w -l "$DIR/data/log" -o "$OPTIONS" start >/dev/null
"$BIN/psql" -q -h "$DIR" -U postgres -c 'CREATE ROLE hub LOGIN' postgres
echo ready
while read -r line; do
  case "$line" in
    crash) run "$BIN/pg_ctl" -D "$DIR/data" -m immediate -w restart -l "$DIR/data/log" -o "$OPTIONS" >/dev/null ;;
    stop) run "$BIN/pg_ctl" -D "$DIR/data" -m fast -w stop >/dev/null ;;
    start) run "$BIN/pg_ctl" -D "$DIR/data" -w -l "$DIR/data/log" -o "$OPTIONS" start >/dev/null ;;
  esac
  echo done
done
"#;

/// A cluster; dropping it ends it.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    keeper: Child,
    said: BufReader<std::process::ChildStdout>,
}

static SHARED: LazyLock<Option<Cluster>> = LazyLock::new(|| Cluster::start(&["-c fsync=off"]));
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Cluster {
    /// The one that all tests of a process share; `None` where PostgreSQL is not installed and nobody insists.
    pub fn shared() -> Option<&'static Self> {
        SHARED.as_ref()
    }

    /// One of its own, for tests that end it.
    pub fn start(options: &[&str]) -> Option<Self> {
        let programs = programs()?;
        let folder =
            tempfile::Builder::new().prefix("hewto-pg-").tempdir().expect("a temporary folder").keep();
        let options = format!(
            "-k {} -c listen_addresses= -c max_connections=300 {}",
            folder.display(),
            options.join(" ")
        );
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER])
            .env("DIR", &folder)
            .env("BIN", &programs)
            .env("OPTIONS", options)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let mut said = BufReader::new(keeper.stdout.take().expect("its output"));
        let mut line = String::new();
        said.read_line(&mut line).expect("the shell speaks");
        assert_eq!(line, "ready\n", "PostgreSQL does not start in {}", folder.display());
        Some(Self { folder, programs, keeper, said })
    }

    /// A new database that belongs to a user who is nobody special; its address.
    pub fn database(&self) -> String {
        let name = format!("hub_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name} OWNER hub"));
        format!("postgres://hub@localhost/{name}?host={}", self.folder.display())
    }

    /// Runs a statement as the superuser; what `psql` prints of it.
    pub fn sql(&self, database: &str, statement: &str) -> String {
        let output = self.psql(database).args(["-c", statement]).output().expect("psql can be started");
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A session that has run a statement and stays open, with all locks that it took, until it is dropped.
    pub fn hold(&self, database: &str, statement: &str) -> HeldSession {
        let mut session = self.psql(database);
        let session = session.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut session = session.spawn().expect("psql can be started");
        let mut input = session.stdin.take().expect("its input");
        writeln!(input, "{statement}; SELECT 'held';").expect("psql reads");
        let output = BufReader::new(session.stdout.take().expect("its output"));
        let is_held = |line: std::io::Result<String>| line.is_ok_and(|line| line == "held");
        assert!(output.lines().any(is_held), "psql runs {statement}");
        HeldSession { session, _input: input }
    }

    fn psql(&self, database: &str) -> Command {
        let database = database
            .split_once("localhost/")
            .map_or(database, |(_, rest)| rest.split('?').next().unwrap_or(rest));
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"])
            .arg(&self.folder);
        psql
    }

    /// Ends it as a crash would, and starts it again.
    pub fn crash(&mut self) {
        self.tell("crash");
    }

    pub fn stop(&mut self) {
        self.tell("stop");
    }

    pub fn start_again(&mut self) {
        self.tell("start");
    }

    /// Where its programs are.
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn tell(&mut self, what: &str) {
        use std::io::Write as _;
        let input = self.keeper.stdin.as_mut().expect("its input");
        writeln!(input, "{what}").expect("the shell listens");
        let mut line = String::new();
        self.said.read_line(&mut line).expect("the shell answers");
        assert_eq!(line, "done\n", "{what}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The programs of the newest PostgreSQL; with `CI` set it has to be there.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs_err::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(version, bin)| *version >= 15 && bin.join("initdb").is_file())
        .collect();
    found.sort();
    let newest = found.pop().map(|(_, bin)| bin);
    #[expect(clippy::disallowed_methods, reason = "in CI nothing is passed over")]
    let insists = std::env::var_os("CI").is_some();
    assert!(newest.is_some() || !insists, "PostgreSQL 15 or newer is needed: install `postgresql`");
    newest
}

/// A session of the database that stays open.
#[derive(Debug)]
pub struct HeldSession {
    session: Child,
    _input: ChildStdin,
}

impl Drop for HeldSession {
    fn drop(&mut self) {
        let _ = self.session.kill();
        let _ = self.session.wait();
    }
}
