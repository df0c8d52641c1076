//! Specs and changes put together at random, always the same ones: mostly sound, with a fault here and there.

use std::fmt::Write;

use super::cases::{ChangeCase, SpecCase};

/// A small generator of numbers, so that every run compares the same texts.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits fit") % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    /// The first choice most of the time, any of the others now and then.
    fn mostly<'c>(&mut self, usual: &'c str, others: &[&'c str]) -> &'c str {
        if self.one_in(8) { others[self.roll(others.len())] } else { usual }
    }
}

pub(crate) fn specs(count: u64) -> impl Iterator<Item = SpecCase> {
    (0..count).map(|seed| {
        let mut dice = Dice::new(seed + 1);
        let text = ended(&mut dice, spec(seed, true));
        SpecCase { id: format!("generated-{seed}"), text, difference: None }
    })
}

pub(crate) fn changes(count: u64) -> impl Iterator<Item = ChangeCase> {
    (0..count).map(|seed| {
        let mut dice = Dice::new(seed + 1_000_001);
        let current = (!dice.one_in(10)).then(|| spec(seed, dice.one_in(10)));
        let current = current.map(|text| ended(&mut dice, text));
        let delta = delta(&mut dice);
        ChangeCase {
            id: format!("generated-{seed}"),
            current,
            delta: Some(ended(&mut dice, delta)),
            tasks: dice.one_in(3).then(|| tasks(&mut dice)),
            metadata: dice.one_in(10).then(|| "schema: spec-driven\nretire_capabilities: true\n".to_owned()),
            difference: None,
        }
    })
}

/// Now and then with other line ends or a byte order mark.
fn ended(dice: &mut Dice, text: String) -> String {
    match dice.roll(12) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        2 => text.trim_end().to_owned(),
        _ => text,
    }
}

fn spec(seed: u64, faulty: bool) -> String {
    let mut dice = Dice::new(seed + 77);
    let faults = if faulty { Faults::InSpec } else { Faults::None };
    let mut out = String::from("# Thing Specification\n\n");
    if !(faulty && dice.one_in(20)) {
        let purposes = [
            "Short.",
            "",
            "TBD",
            "```\nonly code that is long enough to be no short purpose at all\n```",
            "<!-- nothing but a comment, though it is longer than fifty characters -->",
        ];
        let fine = "To keep strangers out and to let friends in, by day and by night.";
        let purpose = if faulty { dice.mostly(fine, &purposes) } else { fine };
        let _ = write!(out, "## Purpose\n{purpose}\n\n");
    }
    if faulty && dice.one_in(20) {
        out.push_str("## Annex\n\n### Requirement: R9\nIt MUST.\n\n");
    }
    out.push_str("## Requirements\n\n");
    for at in 0..dice.roll(4) + usize::from(!faulty) {
        let name = if faulty && dice.one_in(20) { 0 } else { at };
        out.push_str(&requirement(&mut dice, &format!("R{name}"), faults));
    }
    if faulty && dice.one_in(20) {
        out.push_str("## MODIFIED Requirements\n\n");
    }
    if dice.one_in(5) {
        out.push_str("## Notes\n\nWords.\n");
    }
    out
}

/// Faults that make the two tools read a file differently are for specs, of which the verdicts are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faults {
    None,
    InDelta,
    InSpec,
}

fn requirement(dice: &mut Dice, name: &str, faults: Faults) -> String {
    let faulty = faults != Faults::None;
    let heading = if faults == Faults::InSpec {
        let others =
            ["###Requirement:", "###  requirement:", " ### Requirement:", "####  Requirement:", "### Rule:"];
        dice.mostly("### Requirement:", &others)
    } else {
        "### Requirement:"
    };
    let bodies = [
        "",
        "It must work.",
        "**Key**: MUST",
        "```\nIt SHALL.\n```",
        "It SHALL\nwrap.",
        "- It SHALL\n- and so on",
        "<!-- It SHALL. -->",
    ];
    let body = if faulty { dice.mostly("It SHALL work.", &bodies) } else { "It SHALL work." };
    let mut out = format!("{heading} {name}\n{body}\n\n");
    let count = if faulty && dice.one_in(10) { 0 } else { 1 + dice.roll(2) };
    for at in 0..count {
        let marks = [
            "#### ",
            "##### Scenario:",
            "### Scenario:",
            "#### scenario: ",
            " #### Scenario:",
            "####Scenario:",
        ];
        let marks = if faults == Faults::InSpec { &marks[..] } else { &marks[..4] };
        let mark = if faulty { dice.mostly("#### Scenario:", marks) } else { "#### Scenario:" };
        let words = ["", "words", "```\n#### Scenario: no\n```", "##### Deep\nwords", "<!-- none -->"];
        let usual = "- **WHEN** x\n- **THEN** y";
        let words = if faulty { dice.mostly(usual, &words) } else { usual };
        let _ = write!(out, "{mark} S{at}\n{words}\n\n");
    }
    if faults == Faults::InSpec && dice.one_in(15) {
        let extras = [
            "```\nnever closed\n",
            "~~~\n## closed\n~~~\n",
            "<!--\n### Requirement: C\n-->\n",
            "    ```\n",
            "### Notes\ntext\n",
        ];
        out.push_str(extras[dice.roll(extras.len())]);
    }
    out
}

fn delta(dice: &mut Dice) -> String {
    let mut out = String::new();
    if dice.one_in(5) {
        out.push_str("## Purpose\nTo be new, and to be long enough to please the rule about it.\n\n");
    }
    for _ in 0..=dice.roll(3) {
        let faults = if dice.one_in(4) { Faults::InDelta } else { Faults::None };
        let name = format!("R{}", dice.roll(5));
        match dice.roll(5) {
            0 => {
                out.push_str(
                    dice.mostly("## ADDED Requirements\n\n", &["## added requirements\n", "## ADDED\n"]),
                );
                let new = format!("N{}", dice.roll(3));
                let name = if dice.one_in(6) { name } else { new };
                out.push_str(&requirement(dice, &name, faults));
            }
            1 | 2 => {
                out.push_str("## MODIFIED Requirements\n\n");
                out.push_str(&requirement(dice, &name, faults));
            }
            3 => {
                let entries = ["### Requirement: ", "- `### Requirement: ", "* ### Requirement: "];
                let entry = entries[dice.roll(3)];
                let close = if entry.contains('`') { "`" } else { "" };
                let name = if dice.one_in(8) { name.to_lowercase() } else { name };
                let _ = write!(out, "## REMOVED Requirements\n\n{entry}{name}{close}\n\n");
            }
            _ => {
                let to = dice.mostly("X1", &["R0", "r1", "N0"]);
                let from = format!("- FROM: `### Requirement: {name}`\n");
                let to = format!("- TO: `### Requirement: {to}`\n");
                let (from, to) = if dice.one_in(15) { (to, from) } else { (from, to) };
                let to = if dice.one_in(15) { String::new() } else { to };
                let _ = write!(out, "## RENAMED Requirements\n\n{from}{to}\n");
            }
        }
    }
    out
}

fn tasks(dice: &mut Dice) -> String {
    let mut out = String::from("# Tasks\n\n## 1. First\n\n");
    for at in 1..=1 + dice.roll(3) {
        let mark = dice.mostly("- [ ]", &["- [x]", "* [ ]", "1. [ ]", "-", "- []", "- [-]"]);
        let number = if dice.one_in(8) { 1 } else { at };
        let group = if dice.one_in(8) { 2 } else { 1 };
        let _ = writeln!(out, "{mark} {group}.{number} Do");
    }
    out
}
