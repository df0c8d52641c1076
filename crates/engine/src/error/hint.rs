//! What to do next, in words that each face makes its own.
//!
//! A hint is text with actions in it. The MCP server puts the name of a tool in an action's place, if this client was
//! shown one that does it; the command line puts a command there; anybody else reads it in plain words.

use std::fmt;

/// Something that can be done about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    AnswerClarification,
    BuildIndex,
    CompleteBuild { item: String },
    CompleteStep { item: String },
    CreateChange,
    CreatePlan { item: String },
    DescribeArtifact,
    DropClarification,
    Init,
    ListArtifacts,
    ListChanges,
    ListDecisions,
    ListRequirements { spec: String },
    ListSpecs,
    ListTemplates,
    PatchArtifact,
    RebaseChange { change: String },
    ShowChange { change: String },
    ShowPlan { item: String },
    StartBuild { item: String },
    StartClarification,
    TransitionSpec { item: String },
    UpdateBuild { item: String },
    UpdatePlan { item: String },
    UpdateSpec { item: String },
    Validate,
    ValidateAndFix,
}

impl Action {
    /// What to do, for whoever has neither tools nor commands.
    pub fn words(&self) -> String {
        match self {
            Self::AnswerClarification => "answer the open questions".to_owned(),
            Self::BuildIndex => "build the search index".to_owned(),
            Self::CompleteBuild { item } => format!("complete the build of `{item}`"),
            Self::CompleteStep { item } => format!("tick the step of `{item}`"),
            Self::CreateChange => "propose a change".to_owned(),
            Self::CreatePlan { item } => format!("create a plan for `{item}`"),
            Self::DescribeArtifact => "look at the artifact".to_owned(),
            Self::DropClarification => "drop the open questions".to_owned(),
            Self::Init => "make the folder a workspace".to_owned(),
            Self::ListArtifacts => "list the artifacts".to_owned(),
            Self::ListChanges => "list the changes".to_owned(),
            Self::ListDecisions => "list the decisions".to_owned(),
            Self::ListRequirements { spec } => format!("list the requirements of `{spec}`"),
            Self::ListSpecs => "list the specs".to_owned(),
            Self::ListTemplates => "list the templates".to_owned(),
            Self::PatchArtifact => "change the artifact that is there".to_owned(),
            Self::RebaseChange { change } => format!("rebase `{change}` on the specs as they stand now"),
            Self::ShowChange { change } => format!("look at the change `{change}`"),
            Self::ShowPlan { item } => format!("look at the plan of `{item}`"),
            Self::StartBuild { item } => format!("start the build of `{item}`"),
            Self::StartClarification => "begin a clarification".to_owned(),
            Self::TransitionSpec { item } => format!("move `{item}` to another state"),
            Self::UpdateBuild { item } => format!("report on the build of `{item}`"),
            Self::UpdatePlan { item } => format!("change the plan of `{item}`"),
            Self::UpdateSpec { item } => format!("change the spec `{item}`"),
            Self::Validate => "validate the workspace".to_owned(),
            Self::ValidateAndFix => "validate the workspace and let it mend what it can".to_owned(),
        }
    }

    /// The action as the beginning of a hint: `Action::ListSpecs.to("see the ids")`.
    pub fn to(self, purpose: &str) -> Hint {
        Hint::from(self).text(format!(" to {purpose}"))
    }
}

/// What to do next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Action(Action),
}

impl Hint {
    /// Goes on with text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Goes on with something to do.
    #[must_use]
    pub fn action(mut self, action: Action) -> Self {
        self.parts.push(Part::Action(action));
        self
    }

    /// The whole hint, with each action in the words that `name` finds for it, else in plain ones.
    pub fn render(&self, mut name: impl FnMut(&Action) -> Option<String>) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Action(action) => name(action).unwrap_or_else(|| action.words()),
            })
            .collect()
    }
}

impl fmt::Display for Hint {
    /// In plain words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|_| None))
    }
}

impl From<Action> for Hint {
    fn from(action: Action) -> Self {
        Self::default().action(action)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::default().text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<&String> for Hint {
    fn from(text: &String) -> Self {
        Self::default().text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_names_an_action_in_its_own_way() {
        let hint = Action::ListSpecs.to("see the ids");
        assert_eq!(hint.to_string(), "list the specs to see the ids");
        let tool = |_: &Action| Some("call `spec_list`".to_owned());
        assert_eq!(hint.render(tool), "call `spec_list` to see the ids");
        assert_eq!(Hint::from("wait").render(tool), "wait");
    }
}
