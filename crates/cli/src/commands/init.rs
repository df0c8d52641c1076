//! `hewto init`: make a folder a workspace and connect the agents that are in use.
//!
//! It asks only when a person sits at the terminal, shows its plan before it writes, and writes all of it or nothing.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hewto_engine::init::{self, Action, AgentChoice, InitOptions, InitView, Purpose};
use hewto_engine::review::{Channel, Reviewer};
use hewto_engine::{Agent, LayoutKind, Start, Workspace, gate, search};
use serde_json::json;

use crate::act;
use crate::failure::{Failure, Outcome, Verdict, usage};
use crate::place::{Place, absolute, context, unhurried};
use crate::ui::{BAD, Cell, DIM, Format, GOOD, HEADING, NAME, Table, Ui, count, one_line, paint};
use crate::{env, interrupt};

/// Make a folder a workspace and connect the agents in use
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Agents are found by their files and folders (.claude, CLAUDE.md, .cursor, .vscode, .codex, .gemini, .kiro, opencode.json …). Each \
gets the server in its own configuration, a short marked section in its instructions, and skills or slash commands where it \
has them; everything else in those files keeps its bytes, and `hewto uninstall` restores them. What somebody has edited is left \
alone and reported (exit 1). Without a terminal nothing is asked, as with --yes. A file in your home is written only for agents that you name, or with --user.

Examples:
  hewto init                            look, show the plan, ask, write
  hewto init --dry-run                  print the diff and write nothing
  hewto init --yes --agents claude-code,codex")]
pub(crate) struct Args {
    /// The folder [default: --workspace, else the current folder]
    path: Option<PathBuf>,
    /// Whose files to lay out: hewto's own, or those of another tool [default: native; specman where its files are]
    #[arg(long, value_enum)]
    layout: Option<Layout>,
    /// The project's name [default: the folder's name]
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// What the project is about
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Connect exactly these agents: claude-code, cursor, vscode, codex, gemini …, or `none`, or `all`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    agents: Option<Vec<String>>,
    /// Make a workspace of its own although the folder lies in one; a package of a monorepo (package.json, Cargo.toml …) that is
    /// named as PATH gets one unasked
    #[arg(long)]
    nested: bool,
    /// Write no skills or slash commands
    #[arg(long)]
    no_skills: bool,
    /// Write into your home too, for agents found here that keep their servers there
    #[arg(long)]
    user: bool,
    /// Print the diff that would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Layout {
    Native,
    Airsspec,
    Spox,
    Specman,
    Openspec,
}

pub(crate) fn run(ui: &mut Ui, place: &Place, args: Args) -> Outcome {
    let start = match &args.path {
        Some(path) => absolute(path)?,
        None => place.start().to_owned(),
    };
    // A slip of the pen must not become a tree of folders.
    if !start.is_dir() {
        let message = if start.exists() { "this is not a folder" } else { "no folder is there" };
        return Err(usage(format!("{message}: {}", one_line(&start.display().to_string())))
            .hint("make the folder first, or name one that is there; nothing was written")
            .into());
    }
    let mut options = InitOptions {
        layout: args.layout.map_or_else(|| init::layout_of(&start), LayoutKind::from),
        name: args.name,
        description: args.description,
        agents: choice(args.agents.as_deref())?,
        command: env::program()?,
        renewed: Vec::new(),
        skills: !args.no_skills,
        personal: env::personal(),
        user: args.user,
        purpose: Purpose::Connect,
        nested: args.nested || (args.path.is_some() && init::is_package(&start)),
    };
    let asks = !args.yes && !args.dry_run && ui.can_ask();
    // A folder that is a workspace already needs no name, and has its gates.
    let is_new = match Workspace::discover(Start::Here(&start)) {
        Ok(there) => options.nested && start.canonicalize().is_ok_and(|real| real != there.root()),
        Err(_) => true,
    };
    if asks && is_new {
        ask(ui, &start, &mut options)?;
    }
    let context = context();
    let plan = init::plan(&start, &context, &options)?;
    if args.dry_run {
        let view = plan.preview();
        preview(ui, &view)?;
        return Ok(verdict(&view));
    }
    if ui.format() == Format::Human && !plan.is_empty() {
        ui.print(&show_plan(&plan.view()))?;
    }
    if asks && !plan.is_empty() && !ui.confirm("Write this?")? {
        ui.print("nothing was written")?;
        return Ok(Verdict::No);
    }
    interrupt::calls_off(&context)?;
    let wrote = !plan.is_empty();
    let made = || Workspace::discover(Start::Here(&start)).ok().map(|made| made.layout().clone());
    let layout = || if wrote { made() } else { None };
    let inputs = json!({ "layout": format!("{:?}", options.layout).to_lowercase(), "name": options.name });
    let view = act::noted(context, "init", inputs, layout, |context| plan.carry_out(context))?;
    // The folder itself: the view has its name as text, which not every name is.
    index(&start);
    if asks && is_new && view.complete {
        ask_gate(ui, &start)?;
    }
    ui.answer(&view, |view| show_outcome(view, wrote))?;
    Ok(verdict(&view))
}

