//! Choices that shrink: a list of numbers, of which each is what the next choice comes from, and zero is the plainest.

use serde_json::{Value, json};

/// The numbers of one call. Past their end everything is plain.
#[derive(Debug)]
pub(crate) struct Dice<'d> {
    rest: std::slice::Iter<'d, u16>,
}

/// Texts that people and agents have in their clipboards.
const TEXTS: &[&str] = &[
    "Plain words",
    "Zwölf Boxkämpfer, 日本語 🦀",
    "Two\nlines",
    "",
    "   ",
    "# Heading\n\nBelow it",
    "- [x] 1.1 Done",
    "---\nstate: done\n---\nbody",
    "```\n## In code\n",
    "<!-- a remark -->",
    "Ends with blanks  ",
    "\u{202e}right to left\u{200b}",
    "windows\r\nlines\r\n",
    "\"quotes\" 'single' \\ back",
    "### Requirement: Taken in\n\nIt SHALL be.",
    "**Status**: completed",
    "key: value, [list], {map}",
    "| a | b |\n|---|---|",
    "nul \u{0} inside",
    "## Steps",
    "%2e%2e/%2F?x#y",
];

impl<'d> Dice<'d> {
    pub(crate) fn new(numbers: &'d [u16]) -> Self {
        Self { rest: numbers.iter() }
    }

    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(*self.rest.next().unwrap_or(&0)) % limit.max(1)
    }

    /// True once in so many times; not by the plainest choice.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// Words that fit into a line, often; something else now and then.
    pub(crate) fn text(&mut self) -> String {
        let at = self.below(TEXTS.len() * 2);
        match TEXTS.get(at) {
            Some(text) => (*text).to_owned(),
            None if at + 1 == TEXTS.len() * 2 => "long ".repeat(900),
            None => format!("Words {at}"),
        }
    }

    /// A name with a number, so that names meet again.
    pub(crate) fn name(&mut self, of: &str) -> String {
        match self.below(12) {
            9 => format!("{of} ä日"),
            10 => format!("{}-", of.to_uppercase()),
            11 => self.text(),
            number => format!("{of} {}", number % 4),
        }
    }

    /// One that is known, mostly; else one that is nearly known, or known as something else.
    pub(crate) fn known<'s>(&mut self, known: impl Iterator<Item = &'s String>, others: &[String]) -> String {
        let known: Vec<&String> = known.collect();
        match (self.below(10), known.as_slice()) {
            (..=7, known @ [_, ..]) => (*self.pick(known)).clone(),
            (8, known @ [_, ..]) => {
                let id = *self.pick(known);
                near(id, self.below(3))
            }
            _ => match self.below(others.len() + 4) {
                0 => "nothing-of-this-name".to_owned(),
                1 => String::new(),
                2 => "../..".to_owned(),
                3 => self.text(),
                at => others[at - 4].clone(),
            },
        }
    }
}

fn near(id: &str, how: usize) -> String {
    match how {
        0 => id.chars().skip(1).collect(),
        1 => id.to_uppercase(),
        _ => format!("{id}x"),
    }
}

/// The arguments with one fault in them: something missing, of another type, or that nobody asked for.
pub(crate) fn spoil(arguments: &mut Value, number: u16) {
    let Some(fields) = arguments.as_object_mut() else { return };
    let number = usize::from(number);
    let wrong =
        [json!(null), json!(-1), json!([]), json!({ "a": 1 }), json!("\u{0}"), json!(1e300), json!(true)];
    let names: Vec<String> = fields.keys().cloned().collect();
    match (number % 4, names.get(number / 4 % names.len().max(1))) {
        (0, Some(name)) => drop(fields.remove(name)),
        (1 | 2, Some(name)) => {
            fields.insert(name.clone(), wrong[number / 64 % wrong.len()].clone());
        }
        _ => {
            fields.insert("nobody_knows_this".to_owned(), json!(number));
        }
    }
}
