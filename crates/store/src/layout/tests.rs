use super::*;

fn workspace(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        write(dir.path(), file, "");
    }
    dir
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    if file.ends_with('/') {
        fs_err::create_dir_all(path).unwrap();
    } else {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }
}

fn roots(layout: &Layout) -> Vec<&str> {
    layout.spec_roots().iter().map(|root| root.path.as_str()).collect()
}

fn id(text: &str) -> SpecId {
    SpecId::parse(text).unwrap()
}

#[test]
fn the_nearest_marker_above_the_start_is_the_root() {
    let dir = workspace(&[".hewto/config.toml", "a/openspec/", "a/b/c/"]);
    for (start, root) in [("", ""), ("a/b/c", "a"), ("a", "a")] {
        let layout = discover(Start::Here(&dir.path().join(start))).unwrap();
        assert_eq!(layout.root(), fs_err::canonicalize(dir.path().join(root)).unwrap(), "{start}");
    }
}

#[test]
fn a_marker_folder_without_its_configuration_is_no_workspace() {
    let dir = workspace(&[".airsspec/specs/", ".hewto/journal/", ".spox/", "openspec/package.json"]);
    assert!(matches!(discover(Start::Here(dir.path())), Err(DiscoverError::NotFound { .. })));
    let named = Start::Override { path: dir.path(), by: "--workspace" };
    assert!(matches!(discover(named), Err(DiscoverError::OverrideIsNone { .. })));
    let missing = dir.path().join("nowhere");
    assert!(matches!(discover(Start::Here(&missing)), Err(DiscoverError::Start { .. })));
}

#[test]
fn each_marker_selects_its_own_paths() {
    for (marker, specs, changes, logs, operations) in [
        (".hewto/config.toml", "specs", "changes", ".hewto/logs", ".hewto/logs/operations.jsonl"),
        (
            ".airsspec/config.toml",
            ".airsspec/specs",
            "changes",
            ".airsspec/logs",
            ".hewto/logs/operations.jsonl",
        ),
        (".spox/config.toml", "specs", "specs/_changes", ".hewto/logs", ".hewto/logs/operations.jsonl"),
        (".specman/", "spec", "changes", ".hewto/logs", ".specman/logs/specman-mcp.jsonl"),
        ("openspec/", "openspec/specs", "openspec/changes", ".hewto/logs", ".hewto/logs/operations.jsonl"),
    ] {
        let dir = workspace(&[marker]);
        let layout = discover(Start::Here(dir.path())).unwrap();
        assert_eq!(roots(&layout), [specs], "{marker}");
        assert_eq!(layout.change_roots()[0].changes.as_str(), changes, "{marker}");
        assert_eq!(layout.places().wire_logs.as_str(), logs, "{marker}");
        assert_eq!(layout.places().operation_log.as_str(), operations, "{marker}");
        assert_eq!(layout.places().lock.as_str(), ".hewto/lock", "{marker}");
    }
}

#[test]
fn several_markers_share_one_root_per_real_folder() {
    let dir = workspace(&[".hewto/config.toml", ".spox/config.toml", ".airsspec/config.toml", "specs/"]);
    std::os::unix::fs::symlink("../specs", dir.path().join(".airsspec/specs")).unwrap();
    let layout = discover(Start::Here(dir.path())).unwrap();
    assert_eq!(roots(&layout), ["specs"]);
    let root = &layout.spec_roots()[0];
    assert_eq!(root.owners, [LayoutKind::Native, LayoutKind::Airsspec, LayoutKind::Spox]);
    assert_eq!(root.nesting(), Nesting::Deep);
    assert!(root.folder(&id("_changes/x")).is_none());
    assert!(layout.findings().is_empty());
}

#[test]
fn each_toolset_creates_in_its_own_root() {
    let dir = workspace(&[".hewto/config.toml", ".airsspec/config.toml", "openspec/"]);
    let layout = discover(Start::Here(dir.path())).unwrap();
    for (kind, home) in [
        (LayoutKind::Airsspec, ".airsspec/specs"),
        (LayoutKind::Openspec, "openspec/specs"),
        (LayoutKind::Spox, "specs"),
    ] {
        assert_eq!(layout.spec_home(kind).path.as_str(), home, "{kind}");
    }
}

