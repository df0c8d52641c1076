//! The rules of the house, read off the sources: what each room may know, and how long a file may be.

use std::path::{Path, PathBuf};

/// The most lines that a file may have.
const MOST_LINES: usize = 350;

/// What each crate may stand on: dependencies point down only.
const MAY_USE: [(&str, &[&str]); 13] = [
    ("core", &[]),
    ("parallel", &[]),
    ("store", &["core", "parallel"]),
    ("search", &["core", "parallel"]),
    ("workstation", &["core"]),
    ("net", &["core"]),
    ("http", &["core"]),
    ("engine", &["core", "net", "parallel", "search", "store", "workstation"]),
    ("call", &["core", "engine", "store"]),
    ("web", &["call", "core", "engine", "http"]),
    ("hub", &["core", "engine", "http", "parallel", "search", "web"]),
    ("mcp", &["call", "core", "engine", "http", "store"]),
    ("cli", &["call", "core", "engine", "http", "hub", "mcp", "net", "web"]),
];

/// The names of what people work on; the layout alone writes them down.
const NAMES: [&str; 7] =
    ["spec.md", "plan.md", "state.toon", "proposal.md", "tasks.md", "design.md", ".openspec.yaml"];

/// Texts that are handed to agents as they are, and say so.
const FOR_AGENTS: [&str; 3] =
    ["engine/src/install/section.rs", "engine/src/client/skill.rs", "core/src/config/keys.rs"];

/// The rooms of the engine whose matter are paths: what `init` lays out and takes back, what agents read, what is imported.
const SPEAK_OF_PATHS: [&str; 5] = ["client", "import", "init", "install", "uninstall"];

/// How often the engine may look at the layout itself rather than ask the store.
const MOST_LOOKS_AT_THE_LAYOUT: usize = 15;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(below).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != "target" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// What ships of a crate: its sources without their tests and comments, as (name, text).
fn shipped(name: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(&crates().join(name).join("src"), &mut files);
    let named = files.into_iter().map(|path| {
        let shown = path.strip_prefix(crates()).unwrap().to_string_lossy().into_owned();
        (shown, fs_err::read_to_string(path).unwrap())
    });
    let is_test = |name: &str| name.ends_with("tests.rs") || name.contains("/tests/");
    named
        .filter(|(name, _)| !is_test(name))
        .map(|(name, text)| {
            let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            (name, lines.collect::<Vec<_>>().join("\n"))
        })
        .collect()
}

fn offenders(rooms: &[&str], is_wrong: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    let files = rooms.iter().flat_map(|room| shipped(room));
    files.filter_map(|(name, text)| Some(format!("{name}: {}", is_wrong(&name, &text)?))).collect()
}

#[test]
fn no_file_is_longer_than_one_can_read() {
    let mut files = Vec::new();
    sources(&crates(), &mut files);
    assert!(files.len() > 1_000, "{}", files.len());
    let lines = |path: &PathBuf| fs_err::read_to_string(path).unwrap().lines().count();
    let long: Vec<String> = files
        .iter()
        .map(|path| (path, lines(path)))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn dependencies_point_down_only() {
    for (name, may) in MAY_USE {
        let text = fs_err::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let table = text.split("[dependencies]\n").nth(1).unwrap_or_default().split("\n[").next().unwrap();
        let used = table.lines().filter_map(|line| line.strip_prefix("hewto-"));
        let used: Vec<&str> = used.map(|line| line.split(['.', ' ']).next().unwrap()).collect();
        assert_eq!(used, may, "{name}");
    }
}

#[test]
fn only_the_layout_knows_what_files_are_called() {
    // Other tools' files and templates have names of their own.
    let has_names_of_its_own = ["core/src/import/", "core/src/template/"];
    let found = offenders(&["core", "engine", "call", "web", "mcp"], |file, text| {
        if has_names_of_its_own.iter().any(|room| file.starts_with(room)) {
            return None;
        }
        let named = NAMES.into_iter().find(|name| text.contains(&format!("\"{name}\"")));
        named.map(str::to_owned)
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_engine_asks_for_documents_and_not_for_paths() {
    let found = offenders(&["engine"], |file, text| {
        let speaks_of_paths =
            SPEAK_OF_PATHS.iter().any(|room| file.starts_with(&format!("engine/src/{room}/")));
        (!speaks_of_paths && text.contains("RelPath")).then(|| "RelPath".to_owned())
    });
    assert_eq!(found, Vec::<String>::new());
    let looks: usize = shipped("engine").iter().map(|(_, text)| text.matches(".layout()").count()).sum();
    assert!(looks <= MOST_LOOKS_AT_THE_LAYOUT, "{looks}");
}

#[test]
fn nothing_below_the_faces_names_a_tool() {
    let reference = fs_err::read_to_string(crates().join("../docs/tools.md")).unwrap();
    let tools: Vec<&str> = reference
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .filter(|name| name.contains('_'))
        .collect();
    assert!(tools.len() > 80, "{tools:?}");
    let found = offenders(&["core", "store", "workstation", "engine", "call", "web", "hub"], |file, text| {
        if FOR_AGENTS.contains(&file) {
            return None;
        }
        let composed = text.contains("`specman_").then_some("specman_…");
        tools.iter().copied().find(|tool| text.contains(&format!("`{tool}`"))).or(composed).map(str::to_owned)
    });
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn nothing_below_the_protocol_names_rmcp() {
    let rooms =
        ["core", "parallel", "store", "workstation", "search", "net", "engine", "call", "http", "web", "hub"];
    let found = offenders(&rooms, |_, text| text.contains("rmcp::").then(|| "rmcp".to_owned()));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_architecture_names_nothing_that_is_not_there() {
    let page = fs_err::read_to_string(crates().join("../ARCHITECTURE.md")).unwrap();
    assert!(page.lines().count() < 200);
    let rooms: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    let is_path = |name: &&str| {
        let below = name.split_once('/').filter(|(room, _)| rooms.contains(room));
        // `<noun>` and `**` stand for many.
        below.is_some_and(|(_, path)| !path.is_empty() && !path.contains(['<', '*']))
    };
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(named.len() > 70, "{}", named.len());
    for name in named {
        // The story of a call leaves `src/` out.
        let whole = name.replacen('/', "/src/", 1);
        assert!(crates().join(name).exists() || crates().join(whole).exists(), "{name}");
    }
}
