//! Lays a repository's table over another one: what both name is extended, what is new is added.

use super::table::{AdrRules, Category, CategoryQuestion, Meaning, Subject, Table};

pub(super) fn lay(base: &mut Table, over: Table) {
    for question in over.questions {
        place(&mut base.questions, question);
    }
    let mut new = Vec::new();
    for category in over.categories {
        match base.categories.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&category.name)) {
            Some(known) => extend_category(known, category),
            None => new.push(category),
        }
    }
    // A repository's own categories are matched first: their keywords are the more particular ones.
    base.categories.splice(0..0, new);
    for (id, values) in over.vocabulary {
        let known = base.vocabulary.entry(id).or_default();
        for (value, terms) in values {
            append(known.entry(value).or_default(), terms);
        }
    }
    for subject in over.subjects {
        match base.subjects.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&subject.name)) {
            Some(known) => extend_subject(known, subject),
            None => base.subjects.push(subject),
        }
    }
    let Meaning { everyday, introducers, not_meant, anew } = over.meaning;
    append(&mut base.meaning.anew, anew);
    append(&mut base.meaning.everyday, everyday);
    append(&mut base.meaning.introducers, introducers);
    append(&mut base.meaning.not_meant, not_meant);
    extend_rules(&mut base.adr, over.adr);
}

fn extend_category(known: &mut Category, over: Category) {
    append(&mut known.aliases, over.aliases);
    append(&mut known.keywords, over.keywords);
    append(&mut known.triggers, over.triggers);
    append(&mut known.paths, over.paths);
    append(&mut known.fields, over.fields);
    known.home = over.home.or(known.home.take());
    known.adr |= over.adr;
    known.offered &= over.offered;
    known.wildcard |= over.wildcard;
    for question in over.questions {
        place(&mut known.questions, question);
    }
}

fn extend_subject(known: &mut Subject, over: Subject) {
    append(&mut known.phrases, over.phrases);
    known.together.extend(over.together);
    append(&mut known.hints, over.hints);
    append(&mut known.paths, over.paths);
    for question in over.questions {
        place(&mut known.questions, question);
    }
}

/// A question that is there already keeps its kind and its field; its options grow.
fn place(questions: &mut Vec<CategoryQuestion>, over: CategoryQuestion) {
    let Some(known) = questions.iter_mut().find(|known| known.id == over.id) else {
        questions.push(over);
        return;
    };
    // Whoever adds an option has a use for the question, whatever it is written in.
    if !over.options.is_empty() {
        known.languages = over.languages;
    }
    append(&mut known.options, over.options);
    append(&mut known.amounts, over.amounts);
    append(&mut known.focus, over.focus);
    for (option, spellings) in over.spellings {
        append(known.spellings.entry(option).or_default(), spellings);
    }
    // A variant that the repository writes is looked at first.
    known.variants.splice(0..0, over.variants);
    if !over.question.is_empty() {
        known.question = over.question;
    }
    known.optional |= over.optional;
    known.dependency |= over.dependency;
    known.foundation |= over.foundation;
    for (option, terms) in over.says {
        append(known.says.entry(option).or_default(), terms);
    }
    known.when = over.when.or(known.when.take());
    known.min_selections = over.min_selections.or(known.min_selections);
    known.max_selections = over.max_selections.or(known.max_selections);
}

fn extend_rules(known: &mut AdrRules, over: AdrRules) {
    let AdrRules {
        fixes,
        config_only,
        requests,
        explicit,
        keywords,
        new_dependency,
        migration,
        cross_cutting,
        many_files,
        counted,
        no_dependency,
    } = over;
    for (list, more) in [
        (&mut known.fixes, fixes),
        (&mut known.config_only, config_only),
        (&mut known.requests, requests),
        (&mut known.explicit, explicit),
        (&mut known.keywords, keywords),
        (&mut known.new_dependency, new_dependency),
        (&mut known.migration, migration),
        (&mut known.cross_cutting, cross_cutting),
        (&mut known.many_files, many_files),
        (&mut known.counted, counted),
        (&mut known.no_dependency, no_dependency),
    ] {
        append(list, more);
    }
}

fn append(list: &mut Vec<String>, more: Vec<String>) {
    for text in more {
        if !list.contains(&text) {
            list.push(text);
        }
    }
}
