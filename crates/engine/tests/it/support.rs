//! A workspace in a temporary folder, with a clock that stands still.

use std::path::{Path, PathBuf};

use hewto_engine::build::{self, Approval};
use hewto_engine::init::{InitOptions, init};
use hewto_engine::plan::{self, NewPlan, StepInput};
use hewto_engine::spec::{self, DependencyInput, NewSpec};
use hewto_engine::{Clock, Context, DependencyKind, LayoutKind, Start, Workspace};

pub(crate) struct Fixture {
    pub(crate) ws: Workspace,
    pub(crate) ctx: Context,
    folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with_layout(LayoutKind::Native)
    }

    pub(crate) fn with_layout(layout: LayoutKind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = "2026-01-24T10:00:00Z".parse().unwrap();
        let ctx = Context::background().with_clock(Clock::fixed(now));
        init(folder.path(), &ctx, &InitOptions::new(layout)).unwrap();
        let ws = Workspace::discover(Start::Here(folder.path())).unwrap();
        Self { ws, ctx, folder }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    pub(crate) fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A new spec with this title; its id.
    pub(crate) fn spec(&self, title: &str) -> String {
        self.spec_with(title, &[])
    }

    pub(crate) fn spec_with(&self, title: &str, dependencies: &[(&str, DependencyKind)]) -> String {
        let new = NewSpec {
            title: title.to_owned(),
            description: "Because it is needed".to_owned(),
            dependencies: dependencies
                .iter()
                .map(|(id, kind)| DependencyInput { spec_id: (*id).to_owned(), kind: *kind })
                .collect(),
            ..NewSpec::default()
        };
        spec::create(&self.ws, &self.ctx, &new).unwrap().spec_id
    }

    /// A plan with these steps for a spec.
    pub(crate) fn plan(&self, id: &str, titles: &[&str]) {
        let new = NewPlan { approach: "Step by step".to_owned(), steps: steps(titles) };
        plan::create(&self.ws, &self.ctx, id, &new).unwrap();
    }

    /// A spec that is being built.
    pub(crate) fn building(&self, title: &str) -> String {
        let id = self.spec(title);
        self.plan(&id, &["One", "Two", "Three"]);
        build::start(&self.ws, &self.ctx, &id, Approval::Given).unwrap();
        id
    }
}

pub(crate) fn steps(titles: &[&str]) -> Vec<StepInput> {
    titles
        .iter()
        .map(|title| StepInput {
            title: (*title).to_owned(),
            description: format!("Do {title}"),
            complexity: None,
        })
        .collect()
}
