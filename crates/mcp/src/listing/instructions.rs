//! What the server tells a model about itself.
//!
//! Hosts cut after 2,000 characters, and tool search shows the first 500: these say what the server is for and when
//! to reach for it.

use crate::options::{Spelling, Toolset};

/// The instructions of a server that offers these toolsets under these names; `offers` tells whether a tool is among
/// what it offers.
pub(crate) fn instructions(served: &[Toolset], spelling: Spelling, offers: impl Fn(&str) -> bool) -> String {
    let mut text = match served {
        // These know nothing of specs.
        [Toolset::Workstation | Toolset::Decisions] => String::new(),
        [Toolset::Graph] => OPENING_OF_GRAPH.to_owned(),
        _ if offers("change_create") && offers("spec_create") => OPENING.to_owned(),
        _ if offers("change_create") => format!("{OPENING_OF_SPECS}{NO_CHANGE}"),
        _ if offers("spec_create") => OPENING_OF_WORKFLOW.to_owned(),
        [Toolset::Specs] => format!("{OPENING_OF_SPECS}\n"),
        _ => OPENING_TO_READ.to_owned(),
    };
    for toolset in served {
        text.push_str(match toolset {
            Toolset::Workflow if offers("change_create") => WORKFLOW,
            Toolset::Workflow if offers("plan_create") => WORKFLOW_ALONE,
            Toolset::Workflow => WORKFLOW_TO_READ,
            Toolset::Specs if offers("change_create") => SPECS,
            Toolset::Specs => SPECS_TO_READ,
            Toolset::Decisions if offers("require_clarification") => DECISIONS,
            Toolset::Decisions => DECISIONS_TO_READ,
            Toolset::Graph if spelling == Spelling::Seed => GRAPH_DOTTED,
            Toolset::Graph => GRAPH,
            Toolset::Workstation if offers("fs_roots") || !offers("run_command") => WORKSTATION,
            Toolset::Workstation => WORKSTATION_OF_THE_ORIGINAL,
            Toolset::Proof => PROOF,
            Toolset::Review => REVIEW,
        });
    }
    text.push_str(match served {
        // Their errors have a shape of their own.
        [Toolset::Decisions] => CLOSING_OF_DECISIONS,
        _ => CLOSING,
    });
    // Hosts cut what is longer.
    if served.len() > 1 && offers("change_create") && text.len() + PLACES.len() <= 2_000 {
        text.push_str(PLACES);
    }
    text.trim_start().to_owned()
}

const OPENING: &str = "\
Specs, plans and build progress of this repository, shared by people and agents as plain files. Use these tools before \
you implement a feature, fix or refactoring: create (change_create, or spec_create for new work), plan, build. When not \
to use this: a typo or a formatting fix needs no change.\n";

const OPENING_OF_WORKFLOW: &str = "\
Specs, plans and build progress of this repository, shared by people and agents as plain files. Use these tools before \
you implement a feature, fix or refactoring: look for its spec, write one if there is none, plan it, and record the \
build as you go, so that what is wanted, why, and how far it is stays true for whoever comes next.\n";

const OPENING_OF_SPECS: &str = "\
What this repository promises, as requirements with scenarios, and the changes proposed to it: plain files, shared by \
people and agents. Use these tools before you implement a feature, fix or refactoring, to learn what has to hold.";

const NO_CHANGE: &str = " When not to use this: a typo or a formatting fix needs no change.\n";

const OPENING_TO_READ: &str = "\
Specs, plans and build progress of this repository, shared by people and agents as plain files. Use these tools before \
you implement a feature, fix or refactoring, to learn what is wanted, why, and how far it is.\n";

const OPENING_OF_GRAPH: &str = "\
Specifications, implementations and scratch pads of this repository, plain files, and how they hang together. Use these \
tools before you change one: they tell what it needs, what needs it and which template it follows, and they write only \
what was planned first.\n";

const WORKFLOW_ALONE: &str = "
Workflow: spec_list or spec_create -> plan_create -> a person reviews the plan -> build_start with plan_approved: true \
-> plan_step_complete for each step, build_update for progress -> build_complete with a summary. spec_status shows where \
a spec stands, spec_check_dependencies what it waits for. A spec is draft, active, blocked, done, cancelled or archived; \
build_start and build_complete move it, spec_transition does the rest (blocked, cancelled, archived).
Full texts are resources: airsspec:///{spec_id} (everything), airsspec:///{spec_id}/spec, /plan and /state.
";

const WORKFLOW_TO_READ: &str = "
Workflow: spec_list shows all specs and their states, spec_status where one stands, spec_check_dependencies what it waits \
for. Full texts are resources: airsspec:///{spec_id} (everything), airsspec:///{spec_id}/spec, /plan and /state.
";

