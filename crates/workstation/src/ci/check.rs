//! A check that a project declares and the owner has trusted: runs it, and reads the reports that it leaves.
//!
//! Unlike other commands a check may be a program of the project itself (`./gradlew`), since tests are the project's code
//! anyway. Reports are opened by descriptor beneath the root, never through a link, and never older than the run.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use globset::{GlobBuilder, GlobMatcher};
use hewto_core::interrupt::Interrupted;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::job::QUIET;
use crate::call::Call;
use crate::confine::{entries, open_child_folder, open_child_regular};
use crate::error::{Error, Key, Result};
use crate::process::{
    BUILD_NAMES, Child, Ended, Keep, Stream, Sweep, USER_NAMES, child_environment, find_program, plain_text,
    run,
};
use crate::show::show_bytes;
use crate::station::Workstation;

/// How much of what a runner prints is shown to people.
const TAIL_BYTES: usize = 8 * 1024;
const MAX_LINE: usize = 8 * 1024;
/// Clocks of file systems lag behind the system's by a few milliseconds.
const CLOCK_LAG: Duration = Duration::from_millis(100);
/// How many files a pattern of reports may match, and how deep it may look for them.
const MAX_REPORTS: usize = 10_000;
const MAX_DEPTH: usize = 32;

/// What to run, in the first root.
#[derive(Debug)]
pub struct Check<'c> {
    pub command: &'c [String],
    pub time: Duration,
    /// How many bytes of standard output are kept, from its beginning.
    pub keep_output: usize,
}

/// How a check ended.
#[derive(Debug)]
pub struct CheckEnd {
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    pub began: SystemTime,
    pub duration: Duration,
    /// Standard output; one byte more than asked for where there was more.
    pub output: Vec<u8>,
    /// The last lines of what it printed, for people.
    pub tail: String,
}

