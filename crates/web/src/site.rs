//! A workspace as the pages see it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hewto_call::{Feed, Lane, Operation, Pipeline, Silent, Topic};
use hewto_engine::dashboard::{self, Region, WorkWatch};
use hewto_engine::decision::Repository;
use hewto_engine::overview::BoardQuery;
use hewto_engine::view::BoardView;
use hewto_engine::{Caller, Channel, Context, Project, Result, Sees, Workspace, proof};
use hewto_http::{Principal, Scope};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::code_watch::CodeWatch;
use crate::health::Health;
use crate::session::Session;

/// The name in addresses of a workspace that nobody gave one.
const UNNAMED: &str = "default";

/// A workspace that is shown under a name.
#[derive(Debug)]
pub struct Site {
    pub(crate) name: String,
    called: OnceLock<Option<String>>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) feed: Arc<Feed>,
    base_context: Context,
    pub(crate) health: Arc<Health>,
    pub(crate) board: Arc<KeptBoard>,
    pub(crate) proof: Arc<proof::KeptProof>,
    code: Arc<CodeWatch>,
    pub(crate) work: Arc<WorkWatch>,
}

/// What a board was made of: marks of the documents and of the people, and which part of it was wanted.
type MadeOf = (u64, u64, BoardQuery);

/// The last board, for as long as it would be the same.
#[derive(Debug, Default)]
pub(crate) struct KeptBoard(Mutex<Option<(MadeOf, BoardView)>>);

impl KeptBoard {
    pub(crate) fn get_or(&self, of: MadeOf, make: impl FnOnce() -> Result<BoardView>) -> Result<BoardView> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((made_of, view)) = kept
            && made_of == of
        {
            return Ok(view);
        }
        let view = make()?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((of, view.clone()));
        Ok(view)
    }
}

impl Site {
    /// `base_context` brings clock, chance and the machine's key.
    pub fn new(
        name: impl Into<String>,
        pipeline: Arc<Pipeline>,
        feed: Arc<Feed>,
        base_context: Context,
    ) -> Self {
        let (health, board, proof) = (Arc::default(), Arc::default(), Arc::default());
        let (code, work) = (Arc::default(), Arc::default());
        let (name, called) = (name.into(), OnceLock::new());
        Self { name, called, pipeline, feed, base_context, health, board, proof, code, work }
    }

    /// What the pages call a workspace that nobody gave a name.
    pub(crate) fn called(&self) -> Option<&str> {
        let name = || {
            let workspace = self.pipeline.project().workspace().ok().filter(|_| self.name == UNNAMED)?;
            Some(workspace.project_name(&self.base_context)).filter(|name| !name.is_empty())
        };
        self.called.get_or_init(name).as_deref()
    }

    /// The context of one request.
    pub(crate) fn context(&self, session: &Session, operation: &str) -> Context {
        self.base_context.clone().with_caller(Caller {
            session_id: session.id.clone(),
            principal: Some(session.principal.name.clone()),
            channel: Channel::Web,
            protocol_version: None,
            operation_id: self.base_context.uuid().to_string(),
            operation: operation.to_owned(),
            traceparent: None,
            sees: sees(&session.principal),
        })
    }

    pub(crate) fn base_context(&self) -> &Context {
        &self.base_context
    }

    /// Reads something for a page. What only reads is not in the operation log.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        context: Context,
        work: impl FnOnce(&Project, &Workspace, &Context) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let project = Arc::clone(self.pipeline.project());
        let work = move |context: &Context| work(&project, project.workspace()?, context);
        self.pipeline.pool().run(Lane::Read, context, &CancellationToken::new(), &mut Silent, work).await
    }

    /// Changes something, and notes it in the operation log.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        context: Context,
        inputs: Value,
        work: impl FnOnce(&Project, &Workspace, &Context) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let project = Arc::clone(self.pipeline.project());
        let work = move |context: &Context| work(&project, project.workspace()?, context);
        let cancelled = CancellationToken::new();
        let done = self.pipeline.run(Operation::write(inputs), &context, &cancelled, &mut Silent, work).await;
        // Whoever looks at the log next finds it there.
        self.pipeline.audit().flush().await;
        done
    }

    /// What an open page may want to hear of; `with_code` where it shows how promises are kept.
    pub(crate) fn topics(&self, with_code: bool) -> Vec<Topic> {
        let of_documents = Region::ALL.map(|region| {
            let work = Arc::clone(&self.work);
            let mark = move |project: &Project, context: &Context| {
                let workspace = project.workspace().ok()?;
                if region == Region::Work {
                    return work.mark(workspace, context).ok();
                }
                let repository = project.repository(None).ok();
                dashboard::mark(workspace, repository.as_ref(), context, region).ok()
            };
            // Plans, reviews and claims stand beside what the snapshot of the specs knows.
            Topic { name: topic(region.as_str()), of_specs: false, mark: Arc::new(mark) }
        });
        let health = Arc::clone(&self.health);
        let of_health = Topic {
            name: topic("health"),
            of_specs: false,
            mark: Arc::new(move |_: &Project, _: &Context| Some(health.generation())),
        };
        let code = Arc::clone(&self.code);
        let of_code = with_code.then(|| Topic {
            name: topic("code"),
            of_specs: false,
            mark: Arc::new(move |project: &Project, context: &Context| {
                code.mark(|| proof::code_mark(project.workspace().ok()?, context).ok())
            }),
        });
        of_documents.into_iter().chain([of_health]).chain(of_code).collect()
    }
}

/// The name of a region in the feed, where no resource is called so.
fn topic(region: &str) -> Arc<str> {
    format!("page:{region}").into()
}

/// The region of a topic.
pub(crate) fn region_of(topic: &str) -> &str {
    topic.strip_prefix("page:").unwrap_or(topic)
}

/// Whose operations somebody sees.
fn sees(principal: &Principal) -> Sees {
    if principal.may(Scope::Admin) { Sees::Everything } else { Sees::Own }
}

/// Where decisions are kept.
pub(crate) fn repository(project: &Project) -> Result<Repository> {
    project.repository(None)
}
