//! Every agent of the table: found, connected, examined, and left without a byte.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hewto_engine::client::{Agent, ConfigFormat, Scope};

use crate::sandbox::Sandbox;

/// Everything below a folder, hewto's own state included, with its bytes.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files.insert(path.clone(), Vec::new());
                open.push(path);
            } else {
                files.insert(path.clone(), fs_err::read(&path).unwrap());
            }
        }
    }
    files
}

/// A project on a machine that hewto has run on before: its key is the machine's, not the project's, and stays.
fn on_a_known_machine() -> Sandbox {
    let sandbox = Sandbox::empty();
    let folder = sandbox.root().join("home/.local/state/hewto");
    fs_err::create_dir_all(&folder).unwrap();
    let key = folder.join("machine.key");
    fs_err::write(&key, format!("{}\n", "5a".repeat(32))).unwrap();
    fs_err::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    sandbox
}

/// Something of a person's own in every shape that they write it.
fn contents(agent: Agent) -> Vec<String> {
    let key = agent.section();
    match agent.format() {
        ConfigFormat::Json => vec![
            "{}\n".to_owned(),
            format!("{{\n\t// mine\n\t\"{key}\": {{\n\t\t\"other\": {{ \"command\": \"x\" }}, // why\n\t}},\n\t\"z\": [1, 2]\n}}"),
            format!("\u{feff}{{\r\n  \"{key}\": {{}}\r\n}}\r\n"),
        ],
        ConfigFormat::Toml => vec![
            "# mine\nmodel = 'x'\n\n[mcp_servers.other]\ncommand = 'y'\n".to_owned(),
            "a = 1\r\nb = 2".to_owned(),
        ],
        ConfigFormat::Yaml if key == "extensions" => vec![
            "# mine\nGOOSE_MODEL: x\nextensions:\n    developer:   # built in\n        enabled: true\n\nz: 1\n".to_owned(),
            "a: 1\r\nextensions: {}\r\n".to_owned(),
            "a: 1".to_owned(),
        ],
        ConfigFormat::Yaml => vec!["name: mine\nschema: v1\nmcpServers:\n- name: other\n  command: x # why\n".to_owned()],
    }
}

fn place(sandbox: &Sandbox, agent: Agent) -> PathBuf {
    match agent.scope() {
        Scope::Project => sandbox.project().join(agent.file()),
        Scope::Person => sandbox.root().join("home").join(agent.file().trim_start_matches("~/")),
    }
}

fn put(path: &Path, text: &str) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

// @spec installation#uninstall-restores-every-byte
#[test]
fn init_and_uninstall_leave_no_byte_for_all_agents_at_once() {
    for round in 0..4 {
        let sandbox = on_a_known_machine();
        for agent in Agent::all() {
            // The last round begins with nothing.
            if let Some(text) = contents(agent).get(round) {
                put(&place(&sandbox, agent), text);
            }
        }
        let (project, home) = (tree(&sandbox.project()), tree(&sandbox.root().join("home")));
        sandbox.ok(&["init", "--yes", "--agents", "all", "--user"]);
        for agent in Agent::all() {
            let text = fs_err::read_to_string(place(&sandbox, agent)).unwrap();
            assert!(text.contains("hewto"), "{agent}: {text}");
        }
        let again = sandbox.ok(&["init", "--yes", "--agents", "all", "--user"]);
        assert!(again.contains("nothing was changed"), "{again}");
        let report = sandbox.json(&["doctor"]);
        for agent in Agent::all() {
            let findings = report["findings"].as_array().unwrap();
            let found = findings.iter().find(|finding| finding["check"] == agent.name());
            let message = found.unwrap_or_else(|| panic!("{agent}: {report}"))["message"].as_str().unwrap();
            assert!(message.starts_with("the server answers"), "{agent}: {message}");
        }
        sandbox.ok(&["uninstall", "--yes"]);
        assert_eq!(tree(&sandbox.project()), project, "round {round}");
        assert_eq!(tree(&sandbox.root().join("home")), home, "round {round}");
    }
}

