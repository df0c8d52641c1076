use super::*;
use crate::trust::{self, Request};
use crate::{MachineSecret, ProjectOptions};

/// A project whose root is a workspace with this configuration; what is trusted is kept beside it.
fn project(config: &str) -> (tempfile::TempDir, Project) {
    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap().join("root");
    fs_err::create_dir_all(root.join(".hewto")).unwrap();
    fs_err::write(root.join(".hewto/config.toml"), config).unwrap();
    fs_err::write(root.join("f.txt"), "hello").unwrap();
    let trust = Trust::in_state_dir(dir.path().join("state"));
    let machine = Machine { roots: vec![root], trust, ..Machine::default() };
    let start = PathBuf::from("/nowhere/at/all");
    (dir, Project::new(ProjectOptions { start, machine, ..ProjectOptions::default() }))
}

/// As `hewto trust` does it.
fn trust_it(project: &Project) {
    let ctx = Context::background();
    let workspace = workspace_at(&project.machine.roots[0]).unwrap();
    let request = Request::of(&workspace, &ctx).unwrap();
    trust::accept(&project.machine.trust, &request, &[], &ctx).unwrap();
}

fn settings_now(project: &Project) -> Settings {
    let ctx = Context::background();
    project.perform_trusted(&ctx, |station, _| Ok(station.settings().clone())).unwrap()
}

fn write(path: &str) -> files::Write {
    files::Write { path: path.to_owned(), content: "x".to_owned() }
}

#[test]
fn a_root_that_is_a_workspace_brings_its_settings_and_protects_them() {
    let (_dir, project) = project("[workstation.commands]\ngit = [[\"--version\"]]\n");
    let ctx = Context::background();
    // Nobody trusts them yet.
    assert!(settings_now(&project).commands.is_empty());
    trust_it(&project);
    assert_eq!(settings_now(&project).commands["git"], [["--version"]]);
    let refused =
        project.perform(&ctx, |station, call| files::write(station, call, &write(".hewto/config.toml")));
    assert_eq!(refused.unwrap_err().key.as_str(), "protected_path");
    project.perform(&ctx, |station, call| files::write(station, call, &write("g.txt"))).unwrap();
}

#[test]
fn nothing_runs_until_it_is_trusted_nor_after_it_has_changed() {
    let (dir, project) = project("[workstation.commands]\nsh = []\n");
    let ctx = Context::background();
    fs_err::write(dir.path().join("root/Makefile"), "test:\n\ttouch ran\n").unwrap();
    let build = ci::Build { path: ".".to_owned(), tool: None, timeout_s: None, max_chars: None };
    let run = ci::Run { command: "sh -c true".to_owned(), cwd: None, timeout_s: None, max_chars: None };
    let keys = || {
        let built =
            project.perform_trusted(&ctx, |station, call| ci::build(station, call, ci::Action::Test, &build));
        let ran = project.perform_trusted(&ctx, |station, call| ci::run(station, call, &run));
        [built.map(drop), ran.map(drop)].map(|result| result.map_err(|error| error.key.as_str()))
    };
    assert_eq!(keys(), [Err("not_trusted"), Err("not_trusted")]);
    trust_it(&project);
    // Trusted: what is missing now is only a `PATH`.
    assert_eq!(keys(), [Err("program_not_found"), Err("program_not_found")]);
    let config = dir.path().join("root/.hewto/config.toml");
    fs_err::write(&config, "[workstation.commands]\nsh = []\nls = []\n").unwrap();
    assert_eq!(keys(), [Err("not_trusted"), Err("not_trusted")]);
    let refusal = project
        .perform_trusted(&ctx, |station, call| ci::build(station, call, ci::Action::Test, &build))
        .unwrap_err();
    assert!(refusal.details["command"].as_str().unwrap().starts_with("hewto trust --workspace "));
    assert!(refusal.message.contains("has changed"), "{refusal}");
    // What cannot be read was not trusted either.
    fs_err::write(config, "[workstation").unwrap();
    assert_eq!(keys(), [Err("not_trusted"), Err("not_trusted")]);
}

#[test]
fn what_is_trusted_cannot_be_written_by_a_tool() {
    let dir = tempfile::tempdir().unwrap();
    let trust = Trust::in_state_dir(dir.path().join("state/hewto"));
    let machine = Machine { roots: vec![dir.path().to_owned()], trust, ..Machine::default() };
    let start = PathBuf::from("/nowhere/at/all");
    let project = Project::new(ProjectOptions { start, machine, ..ProjectOptions::default() });
    let ctx = Context::background();
    fs_err::create_dir_all(dir.path().join("state/hewto")).unwrap();
    for path in ["state/hewto/trust.json", "state/hewto/key", "state/hewto/more/key"] {
        let refused = project.perform(&ctx, |station, call| files::write(station, call, &write(path)));
        assert_eq!(refused.unwrap_err().key.as_str(), "protected_path", "{path}");
    }
    project.perform(&ctx, |station, call| files::write(station, call, &write("state/other"))).unwrap();
}

