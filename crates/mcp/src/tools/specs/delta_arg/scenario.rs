//! Scenarios in deltas: clause by clause, in lists, or in one text.

use hewto_engine::change::{AddedScenarios, Keyword, NewScenario, Step, steps_in};
use serde_json::Value;

use super::{Reader, escaped, field_of, folded};

impl Reader {
    pub(super) fn scenario(&mut self, at: &str, value: &Value) -> Option<NewScenario> {
        let object = match value {
            Value::String(text) => return Some(named_scenario(text)),
            Value::Object(object) => object,
            other => return self.wrong(at, "a scenario", other),
        };
        let mut scenario = NewScenario::default();
        let (mut given, mut when) = (Vec::new(), Vec::new());
        for (key, value) in object {
            let at = format!("{at}/{}", escaped(key));
            if value.is_null() {
                continue;
            }
            match folded(key).as_str() {
                "name" | "scenario" | "title" => scenario.name = self.name(&at, value),
                "given" => given = self.texts(&at, value),
                "when" => {
                    let texts = self.texts(&at, value);
                    let text = texts.join(" and ");
                    when = texts;
                    match steps_in(&text).filter(|steps| steps.len() > 1) {
                        Some(steps) => scenario.steps = steps,
                        None => scenario.when = Some(without_keyword(&text, Keyword::When)),
                    }
                }
                "then" => {
                    let texts = self.texts(&at, value);
                    scenario.then = texts.iter().flat_map(|text| outcomes(text)).collect();
                }
                "steps" => scenario.steps = self.steps(&at, value).unwrap_or_default(),
                "text" | "body" | "raw" | "markdown" => {
                    match self.text(&at, value).map(|text| steps_in(&without_heading(&text))) {
                        Some(Some(steps)) => scenario.steps = steps,
                        Some(None) => self.no_steps(&at),
                        None => {}
                    }
                }
                // What `get_scenario` says about it beside what it says.
                "specid" | "requirement" | "requirementdescription" | "tag" => {}
                _ => {
                    let message = format!("`{key}` is not part of a scenario");
                    self.fault(&at, "one of name, given, when, then, steps", message);
                }
            }
        }
        scenario.given = Some(given.join(" and ")).filter(|_| !given.is_empty());
        if scenario.steps.is_empty() && (given.len() > 1 || when.len() > 1) {
            scenario.steps = clauses(&given, &when, &scenario.then);
        }
        if scenario.name.trim().is_empty() {
            return self.missing(at, "name", "the name of the scenario");
        }
        Some(scenario)
    }