#[test]
fn the_paths_of_a_spox_configuration_are_used() {
    let dir = workspace(&[]);
    write(
        dir.path(),
        ".spox/config.toml",
        "[paths]\nspec_folder = \"docs/specs/\"\nchanges_folder = \"docs/specs/wip\"\narchive_folder = \"old\"\n",
    );
    let layout = discover(Start::Here(dir.path())).unwrap();
    assert_eq!(roots(&layout), ["docs/specs"]);
    let changes = &layout.change_roots()[0];
    assert_eq!((changes.changes.as_str(), changes.archive.as_str()), ("docs/specs/wip", "old"));
    assert!(layout.spec_roots()[0].folder(&id("wip")).is_none());
    assert!(layout.spec_roots()[0].folder(&id("auth")).is_some());
}

#[test]
fn a_spox_configuration_that_is_huge_or_elsewhere_is_a_finding_and_not_read() {
    let outside = workspace(&[]);
    write(outside.path(), "config.toml", "[paths]\nspec_folder = \"theirs\"\n");
    for huge in [true, false] {
        let dir = workspace(&[".spox/"]);
        let config = dir.path().join(".spox/config.toml");
        if huge {
            std::fs::File::create(&config).unwrap().set_len(1 << 40).unwrap();
        } else {
            std::os::unix::fs::symlink(outside.path().join("config.toml"), &config).unwrap();
        }
        let layout = discover(Start::Here(dir.path())).unwrap();
        assert_eq!(roots(&layout), ["specs"], "huge: {huge}");
        assert!(layout.findings()[0].message.contains("cannot read the configuration"), "huge: {huge}");
    }
}

#[test]
fn a_bad_spox_configuration_is_a_finding_and_the_defaults_hold() {
    for text in ["[paths", "[paths]\nspec_folder = \"../out\"", "[paths]\nspec_folder = 3"] {
        let dir = workspace(&[]);
        write(dir.path(), ".spox/config.toml", text);
        let layout = discover(Start::Here(dir.path())).unwrap();
        assert_eq!(roots(&layout), ["specs"], "{text}");
        assert_eq!(layout.findings()[0].code, "config-invalid", "{text}");
    }
}

#[test]
fn a_spec_root_that_leads_out_of_the_workspace_is_a_finding() {
    let outside = workspace(&["specs/"]);
    let dir = workspace(&[".hewto/config.toml"]);
    std::os::unix::fs::symlink(outside.path().join("specs"), dir.path().join("specs")).unwrap();
    let layout = discover(Start::Here(dir.path())).unwrap();
    assert_eq!(layout.findings()[0].file, "specs");
}

#[test]
fn ids_live_only_where_their_root_admits_them() {
    let dir = workspace(&[".airsspec/config.toml", "openspec/"]);
    let layout = discover(Start::Here(dir.path())).unwrap();
    let folders = |text: &str| -> Vec<String> {
        layout.spec_folders(&id(text)).map(|(_, folder)| folder.to_string()).collect()
    };
    assert_eq!(folders("a"), [".airsspec/specs/a", "openspec/specs/a"]);
    assert_eq!(folders("a/b"), ["openspec/specs/a/b"]);
    assert_eq!(folders("_a"), ["openspec/specs/_a"]);
    assert!(folders(".git/a").is_empty());
}

#[test]
fn every_kind_of_workspace_is_found_again_after_it_was_planned() {
    for kind in LayoutKind::ALL {
        let dir = workspace(&[]);
        let root = fs_err::canonicalize(dir.path()).unwrap();
        let plan = plan_init(&root, kind, "My \"Project\"", "line one\nline two");
        for folder in &plan.folders {
            fs_err::create_dir_all(folder.under(&root)).unwrap();
        }
        for (path, text) in &plan.files {
            write(&root, path.as_str(), text);
        }
        let layout = discover(Start::Here(&root)).unwrap();
        assert_eq!(layout.kinds(), [kind]);
        assert_eq!(layout.spec_roots(), plan.layout.spec_roots());
        assert!(layout.findings().is_empty());
        if matches!(kind, LayoutKind::Native | LayoutKind::Airsspec) {
            let text = fs_err::read_to_string(layout.places().config.under(&root)).unwrap();
            let (config, _) = hewto_core::config::Config::read(&text, hewto_core::config::ConfigOwner::Hewto);
            assert_eq!(config.name.as_deref(), Some("My \"Project\""));
            assert_eq!(config.description.as_deref(), Some("line one\nline two"));
        }
    }
}