#[test]
fn every_agent_with_a_trace_is_found_by_it() {
    for agent in Agent::all() {
        for trace in agent.traces() {
            let sandbox = Sandbox::empty();
            if trace.contains('.') && !trace.starts_with('.')
                || trace.ends_with(".json")
                || trace.ends_with("rules")
            {
                sandbox.write(trace, if trace.ends_with(".json") { "{}" } else { "" });
            } else {
                fs_err::create_dir_all(sandbox.project().join(trace)).unwrap();
            }
            let plan = sandbox.json(&["init", "--dry-run"]);
            let found: Vec<&str> =
                plan["agents"].as_array().unwrap().iter().map(|a| a["agent"].as_str().unwrap()).collect();
            assert!(found.contains(&agent.name()), "{trace}: {found:?}");
        }
    }
}

#[test]
fn a_file_of_the_person_is_written_for_those_who_ask_only() {
    let sandbox = Sandbox::empty();
    sandbox.write(".goosehints", "");
    let config = sandbox.root().join("home/.config/goose/config.yaml");
    let shown = sandbox.ok(&["init", "--yes"]);
    assert!(shown.contains("not written: ~/.config/goose/config.yaml"), "{shown}");
    assert!(!config.exists());
    sandbox.ok(&["init", "--yes", "--agents", "goose"]);
    let text = fs_err::read_to_string(&config).unwrap();
    assert!(text.contains(&format!("\"{}\"", sandbox.project().display())), "{text}");
    sandbox.ok(&["uninstall", "--yes"]);
    assert!(!sandbox.root().join("home/.config").exists(), "the folders that were made are gone");
}

#[test]
fn an_entry_of_the_person_for_another_workspace_is_left_to_it() {
    let sandbox = Sandbox::empty();
    for folder in ["one", "two"] {
        fs_err::create_dir(sandbox.project().join(folder)).unwrap();
    }
    sandbox.ok(&["init", "one", "--yes", "--agents", "windsurf"]);
    let before = tree(&sandbox.root().join("home"));
    let shown = sandbox.run(&["init", "two", "--yes", "--agents", "windsurf"]);
    assert!(shown.contains("it already has its own entry `hewto`") && shown.ends_with("[exit 1]"), "{shown}");
    let mut uninstall = sandbox.hewto(&["uninstall", "--yes"]);
    assert!(uninstall.current_dir(sandbox.project().join("two")).status().unwrap().success());
    assert_eq!(tree(&sandbox.root().join("home")), before);
}