/// A report that was found.
#[derive(Debug)]
pub struct ReportFile {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Runs a check to its end; `watch` sees each line that it prints.
pub fn check(
    station: &Workstation,
    call: &Call<'_>,
    request: &Check<'_>,
    watch: &mut dyn FnMut(&str),
) -> Result<CheckEnd> {
    let Some((name, arguments)) = request.command.split_first() else {
        return Err(Error::refused(Key::ProgramNotFound, "the check names no program"));
    };
    let program = program_of(station, name)?;
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let mut environment = child_environment(station, &[USER_NAMES, BUILD_NAMES]);
    environment.extend(QUIET.iter().map(|(name, value)| ((*name).into(), (*value).into())));
    let folder = duplicate(station.roots().fd(0), ".")?;
    let child = Child {
        program: &program,
        arguments: &arguments,
        folder: &folder,
        environment,
        deadline: Some(Instant::now() + request.time),
        keep: Keep::Tail(TAIL_BYTES),
        sweep: Sweep::Everywhere,
    };
    let mut output = Vec::new();
    let mut lines = [Vec::new(), Vec::new()];
    let began = SystemTime::now();
    let finished = run(&child, call, &mut |stream, chunk| {
        if stream == Stream::Stdout {
            let room = (request.keep_output + 1).saturating_sub(output.len());
            output.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        cut_lines(&mut lines[usize::from(stream == Stream::Stderr)], chunk, watch);
        ControlFlow::Continue(())
    })?;
    if finished.ended == Ended::Interrupted(Interrupted::Cancelled) {
        return Err(Interrupted::Cancelled.into());
    }
    let said = [finished.stdout.bytes(), finished.stderr.bytes()].map(plain_text);
    let tail = said.iter().map(|bytes| show_bytes(bytes).text).filter(|text| !text.trim().is_empty());
    Ok(CheckEnd {
        exit: finished.exit_code(),
        signal: finished.signal(),
        timed_out: matches!(finished.ended, Ended::Interrupted(Interrupted::TimedOut)),
        began,
        duration: finished.duration,
        output,
        tail: tail.collect::<Vec<_>>().join("\n"),
    })
}

/// Removes what earlier runs left; what is not there is fine.
pub fn remove_reports(station: &Workstation, call: &Call<'_>, pattern: &str) -> Result<()> {
    for spot in find(station, call, pattern)? {
        match rustix::fs::unlinkat(&*spot.folder, &spot.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => return Err(missing(&spot.path, "is a folder")),
            Err(error) => return Err(Error::io("remove", &spot.path, error)),
        }
    }
    Ok(())
}

/// Reads the reports that a run which began then has left.
pub fn read_reports(
    station: &Workstation,
    call: &Call<'_>,
    pattern: &str,
    began: SystemTime,
    most_bytes: usize,
) -> Result<Vec<ReportFile>> {
    let spots = find(station, call, pattern)?;
    if spots.is_empty() {
        return Err(missing(pattern, "is not there after the run"));
    }
    let mut room = most_bytes;
    let mut reports = Vec::with_capacity(spots.len());
    for spot in spots {
        let kind = rustix::fs::statat(&*spot.folder, &spot.name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| FileType::from_raw_mode(stat.st_mode));
        match kind {
            Ok(FileType::Symlink) => return Err(missing(&spot.path, "is a link")),
            Ok(FileType::RegularFile) => {}
            Ok(_) => return Err(missing(&spot.path, "is not a regular file")),
            Err(_) => return Err(missing(&spot.path, "is not there after the run")),
        }
        let open = open_child_regular(&*spot.folder, &spot.name, &spot.path)?;
        let written = open.file.metadata().and_then(|data| data.modified()).ok();
        if written.is_none_or(|written| written + CLOCK_LAG < began) {
            return Err(missing(&spot.path, "is older than the run"));
        }
        let mut bytes = Vec::new();
        open.file.take(room as u64 + 1).read_to_end(&mut bytes).map_err(|error| {
            Error::machine(Key::IoError, format!("cannot read: `{}`", spot.path)).caused_by(error)
        })?;
        if bytes.len() > room {
            return Err(Error::refused(
                Key::ReportInvalid,
                format!("the report is too large: `{}`", spot.path),
            ));
        }
        room -= bytes.len();
        reports.push(ReportFile { path: spot.path, bytes });
    }
    Ok(reports)
}

/// A name in a folder that was reached without a link.
struct Spot {
    folder: Rc<OwnedFd>,
    name: OsString,
    path: String,
}

/// Where a path or a pattern leads. A path always gives its spot if its folder is there; a pattern what matches.
fn find(station: &Workstation, call: &Call<'_>, pattern: &str) -> Result<Vec<Spot>> {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let is_pattern = |part: &str| part.contains(['*', '?', '[', '{']);
    let fixed = parts.iter().position(|part| is_pattern(part)).unwrap_or(parts.len() - 1);
    let mut folder = duplicate(station.roots().fd(0), ".")?;
    for (index, part) in parts[..fixed].iter().enumerate() {
        folder = match open_child_folder(&folder, OsStr::new(part)) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(Vec::new()),
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(missing(&parts[..=index].join("/"), "is not a folder, or a link"));
            }
            Err(error) => return Err(Error::io("open", &parts[..=index].join("/"), error)),
        };
    }
    let folder = Rc::new(folder);
    let above = parts[..fixed].join("/");
    if fixed + 1 == parts.len() && !is_pattern(parts[fixed]) {
        let name = OsString::from(parts[fixed]);
        return Ok(match rustix::fs::statat(&*folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => vec![Spot { folder, name, path: parts.join("/") }],
            Err(_) => Vec::new(),
        });
    }
    let matcher = GlobBuilder::new(&parts.join("/"))
        .literal_separator(true)
        .build()
        .map_err(|error| {
            Error::refused(Key::ReportMissing, format!("`{pattern}` is not a pattern: {error}"))
        })?
        .compile_matcher();
    let mut spots = Vec::new();
    walk(&folder, &above, &matcher, 0, call, &mut spots)?;
    spots.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(spots)
}

fn walk(
    folder: &Rc<OwnedFd>,
    above: &str,
    matcher: &GlobMatcher,
    depth: usize,
    call: &Call<'_>,
    spots: &mut Vec<Spot>,
) -> Result<()> {
    call.check()?;
    let shown = if above.is_empty() { "." } else { above };
    for entry in entries(&**folder).map_err(|error| Error::io("list", shown, error))? {
        let (name, kind) = entry.map_err(|error| Error::io("list", shown, error))?;
        let Some(text) = name.to_str() else { continue };
        let path = if above.is_empty() { text.to_owned() } else { format!("{above}/{text}") };
        if matcher.is_match(&path) {
            if spots.len() == MAX_REPORTS {
                return Err(Error::refused(
                    Key::ReportInvalid,
                    format!("more than {MAX_REPORTS} reports match"),
                ));
            }
            spots.push(Spot { folder: Rc::clone(folder), name, path });
        } else if kind == FileType::Directory
            && depth < MAX_DEPTH
            && !matches!(text, ".git" | "node_modules")
            && let Ok(below) = open_child_folder(&**folder, &name)
        {
            walk(&Rc::new(below), &path, matcher, depth + 1, call, spots)?;
        }
    }
    Ok(())
}

/// A descriptor of its own for the same folder.
fn duplicate(folder: BorrowedFd<'_>, shown: &str) -> Result<OwnedFd> {
    rustix::io::fcntl_dupfd_cloexec(folder, 0).map_err(|error| Error::io("open", shown, error))
}

fn missing(path: &str, why: &str) -> Error {
    Error::refused(Key::ReportMissing, format!("the report {why}: `{path}`"))
        .detail("report", path)
        .hint("let the runner write a new file there on every run")
}

/// The program of a check: by its name from `PATH`, by its path, or of the project (`./name`).
fn program_of(station: &Workstation, name: &str) -> Result<PathBuf> {
    let path = PathBuf::from(name);
    if path.is_absolute() || !name.contains('/') {
        return find_program(station, name);
    }
    let path = station.roots().real(0).join(path);
    if path.is_file() {
        return Ok(path);
    }
    Err(Error::refused(Key::ProgramNotFound, format!("no program at `{name}`")).detail("program", name))
}

fn cut_lines(line: &mut Vec<u8>, chunk: &[u8], watch: &mut dyn FnMut(&str)) {
    for part in chunk.split_inclusive(|byte| *byte == b'\n') {
        let room = MAX_LINE - line.len().min(MAX_LINE);
        line.extend_from_slice(&part[..part.len().min(room)]);
        if part.ends_with(b"\n") {
            watch(show_bytes(&plain_text(line)).text.trim_end());
            line.clear();
        }
    }
}
