//! Random use cases against a small model: what is refused changes nothing, what is done is exactly what was asked for.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use hewto_core::delta::{NewDelta, NewRemoval, NewRequirement, NewScenario};
use hewto_core::plan::StepStatus;
use hewto_engine::build::{self, Approval, Completion};
use hewto_engine::change::{self, ArchiveOptions, Archived, NewChange};
use hewto_engine::plan::{self, NewPlan};
use hewto_engine::spec::{self, NewSpec};
use hewto_engine::{PageRequest, Result};
use proptest::prelude::*;

use crate::support::{Fixture, steps};

/// Something that an agent or a person does.
#[derive(Debug, Clone)]
enum Act {
    NewSpec,
    NewPlan(usize),
    Tick(usize, usize),
    Untick(usize, usize),
    Build(usize),
    Finish(usize),
    Add(usize),
    Modify(usize),
    Remove(usize),
    Archive(usize),
    Withdraw(usize),
    /// A person puts a remark behind the last requirement.
    Remark,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let small = 0..4usize;
    let act = prop_oneof![
        2 => Just(Act::NewSpec),
        2 => small.clone().prop_map(Act::NewPlan),
        3 => (small.clone(), 0..4usize).prop_map(|(item, step)| Act::Tick(item, step)),
        1 => (small.clone(), 0..4usize).prop_map(|(item, step)| Act::Untick(item, step)),
        2 => small.clone().prop_map(Act::Build),
        1 => small.clone().prop_map(Act::Finish),
        3 => small.clone().prop_map(Act::Add),
        3 => small.clone().prop_map(Act::Modify),
        2 => small.clone().prop_map(Act::Remove),
        4 => small.clone().prop_map(Act::Archive),
        1 => small.prop_map(Act::Withdraw),
        1 => Just(Act::Remark),
    ];
    proptest::collection::vec(act, 1..16)
}

/// What should be there.
#[derive(Debug, Default)]
struct Model {
    /// Steps of plans, done or not, by spec, in the order in which they were made.
    specs: Vec<(String, Option<Vec<bool>>)>,
    /// Open changes: what each does to which requirement.
    changes: Vec<(String, Deed)>,
    /// Names and texts of the living spec.
    requirements: BTreeMap<String, String>,
    remarks: usize,
    made: usize,
}

#[derive(Debug, Clone)]
enum Deed {
    Add(String, String),
    Modify(String, String),
    Remove(String),
}

struct World {
    f: Fixture,
    model: Model,
}

impl World {
    fn new() -> Self {
        let f = Fixture::new();
        let mut text = "# cap Specification\n\n## Purpose\n\nWhat everybody relies on, day and night.\n\n## Requirements\n".to_owned();
        let mut model = Model::default();
        for number in 0..2 {
            let (name, says) = (format!("R{number}"), format!("The system SHALL do {number} at first."));
            let _ = write!(
                text,
                "\n### Requirement: {name}\n\n{says}\n\n#### Scenario: S\n\n- **WHEN** asked\n- **THEN** done\n"
            );
            model.requirements.insert(name, says);
        }
        f.write("specs/cap/spec.md", text);
        Self { f, model }
    }

    fn act(&mut self, act: &Act) {
        let before = tree(self.f.root());
        let done = match act {
            Act::NewSpec => self.new_spec(),
            Act::NewPlan(item) => self.new_plan(*item),
            Act::Tick(item, step) => self.tick(*item, *step, true),
            Act::Untick(item, step) => self.tick(*item, *step, false),
            Act::Build(item) => {
                self.on_spec(*item, |f, id| build::start(&f.ws, &f.ctx, id, Approval::Given).map(drop))
            }
            Act::Finish(item) => self.on_spec(*item, |f, id| {
                let completion = Completion { summary: "done".into(), ..Completion::default() };
                build::complete(&f.ws, &f.ctx, id, &completion).map(drop)
            }),
            Act::Add(number) => self.propose(*number, "add"),
            Act::Modify(number) => self.propose(*number, "modify"),
            Act::Remove(number) => self.propose(*number, "remove"),
            Act::Archive(number) => self.archive(*number),
            Act::Withdraw(number) => self.withdraw(*number),
            Act::Remark => {
                self.remark();
                Ok(())
            }
        };
        if let Err(error) = done {
            assert!(error.hint.is_some(), "{act:?}: {error:?}");
            assert_eq!(before, tree(self.f.root()), "{act:?} was refused and changed something: {error:?}");
        }
        self.compare(act);
    }

    fn new_spec(&mut self) -> Result<()> {
        self.model.made += 1;
        let new = NewSpec {
            title: format!("Work {}", self.model.made),
            description: "Because it is needed".into(),
            ..NewSpec::default()
        };
        let id = spec::create(&self.f.ws, &self.f.ctx, &new)?.spec_id;
        self.model.specs.push((id, None));
        Ok(())
    }

    fn on_spec(&mut self, item: usize, act: impl Fn(&Fixture, &str) -> Result<()>) -> Result<()> {
        match self.model.specs.get(item) {
            Some((id, _)) => act(&self.f, id),
            None => act(&self.f, "1-nothing-of-this-name"),
        }
    }

    fn new_plan(&mut self, item: usize) -> Result<()> {
        let new = NewPlan { approach: "Step by step".into(), steps: steps(&["One", "Two"]) };
        self.on_spec(item, |f, id| plan::create(&f.ws, &f.ctx, id, &new).map(drop))?;
        self.model.specs[item].1 = Some(vec![false, false]);
        Ok(())
    }

