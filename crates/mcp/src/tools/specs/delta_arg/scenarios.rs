//! Scenarios as clients write them.

use hewto_engine::change::{AddedScenarios, Keyword, NewScenario, Step, steps_in};
use serde_json::Value;

use super::Reader;
use super::{escaped, folded, named_scenario, outcomes, without_heading, without_keyword};
use crate::schema::field_of;

impl Reader {
    pub(super) fn scenario(&mut self, at: &str, value: &Value) -> Option<NewScenario> {
        let object = match value {
            Value::String(text) => return Some(named_scenario(text)),
            Value::Object(object) => object,
            other => return self.wrong(at, "a scenario", other),
        };
        let mut scenario = NewScenario::default();
        for (key, value) in object {
            let at = format!("{at}/{}", escaped(key));
            if value.is_null() {
                continue;
            }
            match folded(key).as_str() {
                "name" | "scenario" | "title" => scenario.name = self.name(&at, value),
                "given" => scenario.given = Some(self.texts(&at, value).join(" and ")),
                "when" => {
                    let text = self.texts(&at, value).join(" and ");
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
        if scenario.name.trim().is_empty() {
            return self.missing(at, "name", "the name of the scenario");
        }
        Some(scenario)
    }

    pub(super) fn steps(&mut self, at: &str, value: &Value) -> Option<Vec<Step>> {
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

    pub(super) fn no_steps(&mut self, at: &str) {
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

    pub(super) fn added_scenario(&mut self, at: &str, value: &Value) -> Option<AddedScenarios> {
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
