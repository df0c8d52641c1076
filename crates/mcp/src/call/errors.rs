//! Errors as clients of the protocol read them: with the seeds' numbers, and hints that name tools under the names that
//! this client was shown.

use hewto_engine::{Action, Error, Key};
use serde_json::Value;

use crate::options::Toolset;
use crate::table::Table;

/// The number that a seed gives an error, where it gives one. Numbers repeat; the key is what to act on.
pub fn seed_code(key: Key) -> Option<i32> {
    Some(match key {
        Key::WorkspaceNotFound => -32000,
        Key::SpecNotFound | Key::ChangeNotFound => -32001,
        Key::PlanNotFound => -32002,
        Key::InvalidTransition | Key::NotBuilt | Key::SpecArchived => -32003,
        Key::DependencyNotSatisfied => -32004,
        Key::ArchiveRefused
        | Key::ArchiveTargetExists
        | Key::Conflict
        | Key::DocumentInvalid
        | Key::DocumentUnreadable
        | Key::StateInvalid
        | Key::TasksOpen
        | Key::ApprovalPending
        | Key::ApprovalStale
        | Key::StepsOpen
        | Key::ValidationFailed => -32005,
        Key::InvalidParams => -32602,
        Key::InternalError | Key::IoError => -32603,
        _ => return None,
    })
}

/// The same among the tools of one seed: the plans of seed 002 are not those of seed 000, and seed 001 numbers a
/// timeout.
fn code_in(toolset: Toolset, key: Key) -> Option<i32> {
    match (toolset, key) {
        (Toolset::Graph, Key::PlanNotFound | Key::DocumentInvalid) | (Toolset::Workstation, Key::IoError) => {
            None
        }
        (Toolset::Workstation, Key::Timeout) => Some(-32000),
        _ => seed_code(key),
    }
}

impl Table {
    /// The error as a tool of this toolset answers with it.
    pub(crate) fn error_object(&self, toolset: Toolset, error: &Error) -> Value {
        error.to_object(code_in(toolset, error.key), self.hint(error))
    }

    /// The same for what is no tool.
    pub(crate) fn plain_error_object(&self, error: &Error) -> Value {
        error.to_object(seed_code(error.key), self.hint(error))
    }

    /// What to do next, in the names of the tools that are offered.
    pub(crate) fn hint(&self, error: &Error) -> Option<String> {
        let text = error.hint.as_ref()?.render(|action| self.call_for(action));
        Some(self.as_shown(&text))
    }

    /// How this client does something; nothing where no tool for it is offered.
    fn call_for(&self, action: &Action) -> Option<String> {
        if matches!(action, Action::BuildIndex) {
            // No tool does this; a person can.
            return Some("run `hewto index build`".to_owned());
        }
        let (tools, with) = tools_for(action);
        let tool = tools.iter().find_map(|name| self.find(name))?.def.name();
        Some(if with.is_empty() { format!("call `{tool}`") } else { format!("call `{tool}` with {with}") })
    }

    /// Text with the names of tools as this client knows them.
    fn as_shown(&self, text: &str) -> String {
        let parts = text.split('`').enumerate().map(|(at, part)| match self.find(part) {
            Some(entry) if at % 2 == 1 => entry.def.name(),
            _ => part,
        });
        parts.collect::<Vec<_>>().join("`")
    }
}

/// The tools that do something, the likeliest first, and what such a call has to say.
fn tools_for(action: &Action) -> (&'static [&'static str], String) {
    let plain: &'static [&'static str] = match action {
        Action::AnswerClarification | Action::StartClarification => &["require_clarification"],
        Action::CompleteBuild { .. } => &["build_complete"],
        Action::CompleteStep { .. } => &["plan_step_complete"],
        Action::CreateChange => &["change_create"],
        Action::CreatePlan { .. } => &["plan_create"],
        Action::DescribeArtifact => &["specman_metadata_describe"],
        Action::ListArtifacts => &["specman_workspace_list_artifacts"],
        Action::ListChanges => &["list_changes"],
        Action::ListRequirements { .. } => &["get_spec_requirements"],
        Action::ListSpecs => &["spec_list", "list_specs"],
        Action::ListTemplates => &["specman_templates_catalog"],
        Action::PatchArtifact => &["specman_metadata_patch"],
        Action::RebaseChange { .. } => {
            return (&["change_archive"], "`rebase: true`".to_owned());
        }
        Action::ShowChange { .. } => &["get_change"],
        Action::ShowPlan { .. } => &["plan_show", "spec_status"],
        Action::StartBuild { .. } => {
            return (&["build_start"], "`plan_approved: true`".to_owned());
        }
        Action::TransitionSpec { .. } => &["spec_transition"],
        Action::UpdateBuild { .. } => &["build_update"],
        Action::UpdatePlan { .. } => &["plan_update"],
        Action::UpdateSpec { .. } => &["spec_update"],
        Action::Validate => &["validate_spec"],
        Action::BuildIndex
        | Action::DropClarification
        | Action::Init
        | Action::ListDecisions
        | Action::ValidateAndFix => return (&[], String::new()),
    };
    (plain, String::new())
}

#[cfg(test)]
mod tests {
    use hewto_engine::{Hint, Kind};

    use super::*;
    use crate::options::{Profile, ServerOptions};

    fn hint(options: &ServerOptions, hint: impl Into<Hint>) -> String {
        let error = Error::new(Kind::Refused, Key::SpecNotFound, "x").hint(hint);
        Table::choose(options).unwrap().hint(&error).unwrap()
    }

    #[test]
    fn a_hint_names_the_tool_that_this_client_was_shown() {
        let see = || Action::ListSpecs.to("see the ids");
        assert_eq!(hint(&ServerOptions::default(), see()), "call `spec_list` to see the ids");
        let spox = ServerOptions { profile: Some(Profile::Spox), ..ServerOptions::default() };
        assert_eq!(hint(&spox, see()), "call `list_specs` to see the ids");
        let specman = ServerOptions { profile: Some(Profile::Specman), ..ServerOptions::default() };
        let described = hint(&specman, Action::DescribeArtifact);
        assert_eq!(described, "call `specman.core.metadata.describe`");
    }

    #[test]
    fn a_tool_that_is_not_offered_is_not_named() {
        let only = ServerOptions { tools: Some(vec!["spec_status".to_owned()]), ..ServerOptions::default() };
        assert_eq!(hint(&only, Action::ListSpecs.to("see the ids")), "list the specs to see the ids");
        let plan = Action::CreatePlan { item: "a".to_owned() };
        assert_eq!(hint(&only, plan), "create a plan for `a`");
    }

    #[test]
    fn numbers_are_the_seeds_own() {
        assert_eq!(code_in(Toolset::Workflow, Key::PlanNotFound), Some(-32002));
        assert_eq!(code_in(Toolset::Graph, Key::PlanNotFound), None);
        assert_eq!(code_in(Toolset::Workstation, Key::Timeout), Some(-32000));
        assert_eq!(code_in(Toolset::Workflow, Key::Timeout), None);
    }
}
