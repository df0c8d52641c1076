//! What can be done about an error, or comes next.

use super::Hint;

/// Each with its words for whoever has neither tools nor commands.
macro_rules! actions {
    ($($name:ident $({ $field:ident })? $words:literal;)*) => {
        /// Something that can be done. The faces name it: as a tool, as a command.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Action {
            $($name $({ $field: String })?,)*
        }

        impl Action {
            /// What to do, for whoever has neither tools nor commands.
            pub fn words(&self) -> String {
                match self {
                    $(Self::$name $({ $field })? => format!($words),)*
                }
            }

            /// One of each, for those who make sure that none is forgotten.
            pub fn samples() -> Vec<Self> {
                vec![$(Self::$name $({ $field: stringify!($field).to_uppercase() })?,)*]
            }
        }
    };
}

actions! {
    AnswerClarification "answer the open questions";
    AppendToFile "append to the file";
    ArchiveChange { change } "archive the change `{change}`";
    ArchiveOpenChange { change } "archive `{change}` with its open tasks";
    AwaitApproval { item } "wait for the verdict on `{item}`";
    BuildIndex "build the search index";
    ClaimWork "claim a piece of work";
    CompleteBuild { item } "complete the build of `{item}`";
    CompleteBuildWithout { item } "complete the build of `{item}` and drop open steps with a reason";
    CompleteStep { item } "tick the step of `{item}`";
    CreateArtifact "create the artifact";
    CreateBranch "create the branch";
    CreateChange "propose a change";
    CreatePlan { item } "create a plan for `{item}`";
    CreateSpec "create a spec";
    DeleteArtifact "delete the artifact";
    DeleteArtifactByForce { handle } "delete `{handle}` by force";
    DescribeArtifact "look at the artifact";
    DetectProject "see how the project is built";
    DropClarification "drop the open questions";
    GitHistory "look at the history";
    GitStatus "look at the state of the working tree";
    Init "make the folder a workspace";
    KeepClaim { item } "renew the claim of `{item}` in time";
    ListArtifacts "list the artifacts";
    ListBranches "list the branches";
    ListChanges "list the changes";
    ListDecisions "list the decisions";
    ListFolder "list the folder";
    ListLinks "list all links";
    ListOverlaps "list the overlaps of changes";
    ListRequirements { spec } "list the requirements of `{spec}`";
    ListSpecs "list the specs";
    ListTemplates "list the templates";
    PageDependencies "page through the dependencies";
    PatchArtifact "change the artifact that is there";
    RebaseChange { change } "rebase `{change}` on the specs as they are now";
    RunCommand "run an allowed command";
    RunProof "run the checks";
    ShowChange { change } "look at the change `{change}`";
    ShowFile "look at the facts of the file";
    ShowPlan { item } "look at the plan of `{item}`";
    ShowSpec { item } "look at `{item}`";
    ShowStatus "look at the state of the workspace";
    ShowTree "look at the tree below the folder";
    StageFiles "stage files";
    StartBuild { item } "start the build of `{item}`";
    StartClarification "begin a clarification";
    StashFiles "stash the changes";
    SwitchBranch "switch to the branch";
    TransitionSpec { item } "move `{item}` to another state";
    UpdateBuild { item } "report on the build of `{item}`";
    UpdateChange { change } "edit the change `{change}`";
    UpdatePlan { item } "change the plan of `{item}`";
    UpdateSpec { item } "change the spec `{item}`";
    Validate "validate the workspace";
    ValidateAndFix "validate the workspace and let it fix what it can";
    ValidateChange { change } "validate the change `{change}`";
    WaitForRun { run } "wait for the run `{run}`";
}

impl Action {
    /// The action as the beginning of a hint: `Action::ListSpecs.to("see the ids")`.
    pub fn to(self, purpose: &str) -> Hint {
        self.then(&format!(" to {purpose}"))
    }

    /// The same with any text behind it.
    pub fn then(self, text: &str) -> Hint {
        Hint::from(self).text(text)
    }
}
