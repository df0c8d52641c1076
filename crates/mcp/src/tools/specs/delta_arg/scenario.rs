//! Scenarios in deltas: clause by clause, in lists, or in one text.

use hewto_core::requirement::unlabelled;
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
        // Further steps that stand in the text of `when`.
        let mut within = Vec::new();
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
                        Some(steps) => within = steps,
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
        if !within.is_empty() && scenario.steps.is_empty() {
            let has_outcome = within.iter().any(|step| step.keyword == Keyword::Then);
            let then = clauses(Keyword::Then, &std::mem::take(&mut scenario.then));
            let then = then.into_iter().enumerate().map(|(at, step)| match at {
                0 if has_outcome => Step { keyword: Keyword::And, ..step },
                _ => step,
            });
            scenario.steps = clauses(Keyword::Given, &given).into_iter().chain(within).chain(then).collect();
            given.clear();
        }
        scenario.given = Some(given.join(" and ")).filter(|_| !given.is_empty());
        if scenario.steps.is_empty() && (given.len() > 1 || when.len() > 1) {
            scenario.steps = [
                clauses(Keyword::Given, &given),
                clauses(Keyword::When, &when),
                clauses(Keyword::Then, &scenario.then),
            ]
            .concat();
        }
        if scenario.name.trim().is_empty() {
            return self.missing(at, "name", "the name of the scenario");
        }
        Some(scenario)
    }

    /// A list of scenarios, also as one text with their headings.
    pub(super) fn scenarios(&mut self, at: &str, value: &Value) -> Vec<NewScenario> {
        match value {
            Value::String(text) => apart(text).iter().map(|text| named_scenario(text)).collect(),
            value => self.list(at, value, Self::scenario),
        }
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
        self.fault(at, "text such as `WHEN … THEN …`", message);
    }

    pub(super) fn added_scenarios(&mut self, at: &str, value: &Value) -> Vec<AddedScenarios> {
        match value {
            // By the requirement's name.
            Value::Object(object)
                if !object.keys().any(|key| matches!(key.as_str(), "requirement" | "scenarios")) =>
            {
                let of_name = object.iter().map(|(name, scenarios)| AddedScenarios {
                    requirement: name.clone(),
                    scenarios: self.scenarios(&format!("{at}/{}", escaped(name)), scenarios),
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
            self.scenarios(&format!("{at}/{key}"), list)
        } else {
            // One scenario in the place of the list.
            let mut one = object.clone();
            one.shift_remove("requirement");
            self.scenario(at, &Value::Object(one)).into_iter().collect()
        };
        Some(AddedScenarios { requirement: name.to_owned(), scenarios })
    }
}

/// A list of texts as steps: the first with its keyword, the others with AND.
fn clauses(keyword: Keyword, texts: &[String]) -> Vec<Step> {
    let step = |(at, text): (usize, &String)| Step {
        keyword: if at == 0 { keyword } else { Keyword::And },
        text: without_keyword(text, keyword),
    };
    texts.iter().enumerate().map(step).collect()
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

/// A scenario in one text: `Name: WHEN … THEN …`, a name on a line of its own above the steps, a block of Markdown, or
/// steps alone, which then name it. A text without steps is the name of one that is to stay.
fn named_scenario(text: &str) -> NewScenario {
    let text = text.trim();
    let of = |name: &str, steps| NewScenario {
        name: unlabelled(name, "Scenario").to_owned(),
        steps,
        ..NewScenario::default()
    };
    if let Some(steps) = steps_in(text) {
        let names = steps.iter().find(|step| step.keyword == Keyword::When).or(steps.first());
        let name: String = names.map(|step| step.text.chars().take(80).collect()).unwrap_or_default();
        return of(&name, steps);
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if let Some(steps) = steps_in(rest) {
        return of(first, steps);
    }
    let at_colon = first.match_indices(':').find_map(|(at, _)| {
        let steps = steps_in(&text[at + 1..])?;
        Some(of(&text[..at], steps))
    });
    at_colon.unwrap_or_else(|| NewScenario { name: text.to_owned(), ..NewScenario::default() })
}

fn without_heading(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("####")).collect::<Vec<_>>().join("\n")
}

/// Scenarios one after the other in one text, each below its heading.
fn apart(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.trim().lines() {
        match parts.last_mut() {
            Some(part) if !line.trim_start().starts_with("####") => {
                part.push('\n');
                part.push_str(line);
            }
            _ => parts.push(line.to_owned()),
        }
    }
    parts
}
