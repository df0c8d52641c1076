//! What can be concluded without asking: where the work takes place, what stays untouched, when it is done.

use std::collections::BTreeSet;

use super::catalogue::{Category, Subject};
use super::text::one_line;
use super::words::{Words, is_plural, path_words};

/// Longest title, in characters.
const MAX_TITLE: usize = 80;
/// What no task may touch unless its allow-list says so.
const FORBIDDEN: [&str; 8] =
    [".env", ".git/", "__pycache__/", "build/", "credentials", "dist/", "node_modules/", "secrets"];
/// Words of an intention that say nothing about a place.
const FILLER: [&str; 24] = [
    "the", "and", "for", "with", "from", "into", "that", "this", "when", "fix", "bug", "typo", "bugfix",
    "hotfix", "refactor", "add", "change", "update", "wrong", "error", "issue", "not", "does", "src",
];

/// The intention as a heading: one line, a capital first, cut at 80 characters.
pub fn title(intention: &str) -> String {
    let line = one_line(intention);
    let mut chars = line.chars();
    let capital: String =
        chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default();
    if capital.chars().count() <= MAX_TITLE {
        return capital;
    }
    let cut: String = capital.chars().take(MAX_TITLE - 3).collect();
    format!("{}...", cut.trim_end())
}

/// The criterion of a task for which nobody named any.
pub(crate) fn default_criterion(title: &str) -> String {
    format!("The objective is met: {title}")
}

/// What a task may not touch.
pub fn forbidden(allowlist: &[String]) -> Vec<String> {
    FORBIDDEN
        .iter()
        .filter(|path| !allowlist.iter().any(|allowed| allowed == *path))
        .map(|path| (*path).to_owned())
        .collect()
}

/// The folders that belong to a category: those of files with its words in their path, else its home where that is
/// there. Empty when nothing can be concluded: a folder that nobody has made or named is not written down.
pub(crate) fn allowlist_of_category(category: &Category, files: &[String]) -> Vec<String> {
    let found = folders(files.iter().filter(|file| belongs(&category.paths, file)));
    if found.is_empty() { home(category, files) } else { found }
}

/// The folders that belong to a subject, else to its category.
pub(crate) fn allowlist_of_subject(
    subject: &Subject,
    category: Option<&Category>,
    files: &[String],
) -> Vec<String> {
    let found = folders(files.iter().filter(|file| belongs(&subject.paths, file)));
    match category {
        Some(category) if found.is_empty() => allowlist_of_category(category, files),
        _ => found,
    }
}

/// The folders that the words of a wish lead to.
pub(crate) fn allowlist_of_words(intention: &str, files: &[String]) -> Vec<String> {
    folders(best_matches(intention, files).into_iter())
}

fn home(category: &Category, files: &[String]) -> Vec<String> {
    let home = category.home.iter().filter(|home| files.iter().any(|file| file.starts_with(home.as_str())));
    home.cloned().collect()
}

/// Where a small fix takes place: the folders of the files that most words of the intention lead to, else the
/// category's, else the folders of the repository.
pub(crate) fn allowlist_of_fix(
    intention: &str,
    category: Option<&Category>,
    files: &[String],
) -> Vec<String> {
    let named = folders(best_matches(intention, files).into_iter());
    if !named.is_empty() {
        return named;
    }
    let of_category =
        category.map(|category| folders(files.iter().filter(|file| belongs(&category.paths, file))));
    let tops = || files.iter().filter_map(|file| file.split_once('/')).map(|(top, _)| format!("{top}/"));
    match of_category {
        Some(found) if !found.is_empty() => found,
        _ if tops().next().is_some() => tops().collect::<BTreeSet<_>>().into_iter().collect(),
        _ => category.map_or_else(Vec::new, |category| home(category, files)),
    }
}

