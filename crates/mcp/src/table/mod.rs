//! One table of tools, from which everything about them comes (D-4, D-5, D-6).
//!
//! A tool is a type that implements [`Tool`] in `tools/<toolset>/<tool>.rs`, and a line in that folder's table. The
//! list, the schemas, the checks, the names that calls accept and the reference in `docs/tools.md` all follow.

mod about;
mod def;
mod delta_list;
mod later;
mod names;
mod sent_back;
mod spelling;
mod tool;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use hewto_core::near::near;
use hewto_engine::{Error, Key, Kind, Result};
use rmcp::model::{JsonObject, Tool as Listing};
use serde_json::{Value, json};

pub(crate) use self::about::{About, Capability, Effect, Repeat, World, extensions};
pub(crate) use self::def::{Output, ToolDef};
pub(crate) use self::tool::{DecisionTool, StationTool, Tool};
use crate::naming::{fit, fit_descriptions};
use crate::options::{Profile, ServerOptions, Toolset};
use crate::schema::{Checker, Misread, Surface};
use crate::tools;
use crate::tools::workstation::dialect;

/// The parameter that asks for whole documents.
const INCLUDE_DOCUMENT: &str = "include_document";

/// The tools that one server offers.
#[derive(Debug)]
pub(crate) struct Table {
    tools: Vec<Entry>,
    /// Names and aliases.
    by_name: HashMap<&'static str, usize>,
    listing: OnceLock<Vec<Listing>>,
}

/// A tool of a running server.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) def: ToolDef,
    checker: OnceLock<Checker>,
}

impl Entry {
    /// The arguments as the tool takes them, or all that is wrong with them.
    ///
    /// Whoever calls a tool by another server's name may use that server's parameters. A tool that is listed with
    /// them is checked against what the list says.
    pub(crate) fn check(&self, called_as: &str, mut arguments: JsonObject) -> Result<Value, Misread> {
        let checker = self.checker.get_or_init(|| Checker::new(self.def.input_schema()));
        match (self.def.about.toolset, self.def.face) {
            (Toolset::Workstation, None) => {
                dialect::translate(called_as, checker.schema(), &mut arguments);
                checker.check(arguments)
            }
            (_, None) => {
                if self.def.surface == Surface::Ours {
                    names::translate(checker.schema(), &mut arguments);
                    return checker.check(arguments);
                }
                let mut arguments = checker.check(arguments)?;
                // A seed's tool always answers with whole documents.
                let takes = (self.def.input)()["properties"].get(INCLUDE_DOCUMENT).is_some();
                if let Value::Object(arguments) = &mut arguments
                    && takes
                {
                    arguments.insert(INCLUDE_DOCUMENT.into(), true.into());
                }
                Ok(arguments)
            }
            (_, Some(_)) => {
                let mut arguments = checker.check(arguments)?;
                if let Value::Object(arguments) = &mut arguments {
                    dialect::translate(called_as, &Value::Object((self.def.input)()), arguments);
                }
                Ok(arguments)
            }
        }
    }
}

impl Table {
    /// The tools that the options choose from all there are.
    pub(crate) fn choose(options: &ServerOptions) -> Result<Self> {
        // `--tools` picks from everything, but a profile has no more than its own.
        let offers_all = options.tools.is_some() && options.profile.is_none();
        let served = options.served_toolsets();
        let own = options.profile.and_then(Profile::tools);
        let all: Box<dyn Iterator<Item = &ToolDef>> = match options.profile {
            Some(Profile::Ancplua) => Box::new(tools::workstation::ANCPLUA.iter()),
            _ => Box::new(tools::all()),
        };
        let offered: Vec<&ToolDef> = all
            .filter(|tool| offers_all || served.contains(&tool.about.toolset))
            .filter(|tool| own.is_none_or(|own| own.contains(&tool.about.name)))
            .collect();
        let mut chosen: Vec<ToolDef> = match &options.tools {
            Some(names) => names.iter().map(|name| pick(name, &offered)).collect::<Result<_>>()?,
            None => offered.into_iter().copied().collect(),
        };
        if options.read_only {
            chosen.retain(|tool| !tool.writes());
        }
        let spelling = options.spelling();
        let claims =
            options.profile.is_none() && chosen.iter().any(|tool| tool.about.toolset == Toolset::Review);
        for tool in &mut chosen {
            tool.spelling = spelling;
            if options.profile.is_some() {
                tool.surface = Surface::Seed;
            }
            tool.lists_claim = claims && tool.takes_claim();
        }
        chosen.sort_unstable_by_key(ToolDef::name);
        chosen.dedup_by_key(|tool| tool.name());
        Ok(Self::new(chosen))
    }

