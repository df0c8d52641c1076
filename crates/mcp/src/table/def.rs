//! A tool with its types erased, as the table holds it: how it is listed, and how it is run.

use hewto_call::Lane;
use hewto_engine::workstation::ToolClass;
use hewto_engine::{Context, Error, Key, Kind, LockIntent, Project, Result, Workspace};
use rmcp::model::{ContentBlock, JsonObject, Tool as Listing, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::about::{About, Capability, Effect, Repeat, World};
use super::later;
use super::tool::{DecisionTool, StationTool, Tool, lane_of};
use crate::cursor;
use crate::options::{Spelling, Toolset};
use crate::schema::{Surface, input_schema, listed, on_surface, output_schema};
use crate::tools::workstation::dialect;

/// What a tool stands on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Run {
    Workspace(fn(&Workspace, &Context, Value) -> Result<Output>),
    Project(fn(&Project, &Context, Value) -> Result<Output>),
}

/// What a tool answers with.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// An object, as JSON.
    pub(crate) view: Box<RawValue>,
    pub(crate) media: Vec<ContentBlock>,
}

impl Output {
    pub(crate) fn of(view: &impl Serialize) -> Result<Self> {
        let view = to_raw_value(view).map_err(|error| no_json("written as", error))?;
        Ok(Self { view, media: Vec::new() })
    }

    /// The view, to look into it.
    pub(crate) fn value(&self) -> Result<Value> {
        serde_json::from_str(self.view.get()).map_err(|error| no_json("read back as", error))
    }
}

/// A [`Tool`] with its types erased.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolDef {
    pub(crate) about: About,
    pub(crate) capability: Option<Capability>,
    /// Under which of its names it is listed.
    pub(super) spelling: Spelling,
    /// With whose parameters it is listed and called.
    pub(super) surface: Surface,
    pub(crate) lane: Lane,
    pub(super) input: fn() -> JsonObject,
    output: fn() -> JsonObject,
    pub(super) run: Run,
    /// Whether the list says that calls may show the number of a claim; they may in any case.
    pub(super) lists_claim: bool,
    /// The parameters that another server's tool of this name has; `None` for a tool of our own.
    pub(super) face: Option<&'static [&'static str]>,
    #[cfg(test)]
    pub(super) decode: fn(Value) -> serde_json::Result<()>,
}

impl ToolDef {
    pub(crate) const fn of<T: Tool>() -> Self {
        let run = Run::Workspace(|workspace, context, arguments| {
            Output::of(&T::run(workspace, context, decode(arguments)?)?)
        });
        let def = Self::new::<T::Params, T::View>(T::ABOUT, T::LANE, run);
        Self { capability: T::CAPABILITY, ..def }
    }

    pub(crate) const fn deciding<T: DecisionTool>() -> Self {
        let run = Run::Project(|project, context, arguments| {
            Output::of(&T::run(project, context, decode(arguments)?)?)
        });
        Self::new::<T::Params, T::View>(T::ABOUT, lane_of(T::ABOUT.effect), run)
    }

    pub(crate) const fn working<T: StationTool>() -> Self {
        let run = Run::Project(|project, context, arguments| {
            let mut view = T::run(project, context, decode(arguments)?)?;
            let media = T::media(&mut view);
            Ok(Output { media, ..Output::of(&view)? })
        });
        Self::new::<T::Params, T::View>(T::ABOUT, T::LANE, run)
    }

    const fn new<P: DeserializeOwned + JsonSchema, V: JsonSchema>(
        about: About,
        lane: Lane,
        run: Run,
    ) -> Self {
        Self {
            about,
            capability: None,
            spelling: Spelling::Plain,
            surface: Surface::Ours,
            lane,
            input: input_schema::<P>,
            output: output_schema::<V>,
            run,
            lists_claim: false,
            face: None,
            #[cfg(test)]
            decode: |arguments| serde_json::from_value::<P>(arguments).map(drop),
        }
    }