fn belongs(tokens: &[String], file: &str) -> bool {
    let words = path_words(file);
    tokens.iter().any(|token| {
        if token.contains('/') {
            format!("/{file}").contains(&format!("/{token}/"))
        } else {
            words.iter().any(|word| word == token || is_plural(word, token))
        }
    })
}

fn best_matches<'f>(intention: &str, files: &'f [String]) -> Vec<&'f String> {
    let sentence = Words::of(intention);
    let wanted: BTreeSet<&str> =
        sentence.folded().filter(|word| word.chars().count() >= 3 && !FILLER.contains(word)).collect();
    let score = |file: &String| {
        let words = path_words(file);
        let same = |word: &String, wish: &str| word == wish || is_plural(word, wish) || is_plural(wish, word);
        wanted.iter().filter(|wish| words.iter().any(|word| same(word, wish))).count()
    };
    let scored: Vec<(usize, &String)> = files.iter().map(|file| (score(file), file)).collect();
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
    scored.into_iter().filter(|(score, _)| best > 0 && *score == best).map(|(_, file)| file).collect()
}

/// The folders of these files, without those inside another one; a file of the root stands for itself.
fn folders<'f>(files: impl Iterator<Item = &'f String>) -> Vec<String> {
    let all: BTreeSet<String> = files
        .map(|file| file.rsplit_once('/').map_or(file.clone(), |(folder, _)| format!("{folder}/")))
        .collect();
    let inside = |entry: &String| {
        all.iter().any(|other| other != entry && other.ends_with('/') && entry.starts_with(other.as_str()))
    };
    all.iter().filter(|entry| !inside(entry)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::catalogue::Catalogue;

    fn files(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    fn category(name: &str) -> &'static Category {
        Catalogue::builtin().category(name).unwrap()
    }

    #[test]
    fn titles_are_one_line_and_short() {
        assert_eq!(title("  add login\n\n# now "), "Add login # now");
        assert_eq!(title("éa"), "Éa");
        let long = title(&"ab ".repeat(50));
        assert_eq!(long.chars().count(), 80);
        assert!(long.ends_with("..."));
        assert_eq!(title(&"x".repeat(80)).chars().count(), 80);
    }

    #[test]
    fn a_category_takes_place_where_its_words_are() {
        let tree = files(&[
            "src/auth/oauth/google.ts",
            "src/auth/index.ts",
            "src/UserSession.ts",
            "src/author/page.ts",
            "login.py",
            "README.md",
        ]);
        assert_eq!(allowlist_of_category(category("Authentication"), &tree), ["login.py", "src/"]);
        assert_eq!(allowlist_of_category(category("Database"), &tree), [] as [&str; 0]);
        assert_eq!(allowlist_of_category(category("Other"), &tree), [] as [&str; 0]);
        let next = files(&["src/app/settings/main.tsx"]);
        assert_eq!(allowlist_of_category(category("Frontend"), &next), ["src/app/settings/"]);
    }

    #[test]
    fn a_fix_takes_place_where_most_of_its_words_lead() {
        let tree = files(&["src/ui/LoginButton.tsx", "src/auth/login.ts", "docs/guide.md", "src/list.rs"]);
        assert_eq!(allowlist_of_fix("Fix typo in login button", None, &tree), ["src/ui/"]);
        assert_eq!(allowlist_of_fix("Fix typo in the guides", None, &tree), ["docs/"]);
        assert_eq!(allowlist_of_fix("Fix the off-by-one", None, &tree), ["docs/", "src/"]);
        let auth = Some(category("Authentication"));
        assert_eq!(allowlist_of_fix("Fix typo in login button", auth, &[]), [] as [&str; 0]);
        assert_eq!(allowlist_of_fix("Fix typo", None, &[]), [] as [&str; 0]);
    }

    #[test]
    fn what_is_allowed_is_not_forbidden() {
        assert_eq!(forbidden(&[]).len(), FORBIDDEN.len());
        assert!(!forbidden(&files(&["build/", "src/"])).contains(&"build/".to_owned()));
    }
}
