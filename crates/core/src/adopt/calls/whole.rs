//! Calls that a row of the table cannot describe.

use super::super::paths::route;
use super::super::source::Source;
use super::super::{Kind, Sighting};
use super::METHODS;

/// `fastify.route({ method: 'GET', url: '/x' })`
pub(super) fn whole_routes(source: &Source<'_>, found: &mut Vec<Sighting>) {
    for at in 0..source.len() {
        if !(source.is_word(at, "route") && source.is_mark(at + 1, b'(') && source.is_mark(at + 2, b'{')) {
            continue;
        }
        let end = source.closing(at + 2);
        let value =
            |name: &str| (at + 3..end).find(|&at| source.is_word(at, name) && source.is_mark(at + 1, b':'));
        let Some(path) = value("url").or_else(|| value("path")).and_then(|at| source.string(at + 2)) else {
            continue;
        };
        let methods: Vec<&str> = value("method")
            .map(|at| {
                (at + 2..end).map_while(|at| {
                    let part =
                        source.string(at).or(if source.is_mark(at, b'[') || source.is_mark(at, b',') {
                            Some("")
                        } else {
                            None
                        });
                    part.filter(|_| !source.is_mark(at, b']'))
                })
            })
            .into_iter()
            .flatten()
            .filter(|text| METHODS.contains(text))
            .collect();
        for method in if methods.is_empty() { vec!["ANY"] } else { methods } {
            let name = format!("{method} {}", route("", path));
            found.push(Sighting {
                kind: Kind::Route,
                name,
                line: source.line(at),
                by: "fastify",
                handler: None,
            });
        }
    }
}

/// `cobra.Command{ Use: "serve [flags]" }`
pub(super) fn cobra(source: &Source<'_>, found: &mut Vec<Sighting>) {
    for at in 0..source.len() {
        if source.is_word(at, "Use")
            && source.is_mark(at + 1, b':')
            && let Some(name) = source.string(at + 2).and_then(|text| text.split_whitespace().next())
        {
            let sighting = Sighting {
                kind: Kind::Command,
                name: name.to_owned(),
                line: source.line(at),
                by: "cobra",
                handler: None,
            };
            found.push(sighting);
        }
    }
}
