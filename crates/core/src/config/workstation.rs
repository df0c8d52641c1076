//! `[workstation]`: what a repository asks to be allowed on the machine of whoever works in it.

use std::collections::BTreeMap;
use std::time::Duration;

use toml_edit::Item;

use super::reader::{Reader, number};
use crate::rate::Rate;

/// The most that a run may be given.
const LONGEST_RUN_S: i64 = 3600;

/// What the section says; what it leaves out, the workstation decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkstationConfig {
    /// Programs that may be started, each with the argument prefixes allowed; no prefix means any arguments.
    pub commands: BTreeMap<String, Vec<Vec<String>>>,
    /// Further variables that programs see.
    pub pass_environment: Vec<String>,
    /// How long a run may take unless the call says otherwise.
    pub run_time: Option<Duration>,
    /// Whether `git_commit` runs the repository's hooks.
    pub runs_hooks: bool,
    pub rates: ClassRates,
}

/// The paces that were named, of each class of tool.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClassRates {
    pub read: Option<Pace>,
    pub write: Option<Pace>,
    pub run: Option<Pace>,
    /// For the classes that name no burst of their own.
    pub burst: Option<f64>,
}

/// A pace, and its burst where one was named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    pub per_second: f64,
    pub burst: Option<f64>,
}

impl ClassRates {
    /// The rate of a class, with what holds where nothing was said.
    pub fn rate(&self, class: Option<Pace>, default: Rate) -> Rate {
        match class {
            None => Rate { burst: self.burst.unwrap_or(default.burst), ..default },
            // Whoever names the pace alone gets a second's worth at once.
            Some(Pace { per_second, burst }) => {
                let burst = burst.or(self.burst).unwrap_or_else(|| per_second.max(1.0));
                Rate { per_second, burst }
            }
        }
    }
}

impl WorkstationConfig {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            commands: commands(reader),
            pass_environment: reader.texts("workstation.pass_env").unwrap_or_default(),
            run_time: reader.seconds("workstation.timeout_s", 1..=LONGEST_RUN_S),
            runs_hooks: reader.flag("workstation.git.hooks").unwrap_or(false),
            rates: ClassRates {
                read: pace(reader, "workstation.rate.read"),
                write: pace(reader, "workstation.rate.write"),
                run: pace(reader, "workstation.rate.run"),
                burst: not_negative(reader, "workstation.rate.burst"),
            },
        }
    }
}

fn commands(reader: &mut Reader<'_>) -> BTreeMap<String, Vec<Vec<String>>> {
    let Some(item) = reader.item("workstation.commands") else { return BTreeMap::new() };
    let Some(table) = item.as_table_like() else {
        reader.complain(item, "`workstation.commands` is not a table");
        return BTreeMap::new();
    };
    let mut commands = BTreeMap::new();
    for (name, item) in table.iter() {
        if let Some(prefixes) = prefixes(item) {
            commands.insert(name.to_owned(), prefixes);
        } else {
            let name = name.escape_debug();
            reader
                .complain(item, &format!("`workstation.commands.{name}` is not a list of lists of strings"));
        }
    }
    commands
}

fn prefixes(item: &Item) -> Option<Vec<Vec<String>>> {
    let texts = |value: &toml_edit::Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    };
    item.as_array()?.iter().map(texts).collect()
}

fn pace(reader: &mut Reader<'_>, name: &str) -> Option<Pace> {
    let item = reader.item(name)?;
    let positive = |number: f64| (number.is_finite() && number >= 0.0).then_some(number);
    let pace = match item.as_table_like() {
        None => number(item).and_then(positive).map(|per_second| Pace { per_second, burst: None }),
        Some(table) => {
            let field = |key: &str| table.get(key).and_then(number).and_then(positive);
            let is_known = |(key, _): (&str, &Item)| matches!(key, "per_second" | "burst");
            match (field("per_second"), field("burst")) {
                (Some(per_second), Some(burst)) if table.iter().all(is_known) => {
                    Some(Pace { per_second, burst: Some(burst) })
                }
                _ => None,
            }
        }
    };
    if pace.is_none() {
        let expected = "a number of at least 0, or `{ per_second = …, burst = … }`";
        reader.complain(item, &format!("`{name}` is not {expected}"));
    }
    pace
}

fn not_negative(reader: &mut Reader<'_>, name: &str) -> Option<f64> {
    let number = reader.number(name)?;
    if number < 0.0 {
        reader.fault(name, &format!("`{name}` is below 0"));
        return None;
    }
    Some(number)
}
