use hewto_engine::init::{InitOptions, init};
use hewto_engine::{Context, LayoutKind, Start, Workspace};

use crate::support::Fixture;

#[test]
fn every_layout_makes_a_workspace_that_is_found_again() {
    for (layout, marker) in [
        (LayoutKind::Native, ".hewto/config.toml"),
        (LayoutKind::Airsspec, ".airsspec/config.toml"),
        (LayoutKind::Spox, ".spox/config.toml"),
        (LayoutKind::Specman, ".specman"),
        (LayoutKind::Openspec, "openspec"),
    ] {
        let f = Fixture::with_layout(layout);
        assert!(f.path(marker).exists(), "{marker}");
        assert!(f.ws.layout().has(layout));
        let report =
            hewto_engine::check::validate(&f.ws, &f.ctx, hewto_engine::check::Strictness::Strict).unwrap();
        assert!(report.valid, "{layout:?}: {:?}", report.issues);
    }
}

#[test]
fn a_second_init_says_so_and_changes_nothing() {
    let f = Fixture::new();
    let before = f.read(".hewto/config.toml");
    let options = InitOptions { name: Some("x".into()), ..InitOptions::new(LayoutKind::Airsspec) };
    std::fs::create_dir(f.path("sub")).unwrap();
    for folder in [f.root().to_owned(), f.path("sub")] {
        let view = init(&folder, &f.ctx, &options).unwrap();
        assert!(!view.created);
        assert_eq!(view.layout, "native");
    }
    assert_eq!(f.read(".hewto/config.toml"), before);
    assert!(!f.path(".airsspec").exists());
}

#[test]
fn names_are_quoted_and_limited() {
    let folder = tempfile::tempdir().unwrap();
    let ctx = Context::background();
    let options = |name: &str| InitOptions {
        name: Some(name.to_owned()),
        description: Some("Größe \"quoted\"".to_owned()),
        ..InitOptions::new(LayoutKind::Native)
    };
    assert_eq!(
        init(folder.path(), &ctx, &options(&"x".repeat(101))).unwrap_err().key.as_str(),
        "validation_failed"
    );
    init(folder.path(), &ctx, &options("my \"project\"")).unwrap();
    let ws = Workspace::discover(Start::Here(folder.path())).unwrap();
    let config = ws.config_text(&ctx).unwrap();
    assert!(config.contains("Größe"), "{config}");
    let report = hewto_engine::check::validate(&ws, &ctx, hewto_engine::check::Strictness::Strict).unwrap();
    assert!(report.valid, "{:?}", report.issues);
}

#[test]
fn a_folder_that_is_not_there_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a/b c");
    let options = InitOptions::new(LayoutKind::Native);
    let view = init(&deep, &Context::background(), &options).unwrap();
    assert!(view.created && deep.join(".hewto/config.toml").is_file());
}
