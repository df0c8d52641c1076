//! Completion of the ids of specs and changes, in resource templates and in prompt arguments.

use hewto_core::artifact::Scheme;
use rmcp::model::{ArgumentInfo, CompletionInfo, Reference};

use crate::options::{ServerOptions, Toolset};
use crate::prompts::{CHANGE_ID, SPEC_ID, prompts};
use crate::resources::{Part, completes_artifact};
use crate::table::Table;

/// What an argument takes the id of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completes {
    Spec,
    Change,
    Artifact(Scheme),
}

/// What the argument takes the id of; nothing else can be completed.
pub(crate) fn completes(
    options: &ServerOptions,
    table: &Table,
    reference: &Reference,
    argument: &ArgumentInfo,
) -> Option<Completes> {
    let served = options.served_toolsets();
    if let Some(uri) = reference.as_resource_uri()
        && served.contains(&Toolset::Graph)
        && let Some(scheme) = completes_artifact(uri, &argument.name)
    {
        return Some(Completes::Artifact(scheme));
    }
    let kind = match argument.name.as_str() {
        SPEC_ID => Completes::Spec,
        CHANGE_ID => Completes::Change,
        _ => return None,
    };
    let known = match (reference.as_prompt_name(), reference.as_resource_uri()) {
        (Some(name), _) => {
            let mut offered = prompts(options.prompts(table));
            offered.any(|prompt| prompt.name == name && prompt.argument == argument.name)
        }
        (None, Some(uri)) => {
            served.contains(&Toolset::Workflow)
                && kind == Completes::Spec
                && Part::ALL.into_iter().any(|part| part.template() == uri)
        }
        (None, None) => false,
    };
    known.then_some(kind)
}

/// As many values as the protocol allows, and how many there are.
pub(crate) fn completion(mut values: Vec<String>) -> CompletionInfo {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more)
        .expect("no more values than allowed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_known_references_are_completed() {
        let options = ServerOptions { toolsets: Toolset::ALL.to_vec(), ..ServerOptions::default() };
        let table = Table::choose(&options).unwrap();
        let cases = [
            (Reference::for_prompt("create_plan"), "spec_id", Some(Completes::Spec)),
            (Reference::for_prompt("apply"), "change_id", Some(Completes::Change)),
            (Reference::for_prompt("apply"), "spec_id", None),
            (Reference::for_prompt("write_spec"), "feature_description", None),
            (Reference::for_prompt("write_spec"), "spec_id", None),
            (Reference::for_prompt("no_such"), "spec_id", None),
            (Reference::for_resource("airsspec:///{spec_id}/plan"), "spec_id", Some(Completes::Spec)),
            (Reference::for_resource("airsspec:///{spec_id}"), "id", None),
            (Reference::for_resource("airsspec:///config"), "spec_id", None),
            (Reference::for_resource("spec://{id}"), "id", Some(Completes::Artifact(Scheme::Spec))),
            (
                Reference::for_resource("impl://{name}/dependencies"),
                "name",
                Some(Completes::Artifact(Scheme::Impl)),
            ),
            (Reference::for_resource("impl://{name}"), "id", None),
        ];
        for (reference, name, expected) in cases {
            let argument = ArgumentInfo::new(name, "");
            assert_eq!(completes(&options, &table, &reference, &argument), expected, "{reference:?} {name}");
        }
    }

    #[test]
    fn a_hundred_values_are_given_and_the_rest_is_counted() {
        let few = completion(vec!["a".into()]);
        assert_eq!((few.values.len(), few.total, few.has_more), (1, Some(1), Some(false)));
        let many = completion((0..250).map(|n| n.to_string()).collect());
        assert_eq!((many.values.len(), many.total, many.has_more), (100, Some(250), Some(true)));
    }
}
