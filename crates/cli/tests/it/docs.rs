//! README and guides: every link leads somewhere, every command runs and prints what it says.
//!
//! A block marked `console` is a transcript: lines that begin with `$ ` are run, in order and in one folder per page, and what
//! follows has to come out of them. Times, ids and paths are compared in a stable form; a line `…` stands for any lines.
//! `HEWTO_REGENERATE=1 cargo test -p hewto docs` writes what came out into the pages.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sandbox::Sandbox;

/// Programs that pages may show beside `hewto`, in blocks that are not run.
const OTHERS: [&str; 5] = ["cargo", "cd", "bash", "git", "curl"];

#[test]
fn every_transcript_comes_out_as_it_is_written() {
    for page in pages() {
        let text = fs_err::read_to_string(&page).unwrap();
        let fresh = retell(&text);
        #[expect(clippy::disallowed_methods, reason = "a switch of this test, not of the program")]
        if std::env::var_os("HEWTO_REGENERATE").is_some() {
            if fresh != text {
                fs_err::write(&page, fresh).unwrap();
            }
            continue;
        }
        assert!(text == fresh, "{} is stale; it should read:\n{fresh}", page.display());
    }
}

#[test]
fn every_test_that_the_page_on_security_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut tests, mut folders) = (String::new(), vec![root.join("crates")]);
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                tests += &fs_err::read_to_string(path).unwrap();
            }
        }
    }
    let page = fs_err::read_to_string(root.join("docs/security.md")).unwrap();
    let named: Vec<&str> =
        page.split('`').skip(1).step_by(2).filter(|word| word.matches('_').count() >= 3).collect();
    assert!(named.len() > 40, "{named:?}");
    for name in named {
        assert!(tests.contains(&format!("fn {name}(")), "{name}");
    }
}

#[test]
fn every_command_that_is_shown_exists() {
    let sandbox = Sandbox::empty();
    for page in pages() {
        let text = fs_err::read_to_string(&page).unwrap();
        for line in blocks(&text, "sh").flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        {
            let program = line.split_whitespace().next().unwrap_or_default();
            let is_known = program == "hewto" || OTHERS.contains(&program) || program.starts_with('#');
            assert!(program.is_empty() || is_known, "{}: {line}", page.display());
        }
        for command in commands_in(&text) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let names: Vec<&str> = words.iter().copied().take_while(|word| is_name(word)).collect();
            let flags: Vec<&str> = words.iter().copied().filter_map(|word| word.strip_prefix("--")).collect();
            // The longest beginning that is a command; what follows is its arguments.
            let page_of = |names: &[&str]| sandbox.output(&[names, &["--help"]].concat());
            let help = (0..=names.len())
                .rev()
                .map(|end| page_of(&names[..end]))
                .find(|output| output.status.success());
            let help = String::from_utf8(help.unwrap().stdout).unwrap();
            assert!(
                names.is_empty() || page_of(&names[..1]).status.success(),
                "{}: no such command: hewto {command}",
                page.display()
            );
            for flag in flags {
                let flag = flag.split(['=', '|']).next().unwrap();
                assert!(
                    help.contains(&format!("--{flag}")),
                    "{}: no such flag: hewto {command}",
                    page.display()
                );
            }
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = repository();
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name));
    for page in pages().into_iter().chain(others) {
        let text = fs_err::read_to_string(&page).unwrap();
        for target in links(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target}", page.display());
            if !anchor.is_empty() {
                let text = fs_err::read_to_string(&file).unwrap();
                let anchors: Vec<String> =
                    text.lines().filter(|line| line.starts_with('#')).map(anchor_of).collect();
                assert!(anchors.iter().any(|known| known == anchor), "{}: {target}", page.display());
            }
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// README and everything in docs/ that is written by hand.
fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut pages: Vec<PathBuf> = fs_err::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The page with the outputs of its transcripts as they are now.
fn retell(text: &str) -> String {
    let mut shell = Shell::new();
    let mut out = String::new();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if line.trim_end() != "```console" {
            continue;
        }
        let mut block: Vec<&str> = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("```")) {
            block.push(line);
        }
        out.push_str(&shell.retell(&block));
    }
    out
}

/// One folder, in which the commands of a page run one after the other.
struct Shell {
    sandbox: Sandbox,
    folder: PathBuf,
    /// Ids as the page writes them, and as they are.
    ids: Vec<(String, String)>,
}

impl Shell {
    fn new() -> Self {
        let sandbox = Sandbox::empty();
        let bin = sandbox.root().join("bin");
        fs_err::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hewto"), bin.join("hewto")).unwrap();
        let folder = sandbox.project();
        Self { sandbox, folder, ids: Vec::new() }
    }

