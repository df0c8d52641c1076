//! `review_comment`: says something about a piece of work, or settles what somebody said.

use hewto_engine::review::{self, Anchor, Channel, NewComment, Reviewer};
use hewto_engine::view::CommentMade;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ReviewComment;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {
    spec_id: String,
    text: String,
    capability: Option<String>,
    requirement: Option<String>,
    scenario: Option<String>,
    /// Title
    step: Option<String>,
    /// Words it is about
    quote: Option<String>,
    /// Id of the comment that this answers
    reply_to: Option<String>,
    /// Id of the comment that this settles
    resolves: Option<String>,
}

impl Tool for ReviewComment {
    const ABOUT: About = About {
        name: "review_comment",
        title: "Comment on a spec or change",
        description: "Comment on a spec or change:ID, or on one requirement, scenario or step with a quotation; or answer a comment (`reply_to`), or settle it (`resolves`). It approves nothing.",
        toolset: Toolset::Review,
        effect: Effect::Adds,
        repeat: Repeat::Matters,
        aliases: &[],
    };
    type Params = Params;
    type View = CommentMade;

    fn run(workspace: &Workspace, context: &Context, params: Params) -> Result<CommentMade> {
        let Params { spec_id, text, capability, requirement, scenario, step, quote, reply_to, resolves } =
            params;
        let name = context.caller().principal.clone().unwrap_or_else(|| "agent".to_owned());
        let by = Reviewer { name, channel: Channel::Asserted };
        if let Some(comment) = resolves {
            review::resolve(workspace, context, &spec_id, &by, &comment, Some(&text))
        } else if let Some(comment) = reply_to {
            review::reply(workspace, context, &spec_id, &by, &comment, &text)
        } else {
            let anchor = Anchor { capability, requirement, scenario, step, quote };
            review::comment(workspace, context, &spec_id, &by, &NewComment { text, anchor })
        }
    }
}
