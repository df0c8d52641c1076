//! What was measured, as a table for people and as a record for programs.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

/// All figures of one run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) specs: usize,
    pub(crate) rounds: usize,
    machine: Machine,
    figures: Vec<Figure>,
}

#[derive(Debug, Serialize)]
struct Machine {
    cores: usize,
    memory_gib: u64,
    os: &'static str,
    arch: &'static str,
}

/// One row: what hewto took, what the control took, and what is wanted.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) ours: f64,
    pub(crate) control: Option<f64>,
    pub(crate) ratio: Option<f64>,
    pub(crate) unit: &'static str,
    pub(crate) control_is: &'static str,
    pub(crate) goal: &'static str,
}

impl Report {
    pub(crate) fn new(specs: usize, rounds: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let memory_gib = fs_err::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok())
            .map_or(0, |kib| kib / (1024 * 1024));
        let machine = Machine { cores, memory_gib, os: std::env::consts::OS, arch: std::env::consts::ARCH };
        Self { specs, rounds, machine, figures: Vec::new() }
    }

    /// A time beside the control's time.
    pub(crate) fn times(
        &mut self,
        name: &str,
        ours: Duration,
        control: Option<(Duration, &'static str)>,
        goal: &'static str,
    ) {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        self.add(name, ms(ours), control.map(|(time, is)| (ms(time), is)), "ms", goal);
    }

    /// Any two numbers of one unit.
    pub(crate) fn add(
        &mut self,
        name: &str,
        ours: f64,
        control: Option<(f64, &'static str)>,
        unit: &'static str,
        goal: &'static str,
    ) {
        self.figures.push(Figure {
            name: name.to_owned(),
            ours,
            control: control.map(|(value, _)| value),
            ratio: control.filter(|(value, _)| *value > 0.0).map(|(value, _)| ours / value),
            unit,
            control_is: control.map_or("", |(_, is)| is),
            goal,
        });
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("figures are plain numbers and texts")
    }

    pub(crate) fn to_table(&self) -> String {
        let mut out = format!(
            "{} specs, median of {} rounds, {} cores, {} GiB\n\n| figure | hewto | control | ratio | goal |\n|---|---|---|---|---|\n",
            self.specs, self.rounds, self.machine.cores, self.machine.memory_gib
        );
        for figure in &self.figures {
            let control = figure.control.map_or_else(String::new, |value| {
                format!("{} {} ({})", shown(value), figure.unit, figure.control_is)
            });
            let ratio = figure.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
            let _ = writeln!(
                out,
                "| {} | {} {} | {control} | {ratio} | {} |",
                figure.name,
                shown(figure.ours),
                figure.unit,
                figure.goal
            );
        }
        out
    }
}

fn shown(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

#[expect(clippy::print_stdout, reason = "the report is what this program is for")]
pub(crate) fn print(text: &str) {
    println!("{text}");
}

#[expect(clippy::print_stderr, reason = "progress of a long run, kept apart from the report")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}
