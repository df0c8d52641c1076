//! Finding and reading the files of another tool.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hewto_core::import::{Encoding, Format, SourceFile, conflict, decode, number_of};
use hewto_store::{Context, Found, ReadError, RelPath, SourceTree};

use crate::error::{Error, Result};
use crate::view::LeftOutView;

/// Folders that hold no source of any tool.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
/// More are not read: that is no project of one of these tools.
const MOST_FILES: usize = 100_000;

/// What was read of a source.
#[derive(Debug)]
pub(super) struct Source {
    /// The root of the project it belongs to, a real path.
    pub(super) root: PathBuf,
    pub(super) files: Vec<SourceFile>,
    pub(super) left_out: Vec<LeftOutView>,
    pub(super) notes: Vec<String>,
    /// Whether all of the source was asked for, so that what is not there is gone.
    pub(super) is_whole: bool,
    /// Whether the files were found in the tool's usual folders, which nobody named.
    pub(super) is_found: bool,
}

/// Where a source begins, and which part of it is wanted.
#[derive(Debug)]
struct Scope {
    root: PathBuf,
    /// Files and folders below the root.
    places: Vec<RelPath>,
    /// Only what stands below this.
    within: Option<String>,
}

impl Source {
    /// Reads the files of a format at a path: the root of a project, or a folder or file inside.
    /// Of the workspace itself, at `home`, only the tool's own folders are read.
    pub(super) fn read(ctx: &Context, format: Format, path: &Path, home: &Path) -> Result<Self> {
        let mut scope = Scope::of(format, path)?;
        if scope.within.is_none() && !scope.places.is_empty() && scope.root != home {
            let companions = format.companions().iter().filter_map(|place| RelPath::parse(place).ok());
            scope.places.extend(companions);
        }
        let tree = SourceTree::open(&scope.root)?;
        let mut source = Self {
            root: tree.path().to_owned(),
            files: Vec::new(),
            left_out: Vec::new(),
            notes: Vec::new(),
            is_whole: scope.within.is_none(),
            is_found: scope.within.is_none() && !scope.places.is_empty(),
        };
        let mut found = Vec::new();
        for place in &scope.places {
            match () {
                () if tree.is_folder(place) => found.extend(tree.walk(ctx, Some(place), &SKIPPED)?),
                () if tree.is_file(place) => found.push(Found::File(place.clone())),
                () if tree.is_link(place) => found.push(Found::Link(place.clone())),
                () => {}
            }
        }
        if scope.places.is_empty() {
            found = tree.walk(ctx, None, &SKIPPED)?;
        }
        found.sort_by(|a, b| a.path().cmp(b.path()));
        found.dedup_by(|a, b| a.path() == b.path());
        found.retain(|one| {
            let path = one.path().as_str();
            let is_within = scope.within.as_deref().is_none_or(|within| {
                path.strip_prefix(within).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            // A link that leads elsewhere is told of where the tool keeps its own.
            let is_own = !format.companions().iter().any(|folder| path.starts_with(folder));
            is_within && (format.wants(path) || (is_own && !matches!(one, Found::File(_))))
        });
        if found.len() > MOST_FILES {
            return Err(Error::validation(format!(
                "there are more than {MOST_FILES} files of {} below it",
                format.tool()
            ))
            .hint("name the folder that is meant"));
        }
        if found.is_empty() {
            return Err(nothing(format, path));
        }
        source.take(ctx, format, &tree, found)?;
        Ok(source)
    }

    fn take(&mut self, ctx: &Context, format: Format, tree: &SourceTree, found: Vec<Found>) -> Result<()> {
        // A file that cannot be used takes its unit along: half a spec is none.
        let mut broken: BTreeMap<String, String> = BTreeMap::new();
        let is_text = |path: &str| format.wants(path) && path.ends_with(".md");
        for one in found {
            ctx.check()?;
            let path = one.path().as_str().to_owned();
            match one {
                Found::Link(_) | Found::Closed(..) => {
                    let link = "a symbolic link, and links are not followed".to_owned();
                    let why = if let Found::Closed(_, why) = one { why } else { link };
                    self.fault(&path, None, &why);
                    if is_text(&path) {
                        broken.insert(format.unit_of(&path), path);
                    }
                }
                Found::File(place) => match read_text(tree, &place, format == Format::Openspec)? {
                    Ok((text, encoding)) => {
                        if encoding != Encoding::Utf8 {
                            let name = if encoding == Encoding::Latin1 { "Latin-1" } else { "UTF-16" };
                            self.notes.push(format!("`{path}` is not UTF-8 and was read as {name}"));
                        }
                        if let Some(line) = conflict(&text) {
                            self.fault(&path, Some(line), "an unfinished merge: it has conflict markers");
                            broken.insert(format.unit_of(&path), path);
                        } else {
                            self.files.push(SourceFile { path, text });
                        }
                    }
                    Err(why) => {
                        let line = tree.bytes(&place).ok().flatten().and_then(|bytes| line_of_nul(&bytes));
                        self.fault(&path, line, &why);
                        if is_text(&path) {
                            broken.insert(format.unit_of(&path), path);
                        }
                    }
                },
            }
        }
        let (kept, dropped): (Vec<SourceFile>, Vec<SourceFile>) = std::mem::take(&mut self.files)
            .into_iter()
            .partition(|file| !broken.contains_key(&format.unit_of(&file.path)));
        self.files = kept;
        for file in dropped {
            let cause = &broken[&format.unit_of(&file.path)];
            self.fault(
                &file.path,
                None,
                &format!("it belongs together with `{cause}`, which cannot be used"),
            );
        }
        Ok(())
    }

    fn fault(&mut self, file: &str, line: Option<usize>, why: &str) {
        let (file, why) = (file.to_owned(), why.to_owned());
        self.left_out.push(LeftOutView { file, line, why, fault: true, ..LeftOutView::default() });
    }
}

/// The line of the first byte that no text has.
fn line_of_nul(bytes: &[u8]) -> Option<usize> {
    let at = memchr::memchr(0, bytes)?;
    Some(memchr::memchr_iter(b'\n', &bytes[..at]).count() + 1)
}

fn read_text(
    tree: &SourceTree,
    path: &RelPath,
    exactly: bool,
) -> Result<std::result::Result<(String, Encoding), String>> {
    match tree.bytes(path) {
        Ok(Some(bytes)) => Ok(decode(&bytes, exactly).ok_or_else(|| "it is not text".to_owned())),
        Ok(None) => Ok(Err("it is gone".to_owned())),
        Err(ReadError::File(error)) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

impl Scope {
    fn of(format: Format, path: &Path) -> Result<Self> {
        let real = fs_err::canonicalize(path).map_err(|error| {
            let hint = "name the root of a project, or a folder of the tool";
            let place = path.display();
            match error.kind() {
                std::io::ErrorKind::NotFound => Error::validation(format!("nothing is there: `{place}`")),
                std::io::ErrorKind::PermissionDenied => {
                    Error::validation(format!("it may not be read: `{place}`"))
                }
                _ => Error::validation(format!("it cannot be read: `{place}`")).caused_by(error),
            }
            .hint(hint)
        })?;
        let places = |root: &Path| -> Vec<RelPath> {
            let mut places: Vec<RelPath> = adr_dir(format, root).into_iter().collect();
            places.extend(format.places().iter().filter_map(|place| RelPath::parse(place).ok()));
            places
        };
        if real.is_file() {
            let root = root_above(format, &real).unwrap_or_else(|| parent(&real));
            let within = relative(&root, &real);
            let place = within.as_deref().and_then(|place| RelPath::parse(place).ok());
            return Ok(Self { root, places: place.into_iter().collect(), within });
        }
        let has_place =
            |root: &Path| places(root).iter().any(|place| place.under(root).symlink_metadata().is_ok());
        if has_place(&real) {
            return Ok(Self { places: places(&real), root: real, within: None });
        }
        if let Some(root) = root_above(format, &real) {
            let within = relative(&root, &real).filter(|within| !within.is_empty());
            return Ok(Self { places: places(&root), root, within });
        }
        if format.is_loose() {
            return Ok(Self { root: real, places: Vec::new(), within: None });
        }
        Err(nothing(format, path))
    }
}

/// The root of the project when a path stands in one of the tool's own folders.
fn root_above(format: Format, path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|folder| {
        format.places().iter().find_map(|place| {
            let root = folder.to_str()?.strip_suffix(place)?.strip_suffix('/')?;
            Some(PathBuf::from(if root.is_empty() { "/" } else { root }))
        })
    })
}

/// The folder that `.adr-dir` names.
fn adr_dir(format: Format, root: &Path) -> Option<RelPath> {
    /// A path has no more bytes.
    const LONGEST: u64 = 4_096;
    let file = (format == Format::AdrTools).then(|| root.join(".adr-dir"))?;
    fs_err::metadata(&file).ok().filter(|found| found.is_file() && found.len() <= LONGEST)?;
    RelPath::parse(fs_err::read_to_string(file).ok()?.trim()).ok()
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_str()?.to_owned())
}

fn nothing(format: Format, path: &Path) -> Error {
    let places = format.places().join("`, `");
    Error::validation(format!("there is nothing of {} at `{}`", format.tool(), path.display()))
        .detail("format", format.as_str())
        .hint(format!("name the folder that has `{places}`, or run `hewto import` to see what there is"))
}

/// The formats whose files stand at a root, with what told of them and how many files there are.
pub(super) fn look(ctx: &Context, root: &Path) -> Result<Vec<(Format, Vec<String>, usize)>> {
    let tree = SourceTree::open(root)?;
    let mut found = Vec::new();
    for format in Format::ALL {
        let mut traces = Vec::new();
        let mut count = 0;
        let own = adr_dir(format, root).into_iter();
        let places = own.chain(format.places().iter().filter_map(|place| RelPath::parse(place).ok()));
        for place in places {
            let files: Vec<RelPath> = match () {
                () if tree.is_file(&place) => vec![place.clone()],
                () if tree.is_folder(&place) => tree
                    .walk(ctx, Some(&place), &SKIPPED)?
                    .into_iter()
                    .filter_map(|one| if let Found::File(path) = one { Some(path) } else { None })
                    .collect(),
                () => continue,
            };
            let wanted = files.iter().filter(|path| is_of(format, &tree, path)).count();
            if wanted > 0 && !traces.contains(&place.to_string()) {
                traces.push(place.to_string());
                count += wanted;
            }
        }
        if count > 0 {
            found.push((format, traces, count));
        }
    }
    Ok(found)
}

/// Whether a file is one of this format rather than of another with the same folders.
fn is_of(format: Format, tree: &SourceTree, path: &RelPath) -> bool {
    let text =
        || tree.bytes(path).ok().flatten().and_then(|bytes| decode(&bytes, false)).map(|(text, _)| text);
    match format {
        Format::AdrTools | Format::Madr => {
            number_of(path).is_some() && text().is_some_and(|text| format.rival(path, &text).is_none())
        }
        Format::Ears => {
            let is_ears = |text: String| {
                text.split(|ch: char| !ch.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("shall"))
            };
            format.wants(path) && text().is_some_and(is_ears)
        }
        Format::SpecKit => path.starts_with("specs/") && format.wants(path),
        _ => format.wants(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_by_a_short_file_and_by_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".adr-dir");
        fs_err::write(&file, "docs/adr\n").unwrap();
        let named = || adr_dir(Format::AdrTools, dir.path()).map(|path| path.to_string());
        assert_eq!(named().as_deref(), Some("docs/adr"));
        std::fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(named(), None, "what is huge is not read");
        fs_err::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert_eq!(named(), None, "nor is what never ends");
    }
}