    pub(crate) fn new(chosen: Vec<ToolDef>) -> Self {
        let mut by_name = HashMap::new();
        for (index, tool) in chosen.iter().enumerate() {
            let seed = tool.capability.iter().map(|capability| capability.id);
            for name in tool.about.aliases.iter().copied().chain(seed).chain([tool.about.name]) {
                by_name.insert(name, index);
            }
        }
        let tools = chosen.into_iter().map(|def| Entry { def, checker: OnceLock::new() }).collect();
        Self { tools, by_name, listing: OnceLock::new() }
    }

    /// What `tools/list` answers: sorted by name, the same every time.
    pub(crate) fn listing(&self) -> &[Listing] {
        self.listing.get_or_init(|| {
            let listed = self.tools.iter().map(|entry| {
                let mut listing = entry.def.listing();
                listing.description = Some(fit(entry.def.about.description, self).into());
                if let Some(schema) = &mut listing.output_schema {
                    fit_descriptions(Arc::make_mut(schema), self);
                }
                listing
            });
            listed.collect()
        })
    }

    /// The tool of this name or alias.
    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|&index| &self.tools[index])
    }

    /// Names that somebody may have meant.
    pub(crate) fn near(&self, name: &str) -> Vec<String> {
        let words = |name: &str| {
            let mut words: Vec<String> = name.split(['_', '-', '.']).map(str::to_lowercase).collect();
            words.sort_unstable();
            words
        };
        // `create_change` is `change_create`, whatever else is spelled more like it.
        let turned: Vec<&str> = self.names().filter(|known| words(known) == words(name)).collect();
        match turned.as_slice() {
            [known] => vec![(*known).to_owned()],
            _ => near(name, self.names(), 3),
        }
    }

    /// Whether some tool works beneath the allowed folders.
    pub(crate) fn offers_workstation(&self) -> bool {
        self.tools.iter().any(|entry| entry.def.class().is_some())
    }

    /// The toolset that has a tool of this name, where it is another than those offered here.
    pub(crate) fn elsewhere(&self, name: &str) -> Option<Toolset> {
        let is_stand_in = self.tools.iter().any(|entry| entry.def.surface == Surface::Seed);
        let toolset = toolset_of(name).filter(|_| !is_stand_in)?;
        let is_offered = self.tools.iter().any(|entry| entry.def.about.toolset == toolset);
        (!is_offered).then_some(toolset)
    }

    /// What is offered and this set besides, as `--toolsets` takes it.
    pub(crate) fn toolsets_with(&self, further: Toolset) -> String {
        let is_offered = |set: &Toolset| self.tools.iter().any(|entry| entry.def.about.toolset == *set);
        let has_default = Toolset::DEFAULT.contains(&further) || Toolset::DEFAULT.iter().all(is_offered);
        let wanted = Toolset::ALL.iter().filter(|set| is_offered(set) || **set == further);
        let others = wanted.filter(|set| !(has_default && Toolset::DEFAULT.contains(set)));
        let default = has_default.then_some("default");
        default.into_iter().chain(others.map(|set| set.as_str())).collect::<Vec<_>>().join(",")
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.tools.iter().map(|entry| entry.def.name())
    }
}

/// Whether some tool has this name, whatever is offered.
pub(crate) fn is_tool(name: &str) -> bool {
    toolset_of(name).is_some() || tools::workstation::ANCPLUA.iter().any(|tool| tool.about.name == name)
}

/// The toolset that has a tool of this name, whatever is offered.
fn toolset_of(name: &str) -> Option<Toolset> {
    let mut all = tools::all();
    let found = all.find(|tool| {
        tool.about.name == name
            || tool.about.aliases.contains(&name)
            || tool.capability.is_some_and(|capability| capability.id == name)
    });
    found.map(|tool| tool.about.toolset)
}

/// The tool that `--tools` names.
fn pick(name: &str, offered: &[&ToolDef]) -> Result<ToolDef> {
    let found = offered.iter().find(|tool| {
        tool.about.name == name
            || tool.about.aliases.contains(&name)
            || tool.capability.is_some_and(|capability| capability.id == name)
    });
    found.map(|tool| **tool).ok_or_else(|| {
        let known: Vec<&str> = offered.iter().map(|tool| tool.about.name).collect();
        unknown_name("tool", name, &known)
    })
}

/// A name that the command line passed on and that nothing here is called.
pub(crate) fn unknown_name(what: &str, name: &str, known: &[&str]) -> Error {
    let hint = match near(name, known.iter().copied(), 3).as_slice() {
        [] => format!("known: `{}`", known.join("`, `")),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    Error::new(Kind::Usage, Key::UnknownName, format!("no {what} is called `{name}`"))
        .detail("known", json!(known))
        .hint(hint)
}

#[cfg(test)]
mod tests;
