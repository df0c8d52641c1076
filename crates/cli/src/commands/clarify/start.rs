//! `hewto clarify INTENTION`, `hewto clarify start` and `hewto clarify resume`.

use hewto_engine::decision::{
    self, AdrPreference, ClarifyRequest, Climb, Flow, ModelWish, OnFailure, Repository, RepositoryScope,
    Where,
};
use serde_json::{Map, json};

use super::Conversation;
use super::dialog::Dialog;
use crate::act;
use crate::env;
use crate::failure::Outcome;
use crate::ui::{Format, Ui};

/// Start with an intention
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What you want, in your own words
    pub(super) intention: String,
    #[command(flatten)]
    pub(super) how: How,
}

/// Continue where you left off, or start again with the last intention
#[derive(Debug, clap::Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    how: How,
}

/// How to ask, and who.
#[derive(Debug, Default, PartialEq, Eq, clap::Args)]
pub(super) struct How {
    /// Print the questions instead of asking them (as --json does)
    #[arg(long)]
    non_interactive: bool,
    /// Let a model ask, though the environment names none
    #[arg(long)]
    llm: bool,
    /// Fail when the model fails, instead of asking the built-in questions
    #[arg(long)]
    llm_strict: bool,
    /// Let this provider's model ask: anthropic, openai, openrouter or local
    #[arg(long, value_name = "NAME")]
    llm_provider: Option<String>,
    /// Keep what the model is sent in debug/last_llm_prompt.md beside the interview
    #[arg(long)]
    debug_llm: bool,
}

impl How {
    fn wish(&self) -> ModelWish {
        ModelWish {
            wanted: self.llm || self.llm_strict || self.llm_provider.is_some(),
            provider: self.llm_provider.clone(),
            on_failure: if self.llm_strict { OnFailure::Fail } else { OnFailure::FallBack },
            keeps_prompts: self.debug_llm,
        }
    }

    fn dialog(&self, ui: &Ui) -> Option<Dialog> {
        let prints = self.non_interactive || ui.format() == Format::Json;
        (!prints).then(Dialog::begin)
    }
}

pub(super) fn run(ui: &mut Ui, repository: &Repository, args: Args) -> Outcome {
    let request = request(repository, args.intention);
    let inputs = json!({ "intention": request.intention });
    let turn = act::in_repository(repository, "clarify start", inputs, |ctx| {
        decision::start(repository, ctx, &env::interviewer, &args.how.wish(), &request)
    })?;
    Conversation { repository, dialog: args.how.dialog(ui) }.go_on(ui, turn)
}

pub(super) fn resume(ui: &mut Ui, repository: &Repository, args: &ResumeArgs) -> Outcome {
    let request = request(repository, String::new());
    let turn = act::in_repository(repository, "clarify resume", json!({}), |ctx| {
        decision::resume(repository, ctx, &env::interviewer, &args.how.wish(), &request)
    })?;
    Conversation { repository, dialog: args.how.dialog(ui) }.go_on(ui, turn)
}

fn request(repository: &Repository, intention: String) -> ClarifyRequest {
    ClarifyRequest {
        intention,
        context: None,
        session_id: None,
        answers: Map::new(),
        questions: Vec::new(),
        flow: Flow::Person,
        preference: AdrPreference::ByRule,
        place: Where {
            named: None,
            start: repository.root().to_owned(),
            climb: Climb::Never,
            reach: RepositoryScope::Anywhere,
            trust: env::trust(),
            search_path: env::search_path(),
        },
    }
}
