//! A git repository in a temporary folder, a interviews, and a clock that a test can move.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hewto_engine::decision::{
    AdrPreference, ClarifyRequest, Climb, Flow, Interviewer, Interviews, Repository, RepositoryScope, Where,
    clarify, read_architecture,
};
use hewto_engine::view::{ArchitectureView, ClarificationStatus, ClarificationView};
use hewto_engine::{Clock, Context, Error};
use serde_json::Value;

pub(crate) struct Repo {
    folder: tempfile::TempDir,
    pub(crate) interviews: Interviews,
    pub(crate) ctx: Context,
    seconds: Arc<AtomicI64>,
}

impl Repo {
    /// A repository that is no workspace.
    pub(crate) fn bare() -> Self {
        Self::with(&[(".git/HEAD", "ref: refs/heads/main\n")])
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        Self::asked_by(Interviewer::default(), files)
    }

    pub(crate) fn asked_by(interviewer: Interviewer, files: &[(&str, &str)]) -> Self {
        // 2025-01-08T14:35:12Z
        let seconds = Arc::new(AtomicI64::new(1_736_346_912));
        let hand = Arc::clone(&seconds);
        let clock = Clock::new(move || jiff::Timestamp::from_second(hand.load(Ordering::Relaxed)).unwrap());
        let repo = Self {
            folder: tempfile::tempdir().unwrap(),
            interviews: Interviews::new(interviewer),
            ctx: Context::background().with_clock(clock),
            seconds,
        };
        for (path, text) in files {
            repo.write(path, text);
        }
        repo
    }

    /// Moves the clock on.
    pub(crate) fn wait(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    /// Every file outside `.git`, sorted, with its text.
    pub(crate) fn tree(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut found);
        found.sort();
        found
    }

    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The text of the only record.
    pub(crate) fn adr(&self) -> String {
        let names = self.names("docs/adr");
        assert_eq!(names.len(), 1, "{names:?}");
        self.read(&format!("docs/adr/{}", names[0]))
    }

    pub(crate) fn place(&self) -> Where {
        Where {
            named: None,
            start: self.folder.path().to_owned(),
            climb: Climb::Up,
            reach: RepositoryScope::Anywhere,
            trust: hewto_engine::trust::Trust::nothing(),
            search_path: Vec::new(),
        }
    }

    pub(crate) fn repository(&self) -> Repository {
        Repository::find(&self.place()).unwrap()
    }

    pub(crate) fn request(&self, intention: &str) -> ClarifyRequest {
        ClarifyRequest {
            intention: intention.to_owned(),
            context: None,
            session_id: None,
            answers: serde_json::Map::new(),
            questions: Vec::new(),
            flow: Flow::Seed,
            preference: AdrPreference::ByRule,
            place: self.place(),
        }
    }

    pub(crate) fn call(&self, request: &ClarifyRequest) -> Result<ClarificationView, Error> {
        clarify(&self.interviews, &self.ctx, request)
    }

    pub(crate) fn start(&self, intention: &str) -> ClarificationView {
        self.call(&self.request(intention)).unwrap()
    }

    /// Goes on with a session.
    pub(crate) fn answer(&self, session: &str, answers: &Value) -> Result<ClarificationView, Error> {
        self.call(&ClarifyRequest {
            session_id: Some(session.to_owned()),
            answers: answers.as_object().unwrap().clone(),
            ..self.request("ignored")
        })
    }

    /// A whole clarification in one call.
    pub(crate) fn decide(&self, intention: &str, answers: &Value) -> ClarificationView {
        let request =
            ClarifyRequest { answers: answers.as_object().unwrap().clone(), ..self.request(intention) };
        let view = self.call(&request).unwrap();
        assert_eq!(view.status, ClarificationStatus::Completed, "{view:?}");
        view
    }

    pub(crate) fn architecture(&self) -> ArchitectureView {
        read_architecture(&self.repository(), &self.ctx).unwrap()
    }

    pub(crate) fn value(&self, category: &str, field: &str) -> Option<String> {
        self.architecture().architecture.categories.get(category)?.get(field).cloned()
    }
}

pub(crate) fn ids(view: &ClarificationView) -> Vec<&str> {
    view.questions.as_ref().expect("questions").iter().map(|question| question.asked.id.as_str()).collect()
}

pub(crate) fn session(view: &ClarificationView) -> String {
    view.session_id.clone().expect("a session")
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".git") {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            found.push((name, std::fs::read_to_string(path).unwrap()));
        }
    }
}