    /// The same tool as another server names it, with that server's parameters.
    pub(crate) const fn called(
        mut self,
        name: &'static str,
        description: &'static str,
        parameters: &'static [&'static str],
        aliases: &'static [&'static str],
    ) -> Self {
        self.about.name = name;
        self.about.description = description;
        self.about.aliases = aliases;
        self.face = Some(parameters);
        self
    }

    /// Whether a call starts programs of the project.
    pub(crate) fn runs_programs(&self) -> bool {
        self.lane == Lane::Run
    }

    /// With whose parameters it is listed and called.
    pub(crate) fn surface(&self) -> Surface {
        self.surface
    }

    pub(crate) fn writes(&self) -> bool {
        self.about.effect != Effect::Reads
    }

    /// Whether its calls write to a piece of work that somebody may have claimed.
    pub(crate) fn takes_claim(&self) -> bool {
        let own = matches!(self.about.toolset, Toolset::Workflow | Toolset::Specs);
        own && self.writes() && !matches!(self.about.name, "spec_create" | "change_create")
    }

    /// The name under which its calls are logged.
    pub(crate) fn operation(&self) -> &'static str {
        self.capability.map_or(self.about.name, |capability| capability.id)
    }

    /// What a call wants to do with what it names.
    pub(crate) fn lock_intent(&self, arguments: &JsonObject) -> LockIntent {
        match self.capability {
            Some(capability) => (capability.lock)(arguments),
            None if self.writes() => LockIntent::Write,
            None => LockIntent::Read,
        }
    }

    /// Whether a call may touch anything beyond the machine.
    fn reaches_out(&self) -> bool {
        self.lane == Lane::Run || self.capability.is_some_and(|capability| capability.world == World::Open)
    }

    /// The name that it is listed under.
    pub(crate) fn name(&self) -> &'static str {
        match (self.spelling, self.capability) {
            (Spelling::Seed, Some(capability)) => capability.id,
            _ => self.about.name,
        }
    }

    /// As what a call counts against the limits of the workstation, if it does.
    pub(crate) fn class(&self) -> Option<ToolClass> {
        match self.lane {
            Lane::ReadItem | Lane::Read | Lane::Write => None,
            Lane::StatPath | Lane::Walk | Lane::Git => Some(ToolClass::Read),
            Lane::WriteFile | Lane::WriteTree => Some(ToolClass::Write),
            Lane::Run => Some(ToolClass::Run),
        }
    }

    /// Runs the tool with arguments that passed its schema.
    pub(crate) fn run(&self, project: &Project, context: &Context, mut arguments: Value) -> Result<Output> {
        cursor::take(&mut arguments, context)?;
        let mut output = match self.run {
            Run::Workspace(run) => run(project.workspace()?, context, arguments)?,
            Run::Project(run) => run(project, context, arguments)?,
        };
        cursor::give(&mut output, context);
        Ok(output)
    }

    /// What the tool takes, under the names that it is listed with.
    pub(super) fn input_schema(&self) -> JsonObject {
        match self.face {
            Some(parameters) => dialect::face((self.input)(), parameters),
            None => on_surface((self.input)(), self.surface),
        }
    }

    /// The tool as `tools/list` shows it.
    pub(crate) fn listing(&self) -> Listing {
        let about = &self.about;
        let annotations = ToolAnnotations::with_title(about.title)
            .read_only(about.effect == Effect::Reads)
            .destructive(about.effect == Effect::Overwrites)
            .idempotent(about.effect == Effect::Reads || about.repeat == Repeat::ChangesNothing)
            .open_world(self.reaches_out());
        let mut input = self.input_schema();
        if self.lists_claim
            && let Some(Value::Object(properties)) = input.get_mut("properties")
        {
            properties.insert("claim".to_owned(), serde_json::json!({ "type": "integer" }));
        }
        let listing = Listing::new(self.name(), about.description, listed(input))
            .with_title(about.title)
            .with_raw_output_schema(self.output_schema().into())
            .with_annotations(annotations);
        match &self.capability {
            Some(capability) => listing.with_meta(capability.meta()),
            None => listing,
        }
    }

    /// The reply as whoever was shown this tool expects it: a seed's has nothing that came later.
    pub(crate) fn shown(&self, output: Output) -> Result<Output> {
        match (self.added(), output.value()) {
            (added @ [_, ..], Ok(Value::Object(mut view))) => {
                for member in added {
                    later::leave_out(member, &mut view);
                }
                Ok(Output { media: output.media, ..Output::of(&view)? })
            }
            _ => Ok(output),
        }
    }

    fn output_schema(&self) -> JsonObject {
        let mut schema = (self.output)();
        self.added().iter().for_each(|member| later::leave_out(member, &mut schema));
        schema
    }

    fn added(&self) -> &'static [&'static str] {
        if self.surface == Surface::Seed { later::added_to(self.about.name) } else { &[] }
    }
}

fn decode<P: DeserializeOwned>(arguments: Value) -> Result<P> {
    serde_json::from_value(arguments).map_err(|error| {
        Error::invalid_argument("arguments", "what the input schema says", error.to_string())
    })
}

fn no_json(done: &str, error: serde_json::Error) -> Error {
    let message = format!("the answer cannot be {done} JSON");
    Error::new(Kind::Machine, Key::InternalError, message).caused_by(error)
}