const WORKFLOW: &str = "
Workflow: create -> plan_create -> a person reviews the plan -> build_start with plan_approved: true -> \
plan_step_complete for each step -> build_complete. spec_status shows where a spec stands, spec_transition moves it \
otherwise. Full texts are resources: airsspec:///{spec_id}, and its /spec, /plan, /state.
";

const PROOF: &str = "
Proof: a promise is kept when a test with the comment `@spec capability#requirement/scenario` over it passed in \
proof_run. proof_status tells what is missing.
";

const REVIEW: &str = "
People approve: on approval_pending call approval_wait. claim_next takes work, claim_keep gives it back.
";

const SPECS: &str = "
Specs: workspace_status first. get_requirement reads what is promised, change_create changes it: its tasks are the plan. \
build_start with spec_id change:<id> comes next. change_archive is last. Quick lane for a one-line fix: one task, at most \
one requirement; no plan, then archive.
";

const SPECS_TO_READ: &str = "
Specs: list_specs -> get_spec_requirements -> get_scenario to read what is promised. Changes: list_changes -> get_change \
to read what is proposed. Both are files that you edit yourself; validate_spec and validate_change judge them.
";

const DECISIONS: &str = "
Decisions: before a change that is vague or structural, require_clarification; ask the user its questions, send answers \
with session_id until completed, then follow docs/CURRENT_TASK.md. read_architecture tells what was decided.
";

const DECISIONS_TO_READ: &str = "
Decisions: read_architecture tells what was decided.
";

const GRAPH: &str = "
Graph: specman_workspace_list_artifacts and specman_dependency_tree show what there is and what hangs on it. To write: a \
specman_lifecycle_plan_* call, then specman_lifecycle_create or _delete with its plan_id.
";

const GRAPH_DOTTED: &str = "
Graph: specman.core.workspace.list_artifacts and specman.core.dependency.tree show what there is and what hangs on it. To \
write: a specman.core.lifecycle.plan_* call, then specman.core.lifecycle.create or .delete with its plan_id.
";

const WORKSTATION: &str = "
Workstation: fs_*, git_* and ci_* act beneath the allowed folders (fs_roots).
";

const WORKSTATION_OF_THE_ORIGINAL: &str = "
Workstation: files (read_file, write_file, list_directory, …), git (get_status, get_diff, get_log, add, commit, …) and \
builds (build, run_tests, restore), all beneath the allowed folder. run_command starts what the user has allowed.
";

const CLOSING: &str = "
Ids are exactly as the tools return them; never guess one. A refused call answers with one JSON object: act on `error`, \
read `hint` for what to do next; `faults` lists every wrong argument. Lists are paged: pass next_cursor as cursor. The \
files may be edited by hand at any time; every call sees their current content.\n";

const PLACES: &str = "\
Several workspaces: any call takes `workspace` (a folder below this one, or a work tree), or an id such as web:auth; replies \
that write name root and branch in _meta.\n";

const CLOSING_OF_DECISIONS: &str = "
A refused call answers with one JSON object whose status is error: act on error.code, read error.recovery_hint for what \
to do next. The files may be edited by hand at any time; every call sees their current content.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_decisions_speaks_of_its_own_errors_and_of_nothing_else() {
        let text = instructions(&[Toolset::Decisions], Spelling::Plain, |_| true);
        assert!(text.starts_with("Decisions: ") && text.contains("error.recovery_hint"), "{text}");
        assert!(!text.contains("cursor") && !text.contains("`hint`"), "{text}");
    }

    #[test]
    fn the_instructions_fit_and_begin_with_what_and_when() {
        let text = instructions(Toolset::ALL, Spelling::Plain, |_| true);
        assert!(text.chars().count() <= 2_000, "{} characters", text.chars().count());
        let opening: String = text.chars().take(500).collect();
        for word in ["Specs, plans and build progress", "before you implement", "spec_create"] {
            assert!(opening.contains(word), "`{word}` is not among the first 500 characters");
        }
    }

    #[test]
    fn what_only_reads_is_not_told_to_write() {
        let text = instructions(&[Toolset::Specs], Spelling::Plain, |tool| !tool.ends_with("_create"));
        assert!(
            text.contains("get_change") && !text.contains("change_create") && !text.contains("plan"),
            "{text}"
        );
    }

    #[test]
    fn the_graph_alone_is_told_by_the_names_it_is_listed_under() {
        let dotted = instructions(&[Toolset::Graph], Spelling::Seed, |_| true);
        assert!(dotted.contains("specman.core.dependency.tree") && !dotted.contains("specman_"), "{dotted}");
        let plain = instructions(&[Toolset::Graph], Spelling::Plain, |_| true);
        assert!(plain.contains("specman_dependency_tree") && !plain.contains("build"), "{plain}");
    }
}