    fn tick(&mut self, item: usize, step: usize, done: bool) -> Result<()> {
        self.on_spec(item, |f, id| {
            if done {
                plan::complete_step(&f.ws, &f.ctx, id, step, None).map(drop)
            } else {
                plan::reopen_step(&f.ws, &f.ctx, id, step, "not right yet").map(drop)
            }
        })?;
        self.model.specs[item].1.as_mut().expect("a plan whose step was ticked")[step] = done;
        Ok(())
    }

    fn propose(&mut self, number: usize, what: &str) -> Result<()> {
        self.model.made += 1;
        let (id, name) = (format!("c{}", self.model.made), format!("R{number}"));
        let says = format!("The system SHALL do {number} as of {}.", self.model.made);
        let requirement = NewRequirement {
            name: name.clone(),
            text: says.clone(),
            scenarios: vec![NewScenario {
                name: "S".into(),
                when: Some("asked".into()),
                then: vec!["done".into()],
                ..NewScenario::default()
            }],
            ..NewRequirement::default()
        };
        let (delta, deed) = match what {
            "add" => (NewDelta { added: vec![requirement], ..NewDelta::default() }, Deed::Add(name, says)),
            "modify" => {
                (NewDelta { modified: vec![requirement], ..NewDelta::default() }, Deed::Modify(name, says))
            }
            _ => {
                let removed = vec![NewRemoval { name: name.clone(), reason: Some("unused".into()) }];
                (NewDelta { removed, ..NewDelta::default() }, Deed::Remove(name))
            }
        };
        let new = NewChange {
            change_id: id.clone(),
            why: "Because people ask for it every week, and have for years.".into(),
            what_changes: "- it".into(),
            tasks: vec!["Do it".into()],
            deltas: BTreeMap::from([("cap".to_owned(), delta)]),
            ..NewChange::default()
        };
        change::create(&self.f.ws, &self.f.ctx, &new)?;
        self.model.changes.push((id, deed));
        Ok(())
    }

    fn archive(&mut self, number: usize) -> Result<()> {
        let id = self.model.changes.get(number).map_or("nothing", |(id, _)| id).to_owned();
        let options = ArchiveOptions { allow_open_tasks: true, ..ArchiveOptions::default() };
        change::archive(&self.f.ws, &self.f.ctx, &id, options)?;
        let (_, deed) = self.model.changes.remove(number);
        match deed {
            Deed::Add(name, says) | Deed::Modify(name, says) => self.model.requirements.insert(name, says),
            Deed::Remove(name) => self.model.requirements.remove(&name),
        };
        // With its last requirement the capability is retired.
        if !self.f.path("specs/cap/spec.md").exists() {
            self.model.remarks = 0;
        }
        Ok(())
    }

    fn withdraw(&mut self, number: usize) -> Result<()> {
        let id = self.model.changes.get(number).map_or("nothing", |(id, _)| id).to_owned();
        change::withdraw(&self.f.ws, &self.f.ctx, &id, "nobody wants it")?;
        self.model.changes.remove(number);
        Ok(())
    }

    fn remark(&mut self) {
        if self.f.path("specs/cap/spec.md").exists() {
            self.model.remarks += 1;
            let text = self.f.read("specs/cap/spec.md");
            self.f.write(
                "specs/cap/spec.md",
                format!("{text}\n### Notes {}\n\nTalk to Ann.\n", self.model.remarks),
            );
        }
    }

    /// What hewto answers is what the model says.
    fn compare(&self, act: &Act) {
        let Fixture { ws, ctx, .. } = &self.f;
        for (id, plan) in &self.model.specs {
            assert!(spec::status(ws, ctx, id).is_ok(), "{act:?}: {id}");
            if let Some(wanted) = plan {
                let view = plan::show(ws, ctx, id).unwrap();
                let done: Vec<bool> =
                    view.steps.iter().map(|step| step.status == StepStatus::Completed).collect();
                assert_eq!(&done, wanted, "{act:?}");
            }
        }
        let open = change::list(ws, ctx, Archived::LeftOut, &PageRequest::default()).unwrap().changes;
        let mut open: Vec<&str> = open.iter().map(|card| card.id.as_str()).collect();
        let mut wanted: Vec<&str> = self.model.changes.iter().map(|(id, _)| id.as_str()).collect();
        open.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(open, wanted, "{act:?}");
        let text = if self.model.requirements.is_empty() && !self.f.path("specs/cap/spec.md").exists() {
            String::new()
        } else {
            self.f.read("specs/cap/spec.md")
        };
        let mut said = BTreeMap::new();
        for block in text.split("### Requirement: ").skip(1) {
            let mut lines = block.lines().filter(|line| !line.trim().is_empty());
            let name = lines.next().unwrap_or_default().to_owned();
            said.insert(name, lines.next().unwrap_or_default().to_owned());
        }
        assert_eq!(said, self.model.requirements, "{act:?}");
        // What a person wrote stays, unless the whole capability went.
        for remark in (1..=self.model.remarks).filter(|_| !text.is_empty()) {
            assert!(text.contains(&format!("### Notes {remark}\n")), "{act:?}: {text}");
        }
    }
}

/// Every file with its text, without logs, locks and caches.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && name != ".hewto" {
                waiting.push(path);
            } else if path.is_file() {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_in_whatever_order_the_files_say_what_the_model_says(acts in acts()) {
        let mut world = World::new();
        for act in &acts {
            world.act(act);
        }
    }
}
