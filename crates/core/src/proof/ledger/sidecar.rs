//! `.hewto/links.toml`: links to files that cannot carry a tag.

use super::{Fault, tables, word};
use crate::proof::Ref;

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sidecar {
    pub entries: Vec<SidecarEntry>,
    pub faults: Vec<Fault>,
}

/// One `[[link]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SidecarEntry {
    pub reference: Ref,
    pub path: String,
    pub target: SidecarTarget,
    /// Where the entry stands.
    pub line: u32,
}

/// What of the file is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SidecarTarget {
    /// `test = "e2e/login.robot::Known customer"`
    Test { title: Option<String> },
    /// `code = "q.sql#L10-24"`
    Code { lines: Option<(u32, u32)> },
    /// `code = "src/users.rs::show_user"`: what is declared by this name, wherever it moves in the file.
    Declared { name: String },
    /// `file = "schema.json"`
    File,
}

impl Sidecar {
    pub fn read(text: &str) -> Self {
        let mut sidecar = Self::default();
        let tables = match tables(text, "link") {
            Ok(tables) => tables,
            Err(fault) => return Self { faults: vec![fault], ..Self::default() },
        };
        for table in tables {
            match entry(text, &table) {
                Ok(entry) => sidecar.entries.push(entry),
                Err(message) => sidecar.faults.push(Fault::at(text, table.span(), message)),
            }
        }
        sidecar
    }
}

fn entry(text: &str, table: &toml_edit::Table) -> Result<SidecarEntry, String> {
    let name = word(table, "ref").ok_or("a link needs a `ref`")?;
    let reference = Ref::parse(name).map_err(|error| format!("`{name}` names no promise: {error}"))?;
    let targets = [word(table, "test"), word(table, "code"), word(table, "file")];
    let (path, target) = match targets {
        [Some(test), None, None] => match test.split_once("::") {
            Some((path, title)) => (path, SidecarTarget::Test { title: Some(title.trim().to_owned()) }),
            None => (test, SidecarTarget::Test { title: None }),
        },
        [None, Some(code), None] => match code.split_once("#L") {
            Some((path, lines)) => (path, SidecarTarget::Code { lines: Some(line_range(lines)?) }),
            None => match code.split_once("::") {
                Some((path, name)) => (path, SidecarTarget::Declared { name: name.trim().to_owned() }),
                None => (code, SidecarTarget::Code { lines: None }),
            },
        },
        [None, None, Some(file)] => (file, SidecarTarget::File),
        _ => return Err("a link needs one of `test`, `code` and `file`".to_owned()),
    };
    let path = path.trim_start_matches("./");
    let outside = path.is_empty()
        || path.starts_with('/')
        || path.contains('\\')
        || path.split('/').any(|part| part == "..");
    if outside {
        return Err(format!("`{path}` is not a path inside the workspace"));
    }
    let line = Fault::at(text, table.span(), "").line;
    Ok(SidecarEntry { reference, path: path.to_owned(), target, line })
}

fn line_range(text: &str) -> Result<(u32, u32), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok().filter(|line| *line > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first, last)),
        _ => Err(format!("`#L{text}` is not a range of lines such as `#L10-24`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_and_faults_have_lines() {
        let text = "[[link]]\nref = \"a#b/c\"\ntest = \"e2e/login.robot::Known customer\"\n\n[[link]]\nref = \"a#b\"\ncode = \"./q.sql#L10-24\"\n\n[[link]]\nref = \"a\"\nfile = \"x\"\n\n[[link]]\nref = \"a#b\"\nfile = \"../x\"\n\n[[link]]\nref = \"a#b\"\ntest = \"x\"\ncode = \"y\"\n";
        let sidecar = Sidecar::read(text);
        let shown: Vec<_> =
            sidecar.entries.iter().map(|entry| (entry.path.as_str(), entry.line, &entry.target)).collect();
        assert_eq!(
            shown,
            [
                ("e2e/login.robot", 1, &SidecarTarget::Test { title: Some("Known customer".to_owned()) }),
                ("q.sql", 5, &SidecarTarget::Code { lines: Some((10, 24)) }),
            ]
        );
        let lines: Vec<u32> = sidecar.faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [9, 13, 17]);
        assert_eq!(Sidecar::read("[[link]\n").faults.len(), 1);
        assert_eq!(Sidecar::read("link = 1\n").faults.len(), 1);
    }
}
