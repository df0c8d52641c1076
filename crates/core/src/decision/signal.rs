//! What the files of a repository say about it: its language and its framework.
//!
//! Signals change what is offered, never what is accepted or recorded.

use serde::{Deserialize, Serialize};

/// A fact that a file name gives away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    Python,
    Javascript,
    Typescript,
    Rust,
    Go,
    Nextjs,
    Vite,
    Prisma,
}

/// The signals of these paths, which are relative to the repository and use `/`.
pub fn signals<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<Signal> {
    let mut found = Vec::new();
    for path in paths {
        let signal = match path {
            "pyproject.toml" | "requirements.txt" => Signal::Python,
            "package.json" => Signal::Javascript,
            "tsconfig.json" => Signal::Typescript,
            "Cargo.toml" => Signal::Rust,
            "go.mod" => Signal::Go,
            "next.config.js" | "next.config.mjs" | "next.config.ts" => Signal::Nextjs,
            "vite.config.js" | "vite.config.ts" => Signal::Vite,
            _ if path.starts_with("prisma/") => Signal::Prisma,
            _ => continue,
        };
        if !found.contains(&signal) {
            found.push(signal);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_the_root_give_the_language_away() {
        let paths = ["package.json", "tsconfig.json", "prisma/schema.prisma", "prisma/seed.ts", "lib/go.mod"];
        assert_eq!(signals(paths), [Signal::Javascript, Signal::Typescript, Signal::Prisma]);
        assert_eq!(signals(["requirements.txt"]), [Signal::Python]);
    }
}
