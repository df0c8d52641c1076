//! `hewto init` and `hewto uninstall` in repositories that are full of other people's text: there and back, to the byte.

mod edited;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::sandbox::Sandbox;

/// Content of each target file, as somebody may have it.
struct Fixture {
    name: &'static str,
    files: Vec<(&'static str, String)>,
}

const MARKDOWN: &str = "# Rules\n\n- Write *tests*.\n\n```sh\nmake\n```\n";
const MCP: &str = "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"other\"]\n    }\n  }\n}\n";
const VSCODE: &str = "{\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"z\": { \"type\": \"stdio\", \"command\": \"z\" },\n\t\t\"a\": { \"url\": \"https://example.com/mcp\" }\n\t}\n}\n";
const CODEX: &str = "# models\nmodel = \"o4\"   # the small one\n\n[mcp_servers.other]\ncommand = 'npx'\n";
const GEMINI: &str = "{\n    \"theme\": \"Größe\",\n    \"mcpServers\": {}\n}\n";

fn usual() -> Vec<(&'static str, String)> {
    [
        ("AGENTS.md", MARKDOWN),
        ("CLAUDE.md", "Claude, read this.\n"),
        ("GEMINI.md", "Gemini, read that.\n\n"),
        (".mcp.json", MCP),
        (".cursor/mcp.json", MCP),
        (".vscode/mcp.json", VSCODE),
        (".codex/config.toml", CODEX),
        (".gemini/settings.json", GEMINI),
    ]
    .map(|(path, text)| (path, text.to_owned()))
    .into()
}

fn with(name: &'static str, change: impl Fn(&str, &str) -> String) -> Fixture {
    Fixture { name, files: usual().into_iter().map(|(path, text)| (path, change(path, &text))).collect() }
}

fn fixtures() -> Vec<Fixture> {
    let is_json = |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "json");
    let mut openspec = with("in a workspace of another tool", |_, text| text.to_owned());
    openspec.files.push(("openspec/project.md", "# Theirs\n".to_owned()));
    openspec.files.push(("openspec/specs/auth/spec.md", "# Auth\n\n## Purpose\n\nTheirs\n".to_owned()));
    vec![
        with("plain", |_, text| text.to_owned()),
        with("windows", |_, text| text.replace('\n', "\r\n")),
        with("a mark at the start and Windows line ends", |_, text| {
            format!("\u{feff}{}", text.replace('\n', "\r\n"))
        }),
        with("no line end at the end", |_, text| text.trim_end().to_owned()),
        with("comments and commas", |path, text| {
            match path {
            ".vscode/mcp.json" => "// ours\n{\n  /* all of them */\n  \"servers\": {\n    // first\n    \"a\": { \"command\": \"x\", }, // why\n  },\n}\n// end\n".to_owned(),
            _ if is_json(path) => format!("// by hand\n{}", text.replace("    }\n", "    } // last\n")),
            _ => format!("<!-- a comment -->\n{text}").replace("<!-- a comment -->\n#", "# a comment\n#"),
        }
        }),
        with("on one line", |path, text| {
            if is_json(path) {
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            } else {
                text.to_owned()
            }
        }),
        with("next to nothing", |path, text| match path {
            ".mcp.json" => "{}".to_owned(),
            ".cursor/mcp.json" => "{ }\n".to_owned(),
            ".vscode/mcp.json" => "{\n}\n".to_owned(),
            ".gemini/settings.json" => "{\"theme\":\"x\"}".to_owned(),
            ".codex/config.toml" => "[mcp_servers]\n".to_owned(),
            "AGENTS.md" => String::new(),
            _ => text.to_owned(),
        }),
        openspec,
    ]
}

/// A git repository with these files, committed, in the sandbox's project.
fn repository(sandbox: &Sandbox, files: &[(&str, String)]) {
    for (path, text) in files {
        sandbox.write(path, text);
    }
    git(&sandbox.project(), &["init", "--quiet"]);
    git(&sandbox.project(), &["add", "--all"]);
    git(&sandbox.project(), &["commit", "--quiet", "--allow-empty", "--message", "Theirs"]);
}

fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.autocrlf=false"];
    let output = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every file outside git with its bytes, and every folder.
