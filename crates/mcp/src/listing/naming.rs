//! Texts for models name only tools that this server offers, under the names that it lists them with (D-4).
//!
//! Descriptions, instructions and prompts are written for a server that offers everything. Profiles, toolsets,
//! `--tools` and `--read-only` offer less: a sentence that names what is missing is left out.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::table::{Table, is_tool};

/// The text without the sentences that name a tool which is not offered.
pub(crate) fn fit(text: &str, table: &Table) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let kept: String =
            sentences(line).into_iter().filter(|sentence| names_only_offered(sentence, table)).collect();
        let kept = if kept.len() == line.len() { kept } else { kept.trim_end().to_owned() };
        let is_gone = kept.is_empty() && !line.is_empty();
        let doubles_a_blank = kept.is_empty() && lines.last().is_some_and(String::is_empty);
        if !is_gone && !doubles_a_blank {
            lines.push(respelled(&kept, table));
        }
    }
    lines.join("\n")
}

/// The descriptions of a schema, each fitted; one of which nothing is left goes.
pub(crate) fn fit_descriptions(schema: &mut JsonObject, table: &Table) {
    if let Some(Value::String(text)) = schema.get("description") {
        match fit(text, table) {
            left if left.is_empty() => drop(schema.shift_remove("description")),
            left if left == *text => {}
            left => drop(schema.insert("description".to_owned(), left.into())),
        }
    }
    for value in schema.values_mut() {
        match value {
            Value::Object(inner) => fit_descriptions(inner, table),
            Value::Array(items) => {
                items
                    .iter_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|inner| fit_descriptions(inner, table));
            }
            _ => {}
        }
    }
}

/// Whether every tool that the text names is offered.
pub(crate) fn names_only_offered(text: &str, table: &Table) -> bool {
    tools_named(text).all(|name| table.find(name).is_some())
}

/// The tools that a text names. A name of one word cannot be told from that word.
fn tools_named(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| word.contains(['_', '.']) && is_tool(word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|ch: char| !(ch.is_ascii_alphanumeric() || matches!(ch, '_' | '.')))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
}

/// The sentences of a line, each with what parts it from the next; the number of a list belongs to its first.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (end, stop) in line.match_indices(". ") {
        let is_number = line[start..end].trim_start().bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            sentences.push(&line[start..end + stop.len()]);
            start = end + stop.len();
        }
    }
    sentences.push(&line[start..]);
    sentences
}

/// The text with every tool under the name that it is listed with.
fn respelled(text: &str, table: &Table) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text;
    for name in tools_named(text) {
        let Some(listed) = table.find(name).map(|entry| entry.def.name()) else { continue };
        let Some((before, after)) = rest.split_once(name) else { continue };
        spelled.push_str(before);
        spelled.push_str(listed);
        rest = after;
    }
    spelled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::instructions::instructions;
    use crate::options::{Profile, ServerOptions, Toolset};
    use crate::prompts;

    /// Every way to offer less than everything.
    fn servers() -> Vec<ServerOptions> {
        let with =
            |toolsets: &[Toolset]| ServerOptions { toolsets: toolsets.to_vec(), ..ServerOptions::default() };
        let mut servers = vec![with(Toolset::DEFAULT), with(Toolset::ALL)];
        for &one in Toolset::ALL {
            servers.push(with(&[one]));
            servers.extend(Toolset::ALL.iter().map(|&other| with(&[one, other])));
        }
        servers.extend(
            Profile::ALL
                .iter()
                .map(|&profile| ServerOptions { profile: Some(profile), ..ServerOptions::default() }),
        );
        let some = ["spec_list", "change_create"].map(str::to_owned).to_vec();
        servers.push(ServerOptions { tools: Some(some), ..ServerOptions::default() });
        let reading: Vec<_> =
            servers.iter().map(|options| ServerOptions { read_only: true, ..options.clone() }).collect();
        servers.extend(reading);
        servers
    }

    fn told(options: &ServerOptions, table: &Table) -> String {
        let offers = |tool: &str| table.find(tool).is_some();
        fit(&instructions(options.served_toolsets(), options.spelling(), offers), table)
    }

    #[test]
    fn no_text_of_any_server_names_a_tool_that_it_does_not_list() {
        let mut named = 0;
        for options in servers() {
            let table = Table::choose(&options).unwrap();
            let mut texts = vec![("the instructions".to_owned(), told(&options, &table))];
            for tool in table.listing() {
                let description = tool.description.as_deref().unwrap_or_default();
                let text =
                    format!("{description} {} {}", json!(tool.input_schema), json!(tool.output_schema));
                texts.push((tool.name.to_string(), text));
            }
            for prompt in prompts::prompts(options.prompts(&table)) {
                for value in ["x", "change:x"] {
                    let arguments = rmcp::model::object(json!({ prompt.argument: value }));
                    let filled =
                        prompts::get(options.prompts(&table), prompt.name, arguments, false).unwrap();
                    let text = format!("{} {}", prompt.description, json!(filled));
                    texts.push((prompt.name.to_owned(), text));
                }
            }
            let listed: Vec<&str> = table.names().collect();
            for (place, text) in texts {
                for tool in tools_named(&text) {
                    assert!(listed.contains(&tool), "{options:?}: {place} names {tool}: {text}");
                    named += 1;
                }
            }
        }
        assert!(named > 1_000, "{named}");
    }

    #[test]
    fn a_sentence_goes_whole_and_the_others_stay() {
        let only = ServerOptions { tools: Some(vec!["spec_list".to_owned()]), ..ServerOptions::default() };
        let table = Table::choose(&only).unwrap();
        let text =
            "Read. Then call plan_create, or not.\n\n1. Call plan_create.\n\n2. Look at spec_list. Done.";
        assert_eq!(fit(text, &table), "Read.\n\n2. Look at spec_list. Done.");
        assert_eq!(fit("e.g. a.b_c, 1.2 and x_y ", &table), "e.g. a.b_c, 1.2 and x_y ");
    }

    #[test]
    fn a_tool_is_called_as_it_is_listed() {
        let profile = ServerOptions { profile: Some(Profile::Specman), ..ServerOptions::default() };
        let table = Table::choose(&profile).unwrap();
        assert_eq!(
            fit("A plan_id for specman_lifecycle_create.", &table),
            "A plan_id for specman.core.lifecycle.create."
        );
    }

    #[test]
    fn a_server_that_only_reads_says_what_can_be_read() {
        let options = ServerOptions { read_only: true, ..ServerOptions::default() };
        let text = told(&options, &Table::choose(&options).unwrap());
        for read in ["spec_status", "get_spec_requirements", "read_architecture"] {
            assert!(text.contains(read), "{read}: {text}");
        }
    }
}