/// With the key of the machine anybody could seal approvals.
#[test]
fn what_vouches_for_people_cannot_be_read_by_a_tool_under_any_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap();
    let state = root.join("state/hewto");
    fs_err::create_dir_all(&state).unwrap();
    fs_err::write(state.join("machine.key"), "sealing-wax\n").unwrap();
    let for_its_owner = || std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs_err::set_permissions(state.join("machine.key"), for_its_owner()).unwrap();
    std::os::unix::fs::symlink("state/hewto/machine.key", root.join("link")).unwrap();
    std::os::unix::fs::symlink("state", root.join("folder")).unwrap();
    fs_err::hard_link(state.join("machine.key"), root.join("hard")).unwrap();
    fs_err::write(root.join("own"), "mine\n").unwrap();
    fs_err::set_permissions(root.join("own"), for_its_owner()).unwrap();
    let machine =
        Machine { roots: vec![root.clone()], trust: Trust::in_state_dir(&state), ..Machine::default() };
    let start = PathBuf::from("/nowhere/at/all");
    let project = Project::new(ProjectOptions { start, machine, ..ProjectOptions::default() });
    // Where the folder of the user cannot hold the key, it is in another.
    let spare = root.join("spare/hewto-1000");
    fs_err::create_dir_all(&spare).unwrap();
    fs_err::write(spare.join("machine.key"), "more sealing-wax\n").unwrap();
    fs_err::set_permissions(spare.join("machine.key"), for_its_owner()).unwrap();
    let ctx = Context::background().with_secret(MachineSecret::keeping_in([spare]));
    let read = |path: &str| {
        let request: files::Read = files::Read {
            path: path.to_owned(),
            lines: files::Lines::All,
            form: files::Form::Auto,
            line_numbers: false,
            max_chars: None,
        };
        project.perform(&ctx, |station, call| files::read(station, call, &request)).map_err(|error| error.key)
    };
    let copy = |source: &str| {
        let (source, destination) = (source.to_owned(), "copy".to_owned());
        let request = files::Copy { source, destination, recursive: true };
        project.perform(&ctx, |station, call| files::copy(station, call, &request)).map_err(|error| error.key)
    };
    let spare = "spare/hewto-1000/machine.key";
    for path in ["state/hewto/machine.key", "link", "hard", "folder/hewto/machine.key", spare] {
        assert_eq!(read(path).unwrap_err().as_str(), "protected_path", "{path}");
        assert_eq!(copy(path).unwrap_err().as_str(), "protected_path", "{path}");
    }
    for path in ["state/hewto", "state", "folder", "spare"] {
        assert_eq!(copy(path).unwrap_err().as_str(), "protected_path", "{path}");
    }
    assert!(read("own").is_ok() && copy("own").is_ok(), "other files of the owner are read");
}

#[test]
fn a_caller_in_a_hurry_is_told_how_long_to_wait() {
    // A limit that nobody has trusted may still be stricter than the usual one.
    let (_dir, project) = project("[workstation.rate]\nread = 0.001\n");
    let ctx = Context::background();
    project.open_workstation(&ctx).unwrap();
    project.admit(&ctx, ToolClass::Read).unwrap();
    project.admit(&ctx, ToolClass::Write).unwrap();
    let error = project.admit(&ctx, ToolClass::Read).unwrap_err();
    assert_eq!(error.key.as_str(), "rate_limited");
    let wait = error.details["retry_after_s"].as_f64().unwrap();
    assert!(wait > 500.0 && wait <= 1000.0, "{wait}");
}

#[test]
fn a_cancelled_caller_gets_nothing_done() {
    let (_dir, project) = project("");
    let ctx = Context::background();
    ctx.cancellation().cancel();
    let list = files::List {
        path: ".".to_owned(),
        order: files::ListOrder::Name,
        sizes: true,
        page: crate::PageRequest::default(),
    };
    let listed = project.perform(&ctx, |station, call| files::list(station, call, &list));
    assert_eq!(listed.unwrap_err().key.as_str(), "cancelled");
}

#[test]
fn for_settings_that_make_no_sense_the_defaults_hold() {
    let (_dir, project) = project("[workstation.rate]\nread = \"fast\"\n");
    let settings = settings_now(&project);
    assert!(settings.commands.is_empty());
    assert_eq!(settings.limits.run_time, Duration::from_mins(10));
}
