//! Errors as clients of the protocol read them: with the seeds' numbers, and hints that name tools under the names that
//! this client was shown.

use hewto_engine::{Action, Error, Key, Names};
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
        Some(error.hint.as_ref()?.render(|action| self.instruction(action)))
    }

    /// The tool that does something, as this client knows it, and what such a call has to say.
    fn tool_for(&self, action: &Action) -> Option<(&'static str, String)> {
        let (tools, with) = tools_for(action);
        Some((tools.iter().find_map(|name| self.find(name))?.def.name(), with))
    }
}

impl Names for Table {
    fn instruction(&self, action: &Action) -> Option<String> {
        if matches!(action, Action::BuildIndex) {
            // No tool does this; a person can.
            return Some("run `hewto index build`".to_owned());
        }
        let (tool, with) = self.tool_for(action)?;
        Some(if with.is_empty() { format!("call `{tool}`") } else { format!("call `{tool}` with {with}") })
    }

    fn call(&self, action: &Action, arguments: &str) -> Option<String> {
        let (tool, _) = self.tool_for(action)?;
        Some(if arguments.is_empty() { tool.to_owned() } else { format!("{tool} {arguments}") })
    }
}

/// The tools that do something, the likeliest first, and what such a call has to say.
fn tools_for(action: &Action) -> (&'static [&'static str], String) {
    let plain: &'static [&'static str] = match action {
        Action::AnswerClarification | Action::StartClarification => &["require_clarification"],
        Action::AppendToFile => &["fs_append"],
        Action::ArchiveChange { .. } => &["change_archive"],
        Action::ArchiveOpenChange { .. } => {
            return (&["change_archive"], "`allow_open_tasks: true`".to_owned());
        }
        Action::AwaitApproval { .. } => &["approval_wait"],
        Action::ClaimWork => &["claim_next"],
        Action::CompleteBuild { .. } => &["build_complete"],
        Action::CompleteBuildWithout { .. } => {
            return (&["build_complete"], "`dropped: {\"STEP\": \"why\"}`".to_owned());
        }
        Action::CompleteStep { .. } => &["plan_step_complete"],
        Action::CreateArtifact => &["specman_lifecycle_create"],
        Action::CreateBranch => &["git_branch_create"],
        Action::CreateChange => &["change_create"],
        Action::CreatePlan { .. } => &["plan_create"],
        Action::CreateSpec => &["spec_create"],
        Action::DeleteArtifact => &["specman_lifecycle_delete"],
        Action::DeleteArtifactByForce { .. } => {
            return (&["specman_lifecycle_delete"], "`force: true`".to_owned());
        }
        Action::DescribeArtifact => &["specman_metadata_describe"],
        Action::DetectProject => &["ci_detect"],
        Action::GitHistory => &["git_log"],
        Action::GitStatus => &["git_status"],
        Action::KeepClaim { .. } => &["claim_keep"],
        Action::ListArtifacts => &["specman_workspace_list_artifacts"],
        Action::ListBranches => &["git_branches"],
        Action::ListChanges => &["list_changes"],
        Action::ListFolder => &["fs_list"],
        Action::ListLinks => &["proof_links"],
        Action::ListOverlaps => &["change_overlaps"],
        Action::ListRequirements { .. } => &["get_spec_requirements"],
        Action::ListSpecs => &["spec_list", "list_specs"],
        Action::ListTemplates => &["specman_templates_catalog"],
        Action::PageDependencies => &["specman_dependency_slice"],
        Action::PatchArtifact => &["specman_metadata_patch"],
        Action::RebaseChange { .. } => return (&["change_archive"], "`rebase: true`".to_owned()),
        Action::RunCommand => &["ci_run"],
        Action::RunProof => &["proof_run"],
        Action::ShowChange { .. } => &["get_change"],
        Action::ShowFile => &["fs_info"],
        Action::ShowPlan { .. } => &["plan_show", "spec_status"],
        Action::ShowSpec { .. } => &["spec_status"],
        Action::ShowStatus => &["workspace_status"],
        Action::ShowTree => &["fs_tree"],
        Action::StageFiles => &["git_add"],
        Action::StartBuild { .. } => return (&["build_start"], "`plan_approved: true`".to_owned()),
        Action::StashFiles => &["git_stash"],
        Action::SwitchBranch => &["git_switch"],
        Action::TransitionSpec { .. } => &["spec_transition"],
        Action::UpdateBuild { .. } => &["build_update"],
        Action::UpdateChange { .. } => &["change_update"],
        Action::UpdatePlan { .. } => &["plan_update"],
        Action::UpdateSpec { .. } => &["spec_update"],
        Action::Validate => &["validate_spec"],
        Action::ValidateChange { .. } => &["validate_change"],
        Action::WaitForRun { run } => return (&["proof_run"], format!("`run: \"{run}\"`")),
        // People's.
        Action::BuildIndex
        | Action::DropClarification
        | Action::Init
        | Action::ListDecisions
        | Action::ValidateAndFix => &[],
    };
    (plain, String::new())
}

#[cfg(test)]
mod tests {
    use hewto_engine::{Hint, Kind};

    use super::*;
    use crate::options::{Profile, ServerOptions};
    use crate::tools;

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

    /// What an error names in backticks that is the name of a tool.
    fn tools_named(text: &str) -> Vec<&str> {
        let all = || tools::all().chain(tools::workstation::ANCPLUA.iter());
        let is_tool =
            |word: &&str| all().any(|tool| tool.about.name == *word || tool.about.aliases.contains(word));
        let quoted = text.split('`').skip(1).step_by(2);
        quoted.filter_map(|quoted| quoted.split(' ').next()).filter(is_tool).collect()
    }

    #[test]
    fn no_action_names_a_tool_that_is_not_offered_or_under_another_name() {
        let profiles = [None].into_iter().chain(
            [Profile::Airsspec, Profile::Spox, Profile::Specman, Profile::Preflights, Profile::Ancplua]
                .map(Some),
        );
        let read_only = ServerOptions { read_only: true, ..ServerOptions::default() };
        let all =
            profiles.map(|profile| ServerOptions { profile, ..ServerOptions::default() }).chain([read_only]);
        let mut named = 0;
        for options in all {
            let table = Table::choose(&options).unwrap();
            let offered: Vec<&str> = table.listing().iter().map(|tool| tool.name.as_ref()).collect();
            for action in Action::samples() {
                let call = table.call(&action, "{}").map(|call| format!("`{call}`"));
                for text in [table.instruction(&action), call].into_iter().flatten() {
                    for tool in tools_named(&text) {
                        assert!(offered.contains(&tool), "{options:?}: {action:?} names {tool}");
                        named += 1;
                    }
                }
            }
        }
        assert!(named > 100, "{named}");
    }

    #[test]
    fn numbers_are_the_seeds_own() {
        assert_eq!(code_in(Toolset::Workflow, Key::PlanNotFound), Some(-32002));
        assert_eq!(code_in(Toolset::Graph, Key::PlanNotFound), None);
        assert_eq!(code_in(Toolset::Workstation, Key::Timeout), Some(-32000));
        assert_eq!(code_in(Toolset::Workflow, Key::Timeout), None);
    }
}