fn everything(folder: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Option<Vec<u8>>>) {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".git" {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                collect(root, &path, found);
                found.insert(name, None);
            } else {
                found.insert(name, Some(fs_err::read(&path).unwrap_or_default()));
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

/// What the files looked like is noted beside the search index once they are old enough to tell, which may be at the second look.
fn without_note(mut found: BTreeMap<String, Option<Vec<u8>>>) -> BTreeMap<String, Option<Vec<u8>>> {
    found.remove(".hewto/cache/search/note");
    found
}

// @spec installation#uninstall-restores-every-byte/there-and-back
#[test]
fn init_and_uninstall_leave_eight_repositories_as_they_were() {
    let fixtures = fixtures();
    assert_eq!(fixtures.len(), 8);
    for Fixture { name, files } in fixtures {
        let sandbox = Sandbox::empty();
        repository(&sandbox, &files);
        let before = everything(&sandbox.project());
        let made = sandbox.json(&["init", "--yes"]);
        assert_eq!(made["agents"].as_array().unwrap().len(), 5, "{name}: {made}");
        let installed = without_note(everything(&sandbox.project()));
        for (path, text) in &files {
            if !path.starts_with("openspec") {
                let now = sandbox.read(path);
                assert!(now.len() > text.len() && now.contains("hewto"), "{name}: {path}");
                assert_eq!(now.starts_with('\u{feff}'), text.starts_with('\u{feff}'), "{name}: {path}");
                let lone_feeds = now.matches('\n').count() - now.matches("\r\n").count();
                assert!(!text.contains("\r\n") || lone_feeds == 0, "{name}: {path}: {now:?}");
                assert_eq!(
                    now.ends_with('\n'),
                    text.ends_with('\n') || text.is_empty(),
                    "{name}: {path}: {now:?}"
                );
            }
        }
        assert_eq!(sandbox.json(&["init", "--yes"])["files"], serde_json::json!([]), "{name}");
        let again = without_note(everything(&sandbox.project()));
        assert_eq!(again, installed, "{name}: a second init changes nothing");
        // Work leaves logs and a lock behind.
        sandbox.ok(&["spec", "list"]);
        let gone = sandbox.json(&["uninstall", "--yes"]);
        assert_eq!(gone["kept"], serde_json::json!([]), "{name}: {gone}");
        assert_eq!(git(&sandbox.project(), &["status", "--porcelain", "--ignored"]), "", "{name}");
        assert_eq!(everything(&sandbox.project()), before, "{name}");
    }
}

#[test]
fn a_dry_run_is_exactly_the_diff_that_is_then_written() {
    for Fixture { name, files } in fixtures() {
        let [planned, written] = [(); 2].map(|()| {
            let sandbox = Sandbox::empty();
            repository(&sandbox, &files);
            sandbox
        });
        let before = everything(&planned.project());
        let patch = planned.ok(&["init", "--dry-run"]);
        assert_eq!(everything(&planned.project()), before, "{name}: a dry run writes nothing");
        fs_err::write(planned.root().join("patch"), &patch).unwrap();
        git(&planned.project(), &["apply", "--whitespace=nowarn", "../patch"]);
        written.ok(&["init", "--yes"]);
        let machine = |path: &String| {
            [".hewto/lock", ".hewto/journal", ".hewto/cache", ".hewto/logs"]
                .iter()
                .any(|own| path.starts_with(own))
        };
        let files_of = |sandbox: &Sandbox| {
            let mut all = everything(&sandbox.project());
            all.retain(|path, bytes| bytes.is_some() && !machine(path));
            all
        };
        assert_eq!(files_of(&planned), files_of(&written), "{name}");
        // And back.
        let patch = written.ok(&["uninstall", "--dry-run"]);
        fs_err::write(written.root().join("patch"), &patch).unwrap();
        git(&written.project(), &["apply", "--whitespace=nowarn", "../patch"]);
        let mut left = files_of(&written);
        left.retain(|path, _| path != ".hewto/.gitignore");
        let mut wanted = before;
        wanted.retain(|_, bytes| bytes.is_some());
        assert_eq!(left, wanted, "{name}");
    }
}

#[test]
fn specs_stay_unless_they_are_purged() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("Kept", &[]);
    sandbox.write("docs/adr/0001-by-hand.md", "# Somebody's own\n");
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.ok(&["uninstall", "--yes"]);
    assert!(sandbox.project().join(format!("specs/{id}/spec.md")).is_file());
    assert!(!sandbox.project().join(".hewto").exists());
    // To the second init, the first spec is one that was there before; only the second spec is its own.
    sandbox.ok(&["init", "--yes"]);
    let purged = sandbox.spec("Purged", &[]);
    insta::assert_snapshot!(sandbox.run(&["uninstall", "--purge"]), @r"
    [stderr]
    error: this would delete 4 documents for good
    hint: look at `--dry-run` first, then say `--yes`
    [exit 2]
    ");
    sandbox.ok(&["uninstall", "--purge", "--yes"]);
    let left = everything(&sandbox.project());
    let left: Vec<&str> =
        left.iter().filter(|(_, bytes)| bytes.is_some()).map(|(path, _)| path.as_str()).collect();
    let kept = ["spec.md", "state.toon"].map(|name| format!("specs/{id}/{name}"));
    assert_eq!(left, ["docs/adr/0001-by-hand.md", &kept[0], &kept[1], "src/main.rs"]);
    assert!(!sandbox.project().join(format!("specs/{purged}")).exists());
}

#[test]
fn where_hewto_never_was_there_is_nothing_to_uninstall() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["uninstall", "--yes"]), @r"
    [stderr]
    error: there is nothing to uninstall at or above: [DIR]/project
    hint: run it in the folder in which `hewto init` was run
    [exit 1]
    ");
}

#[test]
fn what_was_left_in_the_git_folder_goes_too() {
    let sandbox = Sandbox::empty();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.write(".git/objects/keep", "");
    // Before it became a workspace, the repository had its decisions looked up.
    let use_it = || sandbox.output(&["clarify", "start", "Add authentication", "--non-interactive"]);
    use_it();
    assert!(sandbox.project().join(".git/hewto").is_dir());
    let removed = sandbox.ok(&["uninstall", "--yes"]);
    assert!(removed.contains(".git/hewto/"), "{removed}");
    assert!(!sandbox.project().join(".git/hewto").exists());
    use_it();
    sandbox.ok(&["init", "--yes"]);
    let removed = sandbox.ok(&["uninstall", "--yes"]);
    assert!(removed.contains(".git/hewto/") && removed.contains(".hewto/"), "{removed}");
    assert!(!sandbox.project().join(".git/hewto").exists() && sandbox.project().join(".git/HEAD").is_file());
    assert_eq!(sandbox.output(&["uninstall", "--yes"]).status.code(), Some(1));
}
