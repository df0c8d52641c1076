//! Completion of spec ids, in resource templates and in prompt arguments.

use rmcp::model::{ArgumentInfo, CompletionInfo, Reference};

use crate::options::Toolset;
use crate::prompts::{SPEC_ID, prompts};
use crate::resources::Part;

/// Whether the argument takes the id of a spec; nothing else can be completed.
pub(crate) fn wants_spec_id(served: &[Toolset], reference: &Reference, argument: &ArgumentInfo) -> bool {
    if argument.name != SPEC_ID || served.is_empty() {
        return false;
    }
    match (reference.as_prompt_name(), reference.as_resource_uri()) {
        (Some(name), _) => prompts(served).any(|prompt| prompt.name == name && prompt.argument == SPEC_ID),
        (None, Some(uri)) => Part::ALL.into_iter().any(|part| part.template() == uri),
        (None, None) => false,
    }
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
    fn only_spec_ids_of_known_references_are_completed() {
        let served = &[Toolset::Workflow];
        let cases = [
            (Reference::for_prompt("create_plan"), "spec_id", true),
            (Reference::for_prompt("write_spec"), "feature_description", false),
            (Reference::for_prompt("write_spec"), "spec_id", false),
            (Reference::for_prompt("no_such"), "spec_id", false),
            (Reference::for_resource("airsspec:///{spec_id}/plan"), "spec_id", true),
            (Reference::for_resource("airsspec:///{spec_id}"), "id", false),
            (Reference::for_resource("airsspec:///config"), "spec_id", false),
        ];
        for (reference, name, expected) in cases {
            let argument = ArgumentInfo::new(name, "");
            assert_eq!(wants_spec_id(served, &reference, &argument), expected, "{reference:?} {name}");
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
