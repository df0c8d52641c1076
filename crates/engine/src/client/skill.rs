//! Thin skills and slash commands: a dozen lines each that tell an agent which tools of the server to call, in which order.
//!
//! What a tool does is said by the server; a skill only names the way. Every file is marked and names the version that
//! wrote it, so that `hewto upgrade` knows its own.

use std::fmt::Write as _;

use hewto_store::RelPath;

use super::Agent;

/// By this a file shows as one of hewto's.
const MARK: &str = "hewto:skill";

/// Where an agent keeps skills or commands, and how they are written there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkillFiles {
    /// It has neither, or none that a file could bring.
    None,
    /// `<folder>/hewto-<verb>/SKILL.md`, with name and description at its head.
    Skill(&'static str),
    /// `<folder>/hewto-<verb>.md`, with a description at its head.
    Command(&'static str),
    /// The same without a head.
    Prompt(&'static str),
    /// `<folder>/hewto-<verb>.prompt.md`, as VS Code has it.
    PromptFile(&'static str),
    /// `<folder>/hewto-<verb>.md` with the head that makes it a slash command in Continue.
    Invokable(&'static str),
    /// `<folder>/hewto/<verb>.toml`.
    TomlCommand(&'static str),
}

/// A way through the tools.
struct Skill {
    verb: &'static str,
    description: &'static str,
    steps: &'static [&'static str],
}

const SKILLS: [Skill; 7] = [
    Skill {
        verb: "propose",
        description: "Turn a wish into a change: requirements with scenarios, checked, before any code.",
        steps: &[
            "If the wish is vague or touches the structure, call `require_clarification` and put its questions to the user.",
            "Call `search_specs` and `list_specs` for what is promised already; do not promise it twice.",
            "Call `change_create` with why, what changes, the requirements with their scenarios, and tasks: they are the plan.",
            "Fix with `change_update` what `validation` in its answer names.",
            "Show the user the change with `change_diff`, and stop: building comes when they agree.",
        ],
    },
    Skill {
        verb: "plan",
        description: "Plan a change or spec: an approach and steps that can be done and checked one by one.",
        steps: &[
            "Call `get_change` (or `spec_status`) for what is to be planned, and `context_for` for what it touches.",
            "A change that has tasks has its plan: better it with `plan_update`. Else call `plan_create` with the approach and \
             steps; each step says how it will be checked.",
            "Show the user the plan and ask for their word. Approving is theirs: `hewto approve <item>` in a terminal.",
            "If they want it otherwise, call `plan_update`.",
        ],
    },
    Skill {
        verb: "build",
        description: "Build what is planned and approved, step by step.",
        steps: &[
            "Call `build_start` for the item; when it refuses, follow its hint.",
            "Do the next step, with a test that names the scenario it proves (`@spec <spec>#<requirement>/<scenario>`).",
            "Call `plan_step_complete` only when the step is really done and its check passes.",
            "When all steps are done, call `build_complete`.",
        ],
    },
    Skill {
        verb: "review",
        description: "Review a change: what it promises, what it breaks, what lacks proof.",
        steps: &[
            "Call `get_change` and `change_diff` for what is promised, `change_overlaps` for what others change at once.",
            "Call `validate_change`; compare each scenario with the code and the test that names it.",
            "Report what is missing, wrong or unproven, with file and line. Say so when nothing is.",
            "The verdict is a person's: `hewto review` and `hewto approve` in a terminal.",
        ],
    },
    Skill {
        verb: "archive",
        description: "Bring a finished change into the living specs.",
        steps: &[
            "Call `validate_change` and `get_change`: every task done, nothing missing.",
            "Call `change_archive`. When it refuses, follow its hint; never edit the living specs by hand.",
            "Tell the user which specs have changed, as the answer says.",
        ],
    },
    Skill {
        verb: "next",
        description: "Say what to do next in this workspace, and why.",
        steps: &[
            "Call `workspace_status` and `list_changes` for what is open, blocked or waiting.",
            "Prefer what is being built over what is planned, and what is planned over what is new.",
            "Name one item, why it comes first, and the command or tool that starts it. Do not start it unasked.",
        ],
    },
    Skill {
        verb: "verify",
        description: "Check that what is promised is proven by tests that ran.",
        steps: &[
            "Run `hewto proof run` in a shell (or call `proof_run`, where the server offers it).",
            "Read `hewto proof --json`: what is proven, what is stale, what lacks a test.",
            "For each gap name the scenario, and the test that would prove it.",
            "Never mark anything as verified by hand: only a run that hewto made counts.",
        ],
    },
];

/// The files that bring the skills to an agent, with their texts.
pub(crate) fn skills(agent: Agent) -> Vec<(RelPath, String)> {
    let files = SKILLS.iter().filter_map(|skill| file(agent.skill_files(), skill));
    files.collect()
}

/// Whether hewto may have written this file.
pub(crate) fn is_skill(path: &RelPath) -> bool {
    Agent::all().flat_map(skills).any(|(own, _)| own == *path)
}

fn file(files: SkillFiles, skill: &Skill) -> Option<(RelPath, String)> {
    let Skill { verb, description, .. } = skill;
    let (path, text) = match files {
        SkillFiles::None => return None,
        SkillFiles::Skill(folder) => (
            format!("{folder}/hewto-{verb}/SKILL.md"),
            format!("---\nname: hewto-{verb}\ndescription: \"{description}\"\n---\n{}", body(skill)),
        ),
        SkillFiles::Command(folder) => (
            format!("{folder}/hewto-{verb}.md"),
            format!("---\ndescription: \"{description}\"\n---\n{}", body(skill)),
        ),
        SkillFiles::Prompt(folder) => (format!("{folder}/hewto-{verb}.md"), body(skill)),
        SkillFiles::PromptFile(folder) => (
            format!("{folder}/hewto-{verb}.prompt.md"),
            format!("---\nagent: agent\ndescription: \"{description}\"\n---\n{}", body(skill)),
        ),
        SkillFiles::Invokable(folder) => (
            format!("{folder}/hewto-{verb}.md"),
            format!(
                "---\nname: hewto-{verb}\ndescription: \"{description}\"\ninvokable: true\n---\n{}",
                body(skill)
            ),
        ),
        SkillFiles::TomlCommand(folder) => (
            format!("{folder}/hewto/{verb}.toml"),
            format!(
                "# {}\ndescription = \"{description}\"\nprompt = '''\n{}{{{{args}}}}\n'''\n",
                mark(),
                steps(skill)
            ),
        ),
    };
    Some((RelPath::parse(&path).ok()?, text))
}

fn mark() -> String {
    format!("{MARK} {} (written by `hewto init`, renewed by `hewto upgrade`)", env!("CARGO_PKG_VERSION"))
}

fn body(skill: &Skill) -> String {
    format!("<!-- {} -->\n{}", mark(), steps(skill))
}

fn steps(skill: &Skill) -> String {
    let mut out = format!("{} Use the MCP server `hewto`.\n\n", skill.description);
    for (number, step) in skill.steps.iter().enumerate() {
        let _ = writeln!(out, "{}. {step}", number + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_is_short_marked_and_versioned() {
        for agent in Agent::all() {
            for (path, text) in skills(agent) {
                assert!(text.lines().count() <= 16, "{path}: {text}");
                assert!(text.contains(MARK) && text.contains(env!("CARGO_PKG_VERSION")), "{path}");
                assert!(is_skill(&path), "{path}");
                if path.as_str().ends_with(".toml") {
                    let read: toml_edit::DocumentMut = text.parse().unwrap();
                    assert!(
                        read["prompt"].as_str().is_some_and(|text| text.contains("MCP server")),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn all_seven_come_to_every_agent_that_has_a_place_for_them() {
        let verbs = ["propose", "plan", "build", "review", "archive", "next", "verify"];
        for agent in Agent::all().filter(|agent| agent.skill_files() != SkillFiles::None) {
            let paths: Vec<String> = skills(agent).iter().map(|(path, _)| path.to_string()).collect();
            for verb in verbs {
                assert!(paths.iter().any(|path| path.contains(verb)), "{agent}: {paths:?}");
            }
        }
    }
}