    fn steps(&mut self, at: &str, value: &Value) -> Option<Vec<Step>> {
        let entries = match value {
            Value::Array(entries) => entries,
            Value::String(text) => {
                let steps = steps_in(text);
                if steps.is_none() {
                    self.no_steps(at);
                }
                return steps;
            }
            other => return self.wrong(at, "a list of {keyword, text}", other),
        };
        let mut steps = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let at = format!("{at}/{index}");
            let keyword =
                entry["keyword"].as_str().and_then(|word| Keyword::of(word.trim_matches(['*', ':', ' '])));
            match (keyword, entry["text"].as_str(), entry.as_str().and_then(steps_in)) {
                (Some(keyword), Some(text), _) => steps.push(Step { keyword, text: text.to_owned() }),
                (_, _, Some(more)) => steps.extend(more),
                _ => {
                    let message = format!("`{}` is not a step", field_of(&at));
                    self.fault(&at, "{keyword: GIVEN, WHEN, THEN, AND or BUT, text}", message);
                }
            }
        }
        Some(steps)
    }

    fn no_steps(&mut self, at: &str) {
        let message = format!("`{}` does not begin with GIVEN, WHEN or THEN", field_of(at));
        self.fault(at, "a text such as `WHEN … THEN …`", message);
    }

    pub(super) fn added_scenarios(&mut self, at: &str, value: &Value) -> Vec<AddedScenarios> {
        match value {
            // By the requirement's name.
            Value::Object(object)
                if !object.keys().any(|key| matches!(key.as_str(), "requirement" | "scenarios")) =>
            {
                let of_name = object.iter().map(|(name, scenarios)| AddedScenarios {
                    requirement: name.clone(),
                    scenarios: self.list(&format!("{at}/{}", escaped(name)), scenarios, Self::scenario),
                });
                of_name.collect()
            }
            value => self.list(at, value, Self::added_scenario),
        }
    }

    fn added_scenario(&mut self, at: &str, value: &Value) -> Option<AddedScenarios> {
        let Value::Object(object) = value else { return self.wrong(at, "{requirement, scenarios}", value) };
        let name = ["requirement", "to"].into_iter().find_map(|key| object.get(key)?.as_str());
        let list = ["scenarios", "scenario"].into_iter().find_map(|key| Some((key, object.get(key)?)));
        let name = name.or_else(|| object.get("name").and_then(Value::as_str).filter(|_| list.is_some()));
        let Some(name) = name else { return self.missing(at, "requirement", "the name of the requirement") };
        let scenarios = if let Some((key, list)) = list {
            self.list(&format!("{at}/{key}"), list, Self::scenario)
        } else {
            // One scenario in the place of the list.
            let mut one = object.clone();
            one.shift_remove("requirement");
            self.scenario(at, &Value::Object(one)).into_iter().collect()
        };
        Some(AddedScenarios { requirement: name.to_owned(), scenarios })
    }
}

/// Lists of texts as steps: the first of each with its keyword, the others with AND.
fn clauses(given: &[String], when: &[String], then: &[String]) -> Vec<Step> {
    let list = |keyword: Keyword, texts: &[String]| {
        let step = move |(at, text): (usize, &String)| Step {
            keyword: if at == 0 { keyword } else { Keyword::And },
            text: without_keyword(text, keyword),
        };
        texts.iter().enumerate().map(step).collect::<Vec<_>>()
    };
    [list(Keyword::Given, given), list(Keyword::When, when), list(Keyword::Then, then)].concat()
}

/// `THEN a AND b` in one text as two outcomes; a text without keywords is one.
fn outcomes(text: &str) -> Vec<String> {
    match steps_in(text) {
        Some(steps) if steps.iter().all(|step| !matches!(step.keyword, Keyword::Given | Keyword::When)) => {
            steps.into_iter().map(|step| step.text).collect()
        }
        _ => vec![text.to_owned()],
    }
}

fn without_keyword(text: &str, keyword: Keyword) -> String {
    match steps_in(text).as_deref() {
        Some([only]) if only.keyword == keyword => only.text.clone(),
        _ => text.to_owned(),
    }
}

/// A scenario in one text: `Name: WHEN … THEN …`, a block of Markdown, or steps alone, which then name it. A text
/// without steps is the name of one that is to stay.
fn named_scenario(text: &str) -> NewScenario {
    let heading = text.lines().find_map(|line| {
        let title = line.trim().strip_prefix("####")?.trim();
        Some(title.strip_prefix("Scenario:").unwrap_or(title).trim().to_owned())
    });
    let body = without_heading(text);
    if let Some(steps) = steps_in(&body) {
        let of_steps = || steps.iter().find(|step| step.keyword == Keyword::When).or(steps.first());
        let name = heading.or_else(|| of_steps().map(|step| step.text.chars().take(80).collect()));
        return NewScenario { name: name.unwrap_or_default(), steps, ..NewScenario::default() };
    }
    if let Some((name, steps)) = body.split_once(':').and_then(|(name, rest)| Some((name, steps_in(rest)?))) {
        return NewScenario { name: name.trim().to_owned(), steps, ..NewScenario::default() };
    }
    NewScenario { name: heading.unwrap_or_else(|| text.trim().to_owned()), ..NewScenario::default() }
}

fn without_heading(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("####")).collect::<Vec<_>>().join("\n")
}
