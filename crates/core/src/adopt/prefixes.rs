//! What stands before the path of a route: of its class, or of the group that it is added to.

use std::collections::BTreeMap;

use super::source::Source;

/// Marks of a class that hold the prefix of its routes.
const CLASS_MARKS: [&str; 3] = ["RequestMapping", "Route", "Controller"];

/// The prefixes that a file declares.
pub(super) struct Prefixes {
    /// By the name of the variable that holds the group.
    groups: BTreeMap<String, String>,
    /// Classes: where each begins and ends, and its prefix.
    classes: Vec<(usize, usize, String)>,
}

impl Prefixes {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let (mut found, mut inside) = (BTreeMap::new(), Vec::new());
        if source.says_any(&["Group", "APIRouter", "Blueprint"]) {
            found = groups(source);
        }
        if source.says_any(&CLASS_MARKS) {
            inside = classes(source);
        }
        Self { groups: found, classes: inside }
    }

    /// The prefix of a route that is declared at this place.
    pub(super) fn before(&self, source: &Source<'_>, at: usize) -> String {
        let of_group = source.receiver(at).and_then(|word| self.groups.get(word));
        let of_class = || {
            let mut inside = self.classes.iter().filter(|(start, end, _)| (*start..*end).contains(&at));
            inside.next_back().map(|(_, _, prefix)| prefix)
        };
        let chained = self.of_chain(source, at);
        chained.or_else(|| of_group.or_else(of_class).cloned()).unwrap_or_default()
    }

    /// `g.Group("/user").Use(auth).POST("", …)`
    fn of_chain(&self, source: &Source<'_>, at: usize) -> Option<String> {
        let mut name = at;
        while name >= 2 && source.is_mark(name - 1, b'.') && source.is_mark(name - 2, b')') {
            let open = source.opening(name - 2);
            name = open.checked_sub(1)?;
            if matches!(source.word(name), Some("Group" | "MapGroup")) {
                let outer = source
                    .receiver(name)
                    .and_then(|outer| self.groups.get(outer))
                    .cloned()
                    .unwrap_or_default();
                return Some(format!("{outer}{}", source.string(open + 1)?));
            }
        }
        None
    }
}

/// `v1 := r.Group("/v1")`, `router = APIRouter(prefix="/items")`, `bp = Blueprint("b", __name__, url_prefix="/b")`,
/// `var users = app.MapGroup("/users")`
fn groups(source: &Source<'_>) -> BTreeMap<String, String> {
    let mut groups = BTreeMap::new();
    for at in 0..source.len() {
        let Some(word) = source.word(at) else { continue };
        if !source.is_mark(at + 1, b'(') {
            continue;
        }
        let prefix = match word {
            "Group" | "MapGroup" => source.string(at + 2),
            "APIRouter" => named(source, at + 1, "prefix"),
            "Blueprint" => named(source, at + 1, "url_prefix"),
            _ => continue,
        };
        let Some(prefix) = prefix else { continue };
        // Back to the name on the left: `name :=`, `name =`
        let mut back = at;
        while back > 0 && (source.is_mark(back - 1, b'.') || source.word(back - 1).is_some()) {
            back -= 1;
        }
        if back >= 2 && source.is_mark(back - 1, b'=') {
            let name = if source.is_mark(back - 2, b':') { back.checked_sub(3) } else { Some(back - 2) };
            if let Some(name) = name.and_then(|name| source.word(name)) {
                let outer =
                    source.receiver(at).and_then(|outer| groups.get(outer)).cloned().unwrap_or_default();
                groups.insert(name.to_owned(), format!("{outer}{prefix}"));
            }
        }
    }
    groups
}

fn named<'t>(source: &Source<'t>, open: usize, name: &str) -> Option<&'t str> {
    let mut inside = open + 1..source.closing(open);
    let at = inside.find(|&at| source.is_word(at, name) && source.is_mark(at + 1, b'='))?;
    source.string(at + 2)
}

/// `@RequestMapping("/api") class X { … }`, `[Route("api/[controller]")] class X { … }`, `@Controller('cats')`
fn classes(source: &Source<'_>) -> Vec<(usize, usize, String)> {
    let mut classes = Vec::new();
    for at in 0..source.len() {
        let Some(word) = source.word(at) else { continue };
        let is_mark = at >= 1 && (source.is_mark(at - 1, b'@') || source.is_mark(at - 1, b'['));
        if !is_mark || !CLASS_MARKS.contains(&word) || !source.is_mark(at + 1, b'(') {
            continue;
        }
        let close = source.closing(at + 1);
        let Some((name, body)) = class_of(source, close + 1) else { continue };
        let Some((prefix, _)) = source.first_text(at + 1) else { continue };
        let stem = name.trim_end_matches("Controller").to_lowercase();
        classes.push((body, source.closing(body), prefix.replace("[controller]", &stem)));
    }
    classes
}

/// The class that marks before `from` belong to: its name, and the bracket of its body. `None` when it is a method.
pub(super) fn class_of<'t>(source: &Source<'t>, from: usize) -> Option<(&'t str, usize)> {
    let mut at = from;
    let stop = (from + 200).min(source.len());
    while at < stop {
        match source.word(at) {
            Some("class" | "interface" | "record") => {
                let name = source.word(at + 1)?;
                let body = (at + 2..source.len()).find(|&at| source.is_mark(at, b'{'))?;
                return Some((name, body));
            }
            Some(_) => {
                let is_marked = at >= 1 && (source.is_mark(at - 1, b'@') || source.is_mark(at - 1, b'['));
                if source.is_mark(at + 1, b'(') {
                    if !is_marked {
                        return None;
                    }
                    at = source.closing(at + 1);
                }
            }
            None if source.is_mark(at, b'{') || source.is_mark(at, b';') => return None,
            None => {}
        }
        at += 1;
    }
    None
}
