//! `review_comment`: says something about a piece of work, or settles what somebody said.

use hewto_engine::review::{self, Channel, NewComment, Reviewer};
use hewto_engine::view::CommentMade;
use hewto_engine::{Context, Result, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::options::Toolset;
use crate::table::{About, Effect, Repeat, Tool};

pub(crate) struct ReviewComment;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub(crate) struct Params {
    spec_id: String,
    #[serde(flatten)]
    new: NewComment,
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
        let Params { spec_id, new, reply_to, resolves } = params;
        let name = context.caller().principal.clone().unwrap_or_else(|| "agent".to_owned());
        let by = Reviewer { name, channel: Channel::Asserted };
        if let Some(comment) = resolves {
            review::resolve(workspace, context, &spec_id, &by, &comment, Some(&new.text))
        } else if let Some(comment) = reply_to {
            review::reply(workspace, context, &spec_id, &by, &comment, &new.text)
        } else {
            review::comment(workspace, context, &spec_id, &by, &new)
        }
    }
}
