//! Functions of a script that are offered in a list at its end: `module.exports = { a, b }`, `export { a }`, `export default a`.

use std::collections::HashMap;

use super::{Sighting, Source, is_function, is_function_value, sighting};

/// What stands in such lists and is a function of this file.
pub(super) fn read(source: &Source<'_>) -> Vec<Sighting> {
    if !source.says_any(&["module.exports", "export {", "export{", "export default"]) {
        return Vec::new();
    }
    let declared = declared(source);
    let mut found = Vec::new();
    for at in 0..source.len() {
        let Some(value) = offered(source, at) else { continue };
        if source.is_mark(value, b'{') {
            entries(source, value, &declared, &mut found);
        } else if let Some(name) = source.word(value) {
            let is_anonymous = name == "function" || name == "async";
            let name_at =
                if is_anonymous { named_function(source, value) } else { declared.get(name).copied() };
            found.extend(name_at.and_then(|at| Some(sighting(source, source.word(at)?, at))));
        }
    }
    found
}

/// Where the list, or the one thing, begins that is offered at `at`.
fn offered(source: &Source<'_>, at: usize) -> Option<usize> {
    match source.word(at)? {
        "module" if source.is_mark(at + 1, b'.') && source.is_word(at + 2, "exports") => {
            let is_given = source.is_mark(at + 3, b'=') && !source.is_mark(at + 4, b'=');
            is_given.then_some(at + 4)
        }
        // What comes from another file is that file's.
        "export" if source.is_mark(at + 1, b'{') => {
            (!source.is_word(source.closing(at + 1) + 1, "from")).then_some(at + 1)
        }
        // `export default function` is read where all declarations are.
        "export" if source.is_word(at + 1, "default") => {
            let is_name = !matches!(source.word(at + 2)?, "function" | "async" | "class");
            is_name.then_some(at + 2)
        }
        _ => None,
    }
}

/// The name in `function name` and `async function* name`.
fn named_function(source: &Source<'_>, at: usize) -> Option<usize> {
    let function = if source.is_word(at, "async") { at + 1 } else { at };
    let name = if source.is_mark(function + 1, b'*') { function + 2 } else { function + 1 };
    (source.is_word(function, "function") && source.word(name).is_some()).then_some(name)
}

/// The functions of a file by name.
fn declared<'t>(source: &Source<'t>) -> HashMap<&'t str, usize> {
    let mut declared = HashMap::new();
    for at in 0..source.len() {
        let name = match source.word(at) {
            Some("function") => named_function(source, at),
            Some("const" | "let" | "var") => Some(at + 1).filter(|name| is_function(source, *name)),
            _ => None,
        };
        if let Some(name) = name
            && let Some(word) = source.word(name)
        {
            declared.entry(word).or_insert(name);
        }
    }
    declared
}

/// The functions in the list that opens at `open`.
fn entries(source: &Source<'_>, open: usize, declared: &HashMap<&str, usize>, found: &mut Vec<Sighting>) {
    let close = source.closing(open).min(source.len());
    let mut at = open + 1;
    while at < close {
        let name = if source.is_word(at, "async") && source.word(at + 1).is_some() { at + 1 } else { at };
        if let Some(word) = source.word(name) {
            let ends = |at: usize| source.is_mark(at, b',') || at == close;
            let elsewhere = |word: &str| declared.get(word).copied();
            let here = match source.mark(name + 1) {
                _ if ends(name + 1) || source.is_word(name + 1, "as") => elsewhere(word),
                Some(b'(') => Some(name),
                Some(b':') if ends(name + 3) => source.word(name + 2).and_then(elsewhere),
                Some(b':') => is_function_value(source, name + 2).then_some(name),
                _ => None,
            };
            found.extend(here.map(|here| sighting(source, word, here)));
        }
        while at < close && !source.is_mark(at, b',') {
            let is_opening = matches!(source.mark(at), Some(b'(' | b'[' | b'{'));
            at = if is_opening { source.closing(at) + 1 } else { at + 1 };
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::adopt::{Kind, read_file};

    fn functions(text: &str) -> Vec<String> {
        let found = read_file("lib/a.js", text).sightings.into_iter();
        let functions = found.filter(|one| one.kind == Kind::Function);
        let mut shown: Vec<String> = functions.map(|one| format!("{}:{}", one.line, one.name)).collect();
        shown.sort();
        shown
    }

    #[test]
    fn functions_in_the_list_of_a_module_are_offered_where_they_are_declared() {
        let text = "function parse(x) {}\nconst build = (x) => x\nconst LIMIT = 5\nfunction own() {}\nmodule.exports = {\n  parse,\n  LIMIT,\n  make: build,\n  inline(a, b) { return { own } },\n  async later() {},\n  arrow: x => x,\n  plain: function () {},\n  nested: { own },\n  ...rest,\n}\n";
        assert_eq!(functions(text), ["10:later", "11:arrow", "12:plain", "1:parse", "2:make", "9:inline"]);
    }

    #[test]
    fn one_function_and_a_list_of_names_are_offered_too() {
        assert_eq!(functions("module.exports = function start (a) {}\n"), ["1:start"]);
        assert_eq!(functions("function start() {}\nmodule.exports = start\n"), ["1:start"]);
        assert_eq!(functions("async function go() {}\nexport { go as run, other }\n"), ["1:go"]);
        assert_eq!(functions("const go = async () => 1\nexport default go\n"), ["1:go"]);
        for none in [
            "export { go } from './go.js'\n",
            "module.exports = require('./x')\n",
            "if (module.exports == x) {}\nfunction x() {}\n",
            "module.exports = {\n",
            "export default class A {}\n",
        ] {
            assert_eq!(functions(none), [] as [&str; 0], "{none}");
        }
    }
}