    fn retell(&mut self, block: &[&str]) -> String {
        let mut out = String::new();
        let mut expected: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in block {
            match (line.strip_prefix("$ "), expected.last_mut()) {
                (Some(command), _) => expected.push((command, Vec::new())),
                (None, Some((_, output))) => output.push(line),
                (None, None) => out.push_str(line),
            }
        }
        for (command, told) in expected {
            let _ = write!(out, "$ {command}");
            let real = self.run(command.trim_end());
            out.push_str(&elided(&told, &real));
        }
        out
    }

    fn run(&mut self, command: &str) -> String {
        let command = self.ids.iter().fold(command.to_owned(), |text, (told, real)| text.replace(told, real));
        if let Some(folder) = command.strip_prefix("cd ") {
            self.folder = self.folder.join(folder);
            return String::new();
        }
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.sandbox.root().join("bin").display());
        let output = Command::new("sh")
            .args(["-c", &format!("{command} 2>&1")])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.sandbox.root().join("home"))
            .env("TMPDIR", self.sandbox.root().join("tmp"))
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        self.stable(&text)
    }

    /// The text with everything that differs from run to run in a stable form.
    fn stable(&mut self, text: &str) -> String {
        let text = text.replace(self.folder.to_str().unwrap(), "/home/you/shop");
        let text = text.replace(self.sandbox.project().to_str().unwrap(), "/home/you");
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(ch) = rest.chars().next() {
            if !out.ends_with(|last: char| last.is_ascii_alphanumeric())
                && let Some((known, length)) = self.known_shape(rest)
            {
                out.push_str(&known);
                rest = &rest[length..];
                continue;
            }
            out.push(ch);
            rest = &rest[ch.len_utf8()..];
        }
        out
    }

    /// A minted id or a time at the beginning of a text, in its stable form, and its length.
    fn known_shape(&mut self, text: &str) -> Option<(String, usize)> {
        if has_shape(text, "dddddddddd-") {
            let slug = text[11..].split(|ch: char| !(ch.is_ascii_alphanumeric() || ch == '-')).next()?;
            let (told, real) = (format!("1700000000-{slug}"), text[..11 + slug.len()].to_owned());
            if !slug.is_empty() && !self.ids.iter().any(|(known, _)| *known == told) {
                self.ids.push((told.clone(), real.clone()));
            }
            return Some((told, real.len()));
        }
        if has_shape(text, "dddd-dd-ddTdd:dd:dd") {
            let end = text.find('Z')? + 1;
            return Some(("2026-01-24T10:00:00Z".to_owned(), end));
        }
        if has_shape(text, "dddd-dd-dd") {
            return Some(("2026-01-24".to_owned(), 10));
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && text[digits..].starts_with(" ms") {
            return Some(("1 ms".to_owned(), digits + 3));
        }
        None
    }
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

/// What came out, with the lines left out that the page leaves out.
fn elided(told: &[&str], real: &str) -> String {
    let whole = if real.is_empty() || real.ends_with('\n') { real.to_owned() } else { format!("{real}\n") };
    let told_text = told.concat();
    if !told_text.contains("…\n") {
        // A blank line before the next command is the page's own.
        let gap = if told.len() > 1
            && told.last().is_some_and(|line| line.trim().is_empty())
            && !whole.ends_with("\n\n")
        {
            "\n"
        } else {
            ""
        };
        return format!("{whole}{gap}");
    }
    let mut rest = whole.as_str();
    for part in told_text.split("…\n").filter(|part| !part.trim().is_empty()) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return whole,
        }
    }
    told_text
}

/// The blocks of a page in a language.
fn blocks<'a>(text: &'a str, language: &'a str) -> impl Iterator<Item = String> + 'a {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        lines.by_ref().find(|line| line.trim() == format!("```{language}"))?;
        Some(lines.by_ref().take_while(|line| !line.starts_with("```")).collect::<Vec<_>>().join("\n"))
    })
}

/// What stands after `hewto` in code, inline and in blocks that are not run.
fn commands_in(text: &str) -> Vec<String> {
    let inline = text.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n')).map(str::to_owned);
    let shown = blocks(text, "sh").flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let all = inline.chain(shown).collect::<Vec<_>>();
    all.iter().filter_map(|code| code.trim().strip_prefix("hewto ")).map(str::to_owned).collect()
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|ch| ch.is_ascii_lowercase() || ch == '-') && !word.starts_with('-')
}

fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// The anchor that a heading has on common sites.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter_map(|ch| match ch {
            ' ' => Some('-'),
            '-' | '_' => Some(ch),
            _ if ch.is_alphanumeric() => Some(ch),
            _ => None,
        })
        .collect()
}
