//! What to do next, as a command line: no hint names a tool to a person.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use hewto_engine::{Action, Error, Key, Names, Wording};

use crate::args::plain_command;

/// The hint of an error in the words of a terminal.
pub(crate) fn hint(error: &Error) -> Option<String> {
    let hint = error.hint.as_ref().map(|hint| wording().hint(hint)).or_else(|| allowed(error))?;
    // Where there is no workspace its name may be the mistake.
    Some(if error.key == Key::WorkspaceNotFound { hint } else { here(&hint) })
}

/// What would have been right, where an error says that and nothing else.
fn allowed(error: &Error) -> Option<String> {
    let faults = error.details.get("faults")?.as_array()?;
    let places =
        faults.iter().filter_map(|fault| Some((fault["field"].as_str()?, fault["expected"].as_str()?)));
    let told: Vec<String> = places.map(|(field, expected)| format!("`{field}` is {expected}")).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The workspace that this command names, as a shell reads it.
static WORKSPACE: OnceLock<String> = OnceLock::new();

/// What comes next is typed for the workspace that this command names.
pub(crate) fn in_workspace(path: &Path) {
    // There is one command line.
    let _ = WORKSPACE.set(quoted(&path.to_string_lossy()));
}

/// A command as it is typed, for the workspace that this one names: `hewto --workspace web plan show x`.
pub(crate) fn typed(rest: &str) -> String {
    match WORKSPACE.get() {
        Some(path) => format!("hewto --workspace {path} {rest}"),
        None => format!("hewto {rest}"),
    }
}

/// A text of our own with its commands as they are typed for the workspace that this one names.
pub(crate) fn here(text: &str) -> String {
    const PROGRAM: &str = "hewto ";
    if WORKSPACE.get().is_none() {
        return text.to_owned();
    }
    let known = plain_command();
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(PROGRAM) {
        let (before, found) = rest.split_at(at);
        let behind = &found[PROGRAM.len()..];
        let word = behind.split(|ch: char| !ch.is_ascii_lowercase() && ch != '-').next().unwrap_or_default();
        let is_command = (before.is_empty() || before.ends_with(['`', ' ', '(']))
            && known.get_subcommands().any(|command| command.get_name() == word);
        out.push_str(before);
        out.push_str(&if is_command { typed("") } else { PROGRAM.to_owned() });
        rest = behind;
    }
    out + rest
}

/// A path as a shell reads it.
pub(crate) fn quoted(path: &str) -> String {
    let plain = |ch: char| ch.is_alphanumeric() || "/._-+~@".contains(ch);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// How commands name what can be done.
pub(crate) fn wording() -> Wording {
    Wording::new(Arc::new(Commands))
}

struct Commands;

impl Names for Commands {
    fn instruction(&self, action: &Action) -> Option<String> {
        Some(format!("run `{}`", self.call(action, "")?))
    }

    fn call(&self, action: &Action, _: &str) -> Option<String> {
        let command = command(action)?;
        // Where there is no workspace yet, its name may be the mistake.
        Some(if *action == Action::Init { format!("hewto {command}") } else { typed(&command) })
    }
}

/// What to type after `hewto`; `None` for what people do with other programs.
fn command(action: &Action) -> Option<String> {
    Some(match action {
        Action::AnswerClarification => "clarify answer".to_owned(),
        Action::ArchiveChange { change } => format!("change archive {change}"),
        Action::ArchiveOpenChange { change } => format!("change archive {change} --yes"),
        Action::AwaitApproval { item } => format!("review show {item}"),
        Action::BuildIndex => "index build".to_owned(),
        Action::ClaimWork => "claim".to_owned(),
        Action::CompleteBuild { item } => format!("build done {item} --summary \"…\""),
        Action::CompleteBuildWithout { item } => {
            format!("build done {item} --summary \"…\" --drop \"STEP=why\"")
        }
        Action::CompleteStep { item } => format!("plan done {item} STEP"),
        Action::CreateArtifact => "artifact new KIND NAME".to_owned(),
        Action::CreateChange => "change new ID".to_owned(),
        Action::CreatePlan { item } => {
            format!("plan new {item} --approach \"…\" --step \"title: description\"")
        }
        Action::CreateSpec => "spec new TITLE --description TEXT".to_owned(),
        Action::DeleteArtifact => "artifact delete HANDLE".to_owned(),
        Action::DeleteArtifactByForce { handle } => format!("artifact delete {handle} --force"),
        Action::DescribeArtifact | Action::PatchArtifact => "artifact show HANDLE".to_owned(),
        Action::DropClarification => "clarify reset --force".to_owned(),
        Action::Init => "init".to_owned(),
        Action::KeepClaim { item } => format!("claim {item}"),
        Action::ListArtifacts => "artifact list".to_owned(),
        Action::ListChanges => "change list".to_owned(),
        Action::ListDecisions => "decision list".to_owned(),
        Action::ListLinks => "proof".to_owned(),
        Action::ListOverlaps => "change overlaps".to_owned(),
        Action::ListRequirements { spec } => format!("requirement list {spec}"),
        Action::ListSpecs => "spec list".to_owned(),
        Action::ListTemplates => "template list".to_owned(),
        Action::PageDependencies => "graph".to_owned(),
        Action::RebaseChange { change } => format!("change validate {change} --rebase"),
        Action::RunProof | Action::WaitForRun { .. } => "proof run".to_owned(),
        Action::ShowChange { change } => format!("change show {change}"),
        Action::ShowPlan { item } => format!("plan show {item}"),
        Action::ShowSpec { item } => format!("spec status {item}"),
        Action::ShowStatus => "status".to_owned(),
        Action::StartBuild { item } => format!("build start {item} --approve"),
        Action::StartClarification => "clarify \"INTENTION\"".to_owned(),
        Action::TransitionSpec { item } => format!("spec move {item} STATE"),
        Action::UpdateBuild { item } => format!("build update {item} --percent N"),
        Action::UpdateChange { change } => format!("change edit {change}"),
        Action::UpdatePlan { item } => format!("plan edit {item}"),
        Action::UpdateSpec { item } => format!("spec deps {item} --set ID:soft"),
        Action::Validate => "validate".to_owned(),
        Action::ValidateAndFix => "validate --fix".to_owned(),
        Action::ValidateChange { change } => format!("change validate {change}"),
        // Files, git and builds: a person has programs of their own for these.
        Action::AppendToFile
        | Action::CreateBranch
        | Action::DetectProject
        | Action::GitHistory
        | Action::GitStatus
        | Action::ListBranches
        | Action::ListFolder
        | Action::RunCommand
        | Action::ShowFile
        | Action::ShowTree
        | Action::StageFiles
        | Action::StashFiles
        | Action::SwitchBranch => return None,
    })
}
