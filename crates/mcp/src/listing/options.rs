//! What a server is started with: which tools it offers, how long a call may take, how many it takes.
//!
//! Everything here is fixed for the life of the process, because the protocol wants lists that do not change under
//! the client (D-5). Reading flags and variables is the command line's work.

use std::str::FromStr;
use std::time::Duration;

use hewto_engine::{Error, Result};

use crate::prompts::Offer;
use crate::resources::ResourceUri;
use crate::table::{Table, unknown_name};

/// How to serve.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerOptions {
    /// Tools of these sets are offered.
    pub toolsets: Vec<Toolset>,
    /// Exactly these tools are offered, whatever their set.
    pub tools: Option<Vec<String>>,
    /// Only tools that change nothing are offered.
    pub read_only: bool,
    /// Stand in for another server: its name, its tools.
    pub profile: Option<Profile>,
    /// How long a call may take; what the workspace's `[limits]` says when absent.
    pub call_timeout: Option<Duration>,
    /// Only these versions of the protocol are spoken, of those that there are; all when absent.
    pub protocols: Option<Vec<String>>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            toolsets: Toolset::DEFAULT.to_vec(),
            tools: None,
            read_only: false,
            profile: None,
            call_timeout: None,
            protocols: None,
        }
    }
}

/// A group of tools, with the resources and prompts that belong to them.
///
/// A new set is a variant here with its name, and a folder in `tools/` with its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toolset {
    /// Spec, plan and build with a lifecycle.
    Workflow,
    /// Requirements, scenarios, changes and the archive.
    Specs,
    /// Clarification, decision records, the current task; in any git repository.
    Decisions,
    /// Every artifact and what it depends on; templates, plans before writes, the operation log.
    Graph,
    /// Files, git and builds beneath the allowed folders.
    Workstation,
    /// Runs of the declared checks, and which promises they show to hold.
    Proof,
    /// Waiting for people's verdicts, comments, claims.
    Review,
}

impl Toolset {
    pub const ALL: &'static [Self] = &[
        Self::Workflow,
        Self::Specs,
        Self::Decisions,
        Self::Graph,
        Self::Workstation,
        Self::Proof,
        Self::Review,
    ];
    /// What is offered when nobody chooses.
    pub const DEFAULT: &'static [Self] = &[Self::Workflow, Self::Specs, Self::Decisions];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Specs => "specs",
            Self::Decisions => "decisions",
            Self::Graph => "graph",
            Self::Workstation => "workstation",
            Self::Proof => "proof",
            Self::Review => "review",
        }
    }

    /// The sets of these names; `all` and `default` stand for several.
    pub fn from_names<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<Self>> {
        let mut toolsets = Vec::new();
        for name in names {
            match name.trim() {
                "all" => toolsets.extend(Self::ALL),
                "default" => toolsets.extend(Self::DEFAULT),
                name => toolsets.push(name.parse()?),
            }
        }
        Ok(toolsets)
    }
}

impl FromStr for Toolset {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known: Vec<&str> = Self::ALL.iter().map(|toolset| toolset.as_str()).collect();
        Self::ALL
            .iter()
            .copied()
            .find(|toolset| toolset.as_str() == name)
            .ok_or_else(|| unknown_name("toolset", name, &known))
    }
}

/// Another server that hewto can stand in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Seed 000: 12 tools, 6 kinds of resource, 5 prompts.
    Airsspec,
    /// Seed 004: 8 tools.
    Spox,
    /// Seed 003: 2 tools.
    Preflights,
    /// Seed 002: 15 tools under their dotted names.
    Specman,
    /// Seed 001: 19 tools under their own names, with their own parameters.
    Ancplua,
}

impl Profile {
    pub const ALL: &'static [Self] =
        &[Self::Airsspec, Self::Spox, Self::Preflights, Self::Specman, Self::Ancplua];

