//! Every error by name: the key that agents and scripts act on, what it means and what helps.
//!
//! A new key is one line below; the tables in `docs/tools.md` and `docs/cli.md` follow.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// Defines [`Key`]: variant, name, what it means, what to do next.
macro_rules! keys {
    ($($variant:ident $name:literal $cause:literal $next:literal;)*) => {
        /// What went wrong, to act on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Key {
            $(#[doc = $cause] $variant,)*
        }

        impl Key {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The stable snake_case name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means.
            pub fn cause(self) -> &'static str {
                match self { $(Self::$variant => $cause,)* }
            }

            /// What to do next.
            pub fn next(self) -> &'static str {
                match self { $(Self::$variant => $next,)* }
            }
        }
    };
}

keys! {
    AddressUnavailable "address_unavailable" "The address cannot be listened on" "Choose another address or port";
    AlreadyExists "already_exists" "Something is already at the destination" "Choose another destination, or delete that one first";
    AmbiguousName "ambiguous_name" "Several artifacts have this name" "Name one by its handle";
    AnchorNotFound "anchor_not_found" "Nothing in the item is like what the comment names" "Name a requirement, scenario or step as it is written";
    ApprovalPending "approval_pending" "No person has approved what is there now" "Let a person run `hewto approve`, and wait for it";
    ApprovalStale "approval_stale" "What was approved is not what is there" "Let a person look at it again";
    ArchiveRefused "archive_refused" "The change does not fit the specs" "Correct what `errors` lists; nothing was written";
    ArchiveTargetExists "archive_target_exists" "The archive has a folder of this name" "Move that folder away";
    ArtifactExists "artifact_exists" "An artifact with this name exists" "Choose another name, or change that one";
    ArtifactNotFound "artifact_not_found" "No artifact has this handle" "List the artifacts";
    BinaryFile "binary_file" "The file is not text" "Ask for its facts, or read it as media";
    BranchNotFound "branch_not_found" "No branch has this name" "List the branches, or create it";
    Cancelled "cancelled" "The call was cancelled" "Call again if it is still wanted";
    ChangeNotFound "change_not_found" "No change has this id" "List the changes";
    Changed "changed" "Somebody else changed the file meanwhile" "Read it again, then call again";
    ClaimLost "claim_lost" "A newer claim on this work was given" "Stop, look, and claim work again";
    ClaimRequired "claim_required" "Here work is claimed before it is written" "Claim it, and send the number";
    Claimed "claimed" "Somebody else works on it" "Take other work, or wait";
    ClaimsInvalid "claims_invalid" "The file of claims cannot be read" "Stop all agents, then delete the file";
    CommandFailed "command_failed" "A program ended with an error" "Read its output";
    CommandNotAllowed "command_not_allowed" "The configuration does not allow this command" "Let the owner allow it in `[workstation.commands]` and trust it";
    CommentNotFound "comment_not_found" "The item has no such comment" "List its comments";
    ConfigInvalid "config_invalid" "The configuration cannot be used" "Run `hewto validate` and correct the line";
    Conflict "conflict" "Somebody else changed the file meanwhile" "Look at it and call again";
    DatabaseUnavailable "database_unavailable" "The database of the hub cannot be reached" "Look at the message, and try again";
    DecisionNotFound "decision_not_found" "No decision has this UID" "List the decisions";
    DeletionBlocked "deletion_blocked" "Others depend on the artifact" "Change those first, or force it";
    DemoFailed "demo_failed" "The demonstration failed" "Report the bug";
    DependencyCycle "dependency_cycle" "The dependency would close a circle" "Leave out one of the links";
    DependencyNotSatisfied "dependency_not_satisfied" "A spec that this one depends on is not done" "Finish what `blocking` lists, or make the dependency soft";
    DirectoryNotEmpty "directory_not_empty" "The folder has something in it" "Delete it with everything in it, or empty it first";
    DocumentInvalid "document_invalid" "The document cannot be edited without harm" "Run `hewto validate` and correct the file";
    DocumentUnreadable "document_unreadable" "The file is not UTF-8 text" "Save it as UTF-8";
    FileTooLarge "file_too_large" "The file is larger than the limit" "Read a part of it";
    FilesystemError "filesystem_error" "The disk refused" "Look at the message, and try again";
    FilterRequired "filter_required" "The call would look at everything" "Narrow it down";
    FolderInUse "folder_in_use" "The folder is not empty, or belongs to a workspace" "Name a folder that does not exist yet";
    GateRefused "gate_refused" "A gate is lowered only through the channel that it requires" "Lower it through that channel";
    GitFailed "git_failed" "Git ended with an error" "Read its message";
    GitTooOld "git_too_old" "This git lacks what is needed" "Install a newer git";
    HeadingNotFound "heading_not_found" "The document has no such heading" "Use one that `near` lists";
    HostNotTrusted "host_not_trusted" "Only the repository names the host, and nobody has trusted it" "Let a person run `hewto trust` in a terminal";
    HubRefused "hub_refused" "The hub refused the call" "Look at `reason`";
    HubUnreachable "hub_unreachable" "The hub cannot be reached" "Work on without it, and try again";
    IdempotencyConflict "idempotency_conflict" "The idempotency key was used for another call" "Choose a new key for each call";
    IdentityMissing "identity_missing" "Git does not know who commits" "Set `user.name` and `user.email`";
    ImmutableArtifact "immutable_artifact" "The artifact must not be changed" "Write a new one that refers to it";
    IndexBusy "index_busy" "Another process writes the search index" "Try again";
    IndexFailed "index_failed" "The search index cannot be used" "Run `hewto index clear` and `hewto index build`";
    IndexMissing "index_missing" "There is no search index" "Run `hewto index build`";
    InternalError "internal_error" "A bug in hewto" "Look at the current state, and report it";
    InvalidAnswer "invalid_answer" "An answer is not one of the options" "Correct the answers that are listed";
    InvalidLocator "invalid_locator" "This is neither a handle, a path nor an address" "Write it as `spec://name`, a path, or `https://…`";
    InvalidParams "invalid_params" "An argument is missing or wrong" "Correct what `faults` lists";
    InvalidTokenFile "invalid_token_file" "The file of tokens cannot be used" "Correct the line";
    InvalidTransition "invalid_transition" "The lifecycle has no such step" "Use one of `valid_transitions`";
    IoError "io_error" "The disk refused" "Look at the message, and try again";
    IsADirectory "is_a_directory" "A folder is where a file was expected" "Name a file";
    ManifestInvalid "manifest_invalid" "The record of what `init` wrote cannot be read" "Restore it from git";
    MissingToken "missing_token" "The template needs values for tokens" "Give those that `tokens` lists";
    ModelFailed "model_failed" "The embedding model cannot be used" "Name another with `--model`";
    NoStateDir "no_state_dir" "There is no folder to remember it in" "Set `XDG_STATE_HOME` or `HOME`";
    NoActiveSession "no_active_session" "No interview is open" "Begin one";
    NoMatch "no_match" "The text is not in the file" "Read the file again and copy the text from it";
    NoPreviousSession "no_previous_session" "There is no interview to resume" "Begin one";
    NotADirectory "not_a_directory" "A file is where a folder was expected" "Name a folder";
    NotARepository "not_a_repository" "This is not a git repository" "Run it in one, or name one";
    NotAReviewer "not_a_reviewer" "The person is not among the reviewers" "Let one of the reviewers decide";
    NotBuilt "not_built" "The item was moved without a build" "Build it first";
    NotConfirmed "not_confirmed" "The code was not typed" "Run it again and type the code";
    NotFound "not_found" "Nothing is there" "List the folder";
    NotLocal "not_local" "Only files of the workspace can be changed" "Name one of its artifacts";
    NotRemote "not_remote" "This is not an https address" "Name an address";
    NotTrusted "not_trusted" "The owner of this machine has not trusted it" "Let a person run `hewto trust` in a terminal";
    NothingReady "nothing_ready" "No work is ready and free" "Wait, or look at what blocks the rest";
    NothingStashed "nothing_stashed" "There is no stash" "Stash something first";
    NothingToCommit "nothing_to_commit" "Nothing is staged" "Stage files first";
    NothingToStash "nothing_to_stash" "Nothing has changed" "Nothing to do";
    NothingToUninstall "nothing_to_uninstall" "`hewto init` was not run here" "Run it in the folder in which it was";
    OutputTooLarge "output_too_large" "The program wrote too much" "Ask for less";
    OutsideWorkspace "outside_workspace" "The path leads out of the workspace" "Name a path inside";
    ParseError "parse_error" "A decision or its state cannot be read" "Correct the file by hand, or restore it from git";
    PatchExtractionFailed "patch_extraction_failed" "No decision can be read from the answers" "Answer more precisely";
    PathIgnored "path_ignored" "Git ignores the path" "Add it on purpose";
    PathOutsideRepository "path_outside_repository" "The path leads out of the repository" "Name a path inside";
    PathOutsideRoots "path_outside_roots" "The path leads out of the allowed folders" "Name a path inside";
    PathUnreadable "path_unreadable" "The path cannot be looked at" "Look at the path and its permissions";
    PermissionDenied "permission_denied" "The system does not allow it" "Look at the permissions";
    PersonRequired "person_required" "Only a person may do this" "Run it in a terminal of your own";
    PlanExpired "plan_expired" "The plan was made too long ago" "Plan it again";
    PlanMismatch "plan_mismatch" "The plan is for something else" "Carry it out with the operation it was made for";
    PlanNotFound "plan_not_found" "There is no plan" "Create one";
    PlanStale "plan_stale" "What the plan was made for has changed" "Plan it again";
    PointerAbsent "pointer_absent" "The pointer is not set" "Nothing to clear";
    ProgramFailedToStart "program_failed_to_start" "The program cannot be started" "Look at the message";
    ProgramNotFound "program_not_found" "The program is not on the search path" "Install it";
    ProtectedPath "protected_path" "hewto keeps this file" "Use the tools that are for it";
    RateLimited "rate_limited" "Too many calls in too short a time" "Wait as long as `retry_after_ms` or `retry_after_s` says";
    ReadOnlyHandle "read_only_handle" "This handle can only be read" "Use the tools of its kind";
    ReferenceNotFound "reference_not_found" "The document has no such reference" "Look at what it names";
    RepoNotFound "repo_not_found" "There is no git repository" "Run it in one, or name one";
    RepositoryLocked "repository_locked" "Another git process holds the repository" "Wait for it, or remove its lock";
    RepositoryNotFound "repository_not_found" "There is no git repository" "Name a folder in one";
    RepositoryOutsideRoots "repository_outside_roots" "The repository is outside the allowed folders" "Allow its folder";
    RequirementNotFound "requirement_not_found" "The spec has no requirement of this name" "List its requirements";
    ReviewInvalid "review_invalid" "The folder of records cannot be used" "Put a real folder there";
    RevisionNotFound "revision_not_found" "Git does not know this revision" "Look at the log or the branches";
    ScenarioNotFound "scenario_not_found" "The requirement has no scenario of this name" "List its requirements";
    SchemaMismatch "schema_mismatch" "The database was made by another version" "Use the version that made it, or an empty database";
    ServerSilent "server_silent" "The server did not answer" "Run `hewto doctor`";
    ServerStrange "server_strange" "The server answered something else" "Run `hewto doctor`";
    SessionAlreadyActive "session_already_active" "An interview is open" "Answer it, or drop it";
    SessionExpired "session_expired" "The session is older than 30 minutes" "Start again without `session_id`";
    SessionNotFound "session_not_found" "There is no such session" "Start again without `session_id`";
    SettingsInvalid "settings_invalid" "`proof.toml` cannot be understood, and opens nothing" "Correct it; `hewto validate` lists what is wrong";
    SeveralMatches "several_matches" "The text is in the file several times" "Give more of the text around it";
    SignatureInvalid "signature_invalid" "A signature does not prove what it should" "Sign with a key of `.hewto/allowed_signers`";
    SpecArchived "spec_archived" "The spec is archived" "Create a new spec";
    SpecialFile "special_file" "The file is a pipe, a socket, a device or the like" "Name a regular file";
    SpecNotFound "spec_not_found" "No spec has this id" "List the specs";
    StashConflict "stash_conflict" "The stash does not fit" "Resolve the files in conflict; the stash is kept";
    StateInvalid "state_invalid" "`state.toon` cannot be read" "Run `hewto validate --fix`";
    StepsOpen "steps_open" "Steps of the plan are not done" "Complete them, or drop each with a reason";
    SystemError "system_error" "The machine or a model failed" "Look at the message, and try again";
    TasksOpen "tasks_open" "Tasks of the change are not done" "Finish them, or allow it";
    TemplateInvalid "template_invalid" "The template cannot be used" "Correct it, or point at another";
    TemplateUnreachable "template_unreachable" "The template cannot be fetched" "Look at the address, or name a file";
    DocumentUnreachable "document_unreachable" "The document cannot be fetched" "Look at the address, or name a file";
    TerminalRequired "terminal_required" "This needs a terminal" "Run it in one";
    Timeout "timeout" "The call ran out of time" "Look at the current state before you repeat it, or ask for less";
    TooDeep "too_deep" "The folders are nested too deeply" "Name a folder further down";
    TooManyLinks "too_many_links" "Too many symbolic links on the way" "Name the file itself";
    ToolchainNotFound "toolchain_not_found" "No known project is in the folder" "Name the folder of the project";
    TrustInsideRepository "trust_inside_repository" "The record of trust would be inside the repository" "Choose a state folder outside of it";
    TrustUnreadable "trust_unreadable" "The record of trust cannot be read" "Correct or remove the file";
    UnknownName "unknown_name" "No tool, toolset or profile has this name" "Use one that is listed";
    UnknownToken "unknown_token" "The template has no such token" "Leave out those that `tokens` lists";
    UnsupportedScheme "unsupported_scheme" "The address has a scheme that hewto does not know" "Use one of `supported`";
    Usage "usage" "The command line is wrong" "Run the command with `--help`";
    ValidationFailed "validation_failed" "What was asked for is not possible" "Correct what the message says";
    WorkspaceBusy "workspace_busy" "Somebody else is writing" "Try again";
    WorkspaceNotFound "workspace_not_found" "There is no workspace" "Run `hewto init`";
    WouldOverwrite "would_overwrite" "Changes that are not committed would be lost" "Commit or stash them";
    CheckFailedToRun "check_failed_to_run" "A declared check cannot run" "Look at the message, and fix the check";
    CheckNotTrusted "check_not_trusted" "The owner of this machine has not trusted `.hewto/proof.toml` as it stands" "Let a person run `hewto trust` in a terminal";
    CheckUnknown "check_unknown" "`.hewto/proof.toml` declares no such check" "Use one that `near` lists";
    EvidenceMissing "evidence_missing" "What is promised is not proven" "Link tests to what `lacking` lists, and run the checks";
    EvidenceStale "evidence_stale" "What was proven has changed since" "Run the checks again";
    EvidenceTampered "evidence_tampered" "A record of a run does not authenticate" "Run the checks again";
    NoPreset "no_preset" "No known test runner fits this project" "Declare a check in `.hewto/proof.toml` by hand";
    NoTestsRan "no_tests_ran" "The check ran no test" "Look at its filter and its report";
    NothingToAccept "nothing_to_accept" "Nothing has drifted that a person could accept" "Run `hewto drift` to see what moved";
    PromiseNotFound "promise_not_found" "No spec has a promise of this name" "Use one that `near` lists";
    ProofSettingsInvalid "proof_settings_invalid" "`.hewto/proof.toml` cannot be used" "Correct what `faults` lists";
    ReportInvalid "report_invalid" "The report of the check cannot be read" "Look at the message, and fix the check";
    ReportMissing "report_missing" "The run left no report of its own" "Let the runner write a new file on every run";
    RevisionUnknown "revision_unknown" "Git finds no common history with this revision" "Name a branch, a tag or a commit; in CI fetch the whole history";
    RunNotYours "run_not_yours" "Somebody else started the run" "Let it end, or ask whoever started it";
    RunTimeout "run_timeout" "The check ran longer than it may" "Make it faster, or raise `timeout_s`";
    RunTorn "run_torn" "Files changed while the check ran" "Run it again; let it write outside the tree";
    RunUnknown "run_unknown" "No run has this id" "Start one";
    WrongKind "wrong_kind" "The artifact is of another kind" "Name one of the kind that is asked for";
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// All keys as a table of Markdown, in the order of their names.
pub fn key_table() -> String {
    let mut keys = Key::ALL.to_vec();
    keys.sort_by_key(|key| key.as_str());
    let mut out = String::from("| error | what it means | what to do |\n|---|---|---|\n");
    for key in keys {
        let _ = writeln!(out, "| `{key}` | {} | {} |", key.cause(), key.next());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_name_in_the_code_and_in_json() {
        for key in Key::ALL {
            assert_eq!(serde_json::to_value(key).unwrap(), key.as_str());
            assert!(!key.cause().ends_with('.') && !key.next().ends_with('.'), "{key}");
        }
    }
}