/// Asks whose word opens a plan, and writes it down. Without an answer nothing is written, which means an argument.
fn ask_gate(ui: &mut Ui, start: &Path) -> Outcome<()> {
    let question = format!(
        "{} {}\n{} ",
        paint(HEADING, "Who has to approve a plan before it is built?"),
        paint(
            DIM,
            "asserted (an argument that agents give), elicited (a form of the client), terminal, signed, touch"
        ),
        paint(DIM, "[terminal]"),
    );
    let Some(answer) = ui.line(&question)? else { return Ok(()) };
    let level = match answer.trim() {
        "" => "terminal",
        level => level,
    };
    let workspace = Workspace::discover(Start::Here(start))?.with_trust(env::trust());
    let change = gate::prepare(&workspace, &context(), "plan", level)?;
    let by = Reviewer { name: env::user(), channel: Channel::Terminal };
    gate::submit(&workspace, &context(), &change, &by, None)?;
    ui.note(format_args!("plans are opened by `{level}`; `hewto gate` shows and changes it"))?;
    Ok(())
}

fn verdict(view: &InitView) -> Verdict {
    if view.complete { Verdict::Yes } else { Verdict::No }
}

fn choice(names: Option<&[String]>) -> Outcome<AgentChoice> {
    let Some(names) = names else { return Ok(AgentChoice::Found) };
    match names {
        [only] if only == "none" => return Ok(AgentChoice::Named(Vec::new())),
        [only] if only == "all" => return Ok(AgentChoice::All),
        _ => {}
    }
    let agents = names.iter().map(|name| {
        name.parse::<Agent>().map_err(|_| {
            let known = Agent::all().map(Agent::name).collect::<Vec<_>>().join("`, `");
            usage(format!("no agent is called `{}`", one_line(name)))
                .hint(format!("name some of `{known}`, or `none`, or `all`"))
                .into()
        })
    });
    Ok(AgentChoice::Named(agents.collect::<Outcome<_>>()?))
}

/// Makes the search index. One that cannot be made is no reason to have no workspace.
fn index(start: &Path) {
    let built =
        Workspace::discover(Start::Here(start)).and_then(|workspace| search::build(&workspace, &unhurried()));
    if let Err(error) = built {
        tracing::warn!("the search index cannot be made: {error}");
    }
}

/// Asks for what was not given.
fn ask(ui: &mut Ui, start: &Path, options: &mut InitOptions) -> Outcome<()> {
    let folder = start.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if options.name.is_none() {
        options.name = Some(ui.ask("Project name", &folder)?).filter(|name| !name.is_empty());
    }
    if options.description.is_none() {
        options.description = Some(ui.ask("Description (optional)", "")?).filter(|text| !text.is_empty());
    }
    Ok(())
}

