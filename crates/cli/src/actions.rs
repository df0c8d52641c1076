//! What to do next, as a command line: no hint names a tool to a person.

use hewto_engine::{Action, Error};

/// The hint of an error in the words of a terminal.
pub(crate) fn hint(error: &Error) -> Option<String> {
    Some(error.hint.as_ref()?.render(|action| Some(format!("run `hewto {}`", command(action)))))
}

/// What to type after `hewto`.
fn command(action: &Action) -> String {
    match action {
        Action::AnswerClarification => "clarify answer".to_owned(),
        Action::BuildIndex => "index build".to_owned(),
        Action::CompleteBuild { item } => format!("build done {item} --summary \"…\""),
        Action::CompleteStep { item } => format!("plan done {item} STEP"),
        Action::CreateChange => "change new ID".to_owned(),
        Action::CreatePlan { item } => {
            format!("plan new {item} --approach \"…\" --step \"title: description\"")
        }
        Action::DescribeArtifact | Action::PatchArtifact => "artifact show HANDLE".to_owned(),
        Action::DropClarification => "clarify reset --force".to_owned(),
        Action::Init => "init".to_owned(),
        Action::ListArtifacts => "artifact list".to_owned(),
        Action::ListChanges => "change list".to_owned(),
        Action::ListDecisions => "decision list".to_owned(),
        Action::ListRequirements { spec } => format!("requirement list {spec}"),
        Action::ListSpecs => "spec list".to_owned(),
        Action::ListTemplates => "template list".to_owned(),
        Action::RebaseChange { change } => format!("change validate {change} --rebase"),
        Action::ShowChange { change } => format!("change show {change}"),
        Action::ShowPlan { item } | Action::UpdatePlan { item } => format!("plan show {item}"),
        Action::StartBuild { item } => format!("build start {item} --approve"),
        Action::StartClarification => "clarify \"INTENTION\"".to_owned(),
        Action::TransitionSpec { item } => format!("spec move {item} STATE"),
        Action::UpdateBuild { item } => format!("build update {item} --percent N"),
        Action::UpdateSpec { item } => format!("spec deps {item} --set ID:soft"),
        Action::Validate => "validate".to_owned(),
        Action::ValidateAndFix => "validate --fix".to_owned(),
    }
}