    /// The profile's name, which is also the name its server gives itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Airsspec => "airsspec",
            Self::Spox => "spox",
            Self::Preflights => "preflights",
            Self::Specman => "specman",
            Self::Ancplua => "ancplua",
        }
    }

    /// The sets its tools come from.
    pub(crate) fn toolsets(self) -> &'static [Toolset] {
        match self {
            Self::Airsspec => &[Toolset::Workflow],
            Self::Spox => &[Toolset::Specs],
            Self::Preflights => &[Toolset::Decisions],
            Self::Specman => &[Toolset::Graph],
            Self::Ancplua => &[Toolset::Workstation],
        }
    }

    /// The tools its seed names; a new one of the same set is not among them. Those of `ancplua` have a table of their own.
    pub(crate) fn tools(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Ancplua => None,
            Self::Airsspec => Some(&[
                "build_complete",
                "build_start",
                "build_update",
                "plan_create",
                "plan_step_complete",
                "plan_update",
                "spec_check_dependencies",
                "spec_create",
                "spec_list",
                "spec_status",
                "spec_transition",
                "spec_update",
            ]),
            Self::Specman => Some(&[
                "specman_dependency_slice",
                "specman_dependency_tree",
                "specman_lifecycle_create",
                "specman_lifecycle_delete",
                "specman_lifecycle_plan_creation",
                "specman_lifecycle_plan_deletion",
                "specman_lifecycle_scratchpad",
                "specman_metadata_describe",
                "specman_metadata_patch",
                "specman_operations_inspect",
                "specman_prompt_catalog",
                "specman_templates_catalog",
                "specman_templates_pointer_update",
                "specman_workspace_describe",
                "specman_workspace_list_artifacts",
            ]),
            Self::Preflights => Some(&["read_architecture", "require_clarification"]),
            Self::Spox => Some(&[
                "get_change",
                "get_scenario",
                "get_spec_requirements",
                "list_changes",
                "list_specs",
                "search_specs",
                "validate_change",
                "validate_spec",
            ]),
        }
    }

    /// Which of its names a tool is listed under.
    pub(crate) fn spelling(self) -> Spelling {
        match self {
            Self::Specman => Spelling::Seed,
            Self::Airsspec | Self::Spox | Self::Preflights | Self::Ancplua => Spelling::Plain,
        }
    }
}

/// How the names of tools are written (D-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `specman_workspace_describe`: what every host takes.
    Plain,
    /// `specman.core.workspace.describe`: as the seed has it.
    Seed,
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known: Vec<&str> = Self::ALL.iter().map(|profile| profile.as_str()).collect();
        Self::ALL
            .iter()
            .copied()
            .find(|profile| profile.as_str() == name)
            .ok_or_else(|| unknown_name("profile", name, &known))
    }
}

impl ServerOptions {
    /// The prompts that are offered beside these tools: of all sets that are served, unless the profile's seed has none.
    pub(crate) fn prompts<'o>(&'o self, table: &'o Table) -> Offer<'o> {
        let toolsets = match self.profile {
            Some(Profile::Spox | Profile::Preflights | Profile::Specman | Profile::Ancplua) => &[],
            _ => self.served_toolsets(),
        };
        Offer { toolsets, read_only: self.read_only, table }
    }

    /// Whether this resource is offered: those of a toolset come with it.
    pub(crate) fn offers(&self, uri: &ResourceUri) -> bool {
        self.served_toolsets().contains(&uri.toolset())
    }

    /// Whether there are resources to read; they belong to the workflow and to the graph.
    pub(crate) fn offers_resources(&self) -> bool {
        self.served_toolsets()
            .iter()
            .any(|toolset| matches!(toolset, Toolset::Workflow | Toolset::Graph | Toolset::Proof))
    }

    /// Which of their names the tools are listed under.
    pub(crate) fn spelling(&self) -> Spelling {
        self.profile.map_or(Spelling::Plain, Profile::spelling)
    }

    /// The same with a set that the workspace asks for, where nobody has chosen sets or tools.
    #[must_use]
    pub(crate) fn with_asked_for(mut self, toolset: Toolset) -> Self {
        let chosen_by_nobody = self.profile.is_none()
            && self.tools.is_none()
            && Toolset::DEFAULT.iter().all(|own| self.toolsets.contains(own));
        if chosen_by_nobody && !self.toolsets.contains(&toolset) {
            self.toolsets.push(toolset);
        }
        self
    }

    /// The sets that are served: the profile's, or the chosen ones.
    pub(crate) fn served_toolsets(&self) -> &[Toolset] {
        match self.profile {
            Some(profile) => profile.toolsets(),
            None => &self.toolsets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_strangers_are_refused_with_what_is_known() {
        assert_eq!(
            Toolset::from_names([" workflow ", "all"]).unwrap(),
            [
                Toolset::Workflow,
                Toolset::Workflow,
                Toolset::Specs,
                Toolset::Decisions,
                Toolset::Graph,
                Toolset::Workstation,
                Toolset::Proof,
                Toolset::Review,
            ]
        );
        assert_eq!("airsspec".parse::<Profile>().unwrap(), Profile::Airsspec);
        let error = Toolset::from_names(["workflw"]).unwrap_err();
        assert_eq!(error.to_string(), "no toolset is called `workflw`");
        assert_eq!(error.plain_hint().as_deref(), Some("did you mean `workflow`?"));
        let error = "weather".parse::<Profile>().unwrap_err();
        let known = "known: `airsspec`, `spox`, `preflights`, `specman`, `ancplua`";
        assert_eq!(error.plain_hint().as_deref(), Some(known));
    }
}