pub(super) fn show_plan(view: &InitView) -> String {
    let state = if view.created { "new" } else { "there already" };
    let agents: Vec<String> = view
        .agents
        .iter()
        .map(|agent| match agent.found_by.as_slice() {
            [] => agent.name.clone(),
            traces => format!("{} ({})", agent.name, traces.join(", ")),
        })
        .collect();
    let agents = if agents.is_empty() { "none".to_owned() } else { agents.join(", ") };
    let mut facts = Table::default();
    facts.row([Cell::styled("workspace", DIM), Cell::styled(&view.root, NAME)]);
    facts.row([Cell::styled("layout", DIM), Cell::plain(format!("{}, {state}", view.layout))]);
    facts.row([Cell::styled("agents", DIM), Cell::plain(agents)]);
    let mut lines = Table::indented();
    let mut skills: Vec<(Action, &str, usize)> = Vec::new();
    for line in view.plan.iter().filter(|line| line.action != Action::Unchanged) {
        // Seven files of a kind are one line.
        if line.why == "a skill"
            && let Some((folder, _)) = line.file.split_once("/hewto")
        {
            match skills.iter_mut().find(|(action, known, _)| *action == line.action && *known == folder) {
                Some((_, _, number)) => *number += 1,
                None => skills.push((line.action, folder, 1)),
            }
            continue;
        }
        let (word, style) = word(line.action);
        lines.row([Cell::styled(word, style), Cell::styled(&line.file, NAME), Cell::plain(&line.why)]);
    }
    for (action, folder, number) in skills {
        let (word, style) = word(action);
        let files = format!("{folder}/hewto…");
        lines.row([
            Cell::styled(word, style),
            Cell::styled(files, NAME),
            Cell::plain(count(number, "skill")),
        ]);
    }
    format!("{}{}\n{}", facts.render(), paint(DIM, "plan"), lines.render())
}

pub(super) fn word(action: Action) -> (&'static str, anstyle::Style) {
    match action {
        Action::Create => ("create", GOOD),
        Action::Merge => ("merge", GOOD),
        Action::Update => ("update", GOOD),
        Action::Unchanged => ("unchanged", DIM),
        Action::LeftAlone => ("left alone", BAD),
        Action::NotAsked => ("not asked", DIM),
        Action::Beside => ("beside", BAD),
    }
}

fn show_outcome(view: &InitView, wrote: bool) -> String {
    let mut out = left_alone(view);
    if wrote {
        let files = view.files.iter().filter(|file| !file.ends_with('/')).count();
        let _ = writeln!(out, "\nwrote {}; `hewto uninstall` takes everything back", count(files, "file"));
    } else {
        let _ = writeln!(out, "already a workspace ({}): {}\nnothing was changed", view.layout, view.root);
    }
    if view.agents.is_empty() {
        let known: Vec<&str> = env::agents_at_home().into_iter().map(Agent::name).collect();
        let names = if known.is_empty() { "claude-code".to_owned() } else { known.join(",") };
        let _ = writeln!(out, "next: hewto spec new \"What is wanted\" --description \"…\"");
        let _ = writeln!(out, "to connect an agent: hewto init --agents {names}");
        return out;
    }
    for line in view.plan.iter().filter(|line| line.action == Action::NotAsked) {
        let hint = line.hint.as_deref().unwrap_or_default();
        let _ = writeln!(out, "{} {}: {}; {hint}", paint(DIM, "not written:"), line.file, line.why);
    }
    for agent in &view.agents {
        let _ = writeln!(out, "\n{}: {}, then type:", paint(HEADING, &agent.name), agent.open);
        let _ = writeln!(out, "  {}", paint(NAME, &agent.sentence));
    }
    out
}

/// Shows what would be written, and writes nothing.
pub(super) fn preview(ui: &mut Ui, view: &InitView) -> Result<(), Failure> {
    if ui.format() == Format::Human {
        ui.notes(&left_alone(view))?;
    }
    ui.answer(view, |view| view.diff.clone().unwrap_or_default())?;
    Ok(())
}

pub(super) fn left_alone(view: &InitView) -> String {
    let mut out = String::new();
    let is_told = |action| matches!(action, Action::LeftAlone | Action::Beside);
    for line in view.plan.iter().filter(|line| is_told(line.action)) {
        let title = paint(BAD, if line.action == Action::Beside { "edited:" } else { "left alone:" });
        let _ = writeln!(out, "{title} {}: {}", one_line(&line.file), one_line(&line.why));
        if let Some(hint) = &line.hint {
            let _ = writeln!(out, "  hint: {}", one_line(hint));
        }
    }
    out
}

impl From<Layout> for LayoutKind {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Native => Self::Native,
            Layout::Airsspec => Self::Airsspec,
            Layout::Spox => Self::Spox,
            Layout::Specman => Self::Specman,
            Layout::Openspec => Self::Openspec,
        }
    }
}