#[test]
fn a_mistake_in_any_configuration_is_named_with_its_line_and_the_rest_goes_on() {
    let sandbox = on_a_known_machine();
    for agent in Agent::all() {
        let text = match agent.format() {
            ConfigFormat::Json => "{\n  \"a\": 1\n  \"b\": 2\n}\n",
            ConfigFormat::Toml => "a = 1\nb = \n",
            ConfigFormat::Yaml => "a: 1\nb: \"x\n",
        };
        put(&place(&sandbox, agent), text);
    }
    let before = tree(&sandbox.root().join("home"));
    let output = sandbox.output(&["init", "--yes", "--agents", "all", "--user", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let view: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for agent in Agent::all() {
        let lines = view["plan"].as_array().unwrap();
        let line = lines.iter().find(|line| line["file"] == agent.file()).unwrap();
        assert_eq!(line["action"], "left_alone", "{agent}");
        assert!(line["why"].as_str().unwrap().contains("line "), "{agent}: {line}");
    }
    assert!(sandbox.read("CLAUDE.md").contains("hewto:begin"));
    assert_eq!(tree(&sandbox.root().join("home")), before);
}

#[test]
fn skills_come_with_the_agent_and_stay_away_on_wish() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude,cursor,gemini"]);
    let skill = sandbox.read(".claude/skills/hewto-propose/SKILL.md");
    insta::assert_snapshot!(skill.replace(env!("CARGO_PKG_VERSION"), "[VERSION]"));
    assert!(sandbox.read(".cursor/commands/hewto-verify.md").contains("hewto proof"));
    assert!(sandbox.read(".gemini/commands/hewto/next.toml").contains("prompt = '''"));
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude", "--no-skills"]);
    assert!(!sandbox.project().join(".claude").exists());
    sandbox.ok(&["upgrade"]);
    assert!(!sandbox.project().join(".claude").exists(), "an upgrade does not bring what was not wanted");
}

#[test]
fn upgrade_renews_what_hewto_wrote_and_puts_the_rest_beside_it() {
    let sandbox = Sandbox::empty();
    sandbox.ok(&["init", "--yes", "--agents", "claude"]);
    assert!(sandbox.ok(&["upgrade"]).contains("up to date"));
    // As if an earlier version had written another text: file and manifest agree.
    let skill = ".claude/skills/hewto-plan/SKILL.md";
    let old = sandbox.read(skill).replace("hewto:skill ", "hewto:skill 0.0.1-");
    let manifest = sandbox.read(".hewto/manifest.json");
    let hash = |text: &str| hewto_store_hash(text);
    let manifest = manifest.replace(&hash(&sandbox.read(skill)), &hash(&old));
    sandbox.write(skill, &old);
    sandbox.write(".hewto/manifest.json", &manifest);
    // And these a person has edited.
    let edited = sandbox.read(".claude/skills/hewto-next/SKILL.md") + "\nMore of mine.\n";
    sandbox.write(".claude/skills/hewto-next/SKILL.md", &edited);
    let section = sandbox.read("CLAUDE.md").replace("Never edit", "Do not edit");
    sandbox.write("CLAUDE.md", &section);
    let dry = sandbox.output(&["upgrade", "--dry-run"]);
    assert_eq!(dry.status.code(), Some(3));
    let shown = sandbox.run(&["upgrade"]);
    assert!(shown.ends_with("[exit 3]"), "{shown}");
    assert!(!sandbox.read(skill).contains("0.0.1-"));
    assert_eq!(sandbox.read(".claude/skills/hewto-next/SKILL.md"), edited);
    assert!(!sandbox.read(".claude/skills/hewto-next/SKILL.md.new").contains("More of mine"));
    assert_eq!(sandbox.read("CLAUDE.md"), section);
    assert!(sandbox.read("CLAUDE.md.new").contains("Never edit"));
    let again = sandbox.run(&["upgrade"]);
    assert!(again.ends_with("[exit 3]"), "what was not settled is told of again: {again}");
    // What a person has made of it is theirs.
    sandbox.write("CLAUDE.md.new", "half merged\n");
    assert!(sandbox.run(&["upgrade"]).ends_with("[exit 3]"));
    assert_eq!(sandbox.read("CLAUDE.md.new"), "half merged\n");
    fs_err::remove_file(sandbox.project().join("CLAUDE.md.new")).unwrap();
    sandbox.run(&["uninstall", "--yes"]);
    assert!(!sandbox.project().join("CLAUDE.md.new").exists());
}

/// The hash under which the manifest knows a text.
fn hewto_store_hash(text: &str) -> String {
    hewto_engine::install::text_hash(text)
}

#[test]
fn what_was_offered_and_settled_is_not_offered_again() {
    let sandbox = Sandbox::empty();
    sandbox.write("CLAUDE.md", "# Mine\n");
    sandbox.ok(&["init", "--yes", "--agents", "claude-code"]);
    let skill = ".claude/skills/hewto-next/SKILL.md";
    let edited = sandbox.read(skill) + "More of mine.\n";
    sandbox.write(skill, &edited);
    assert!(sandbox.run(&["upgrade"]).ends_with("[exit 3]"));
    let offered = sandbox.project().join(format!("{skill}.new"));
    assert!(offered.exists());
    fs_err::remove_file(&offered).unwrap();
    for _ in 0..2 {
        sandbox.ok(&["upgrade"]);
        assert!(!offered.exists());
        assert_eq!(sandbox.read(skill), edited);
    }
}
