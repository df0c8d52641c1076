//! How the reader of settings judges and shows single words.

/// Whether a path stays below the root, as far as its text can tell.
pub(super) fn is_inside(path: &str) -> bool {
    let parts = || path.split('/').filter(|part| !matches!(*part, "" | "."));
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\0', '\\'])
        && parts().next().is_some()
        && parts().all(|part| part != ".." && part != ".git")
}

/// The names of what may be chosen.
pub(super) fn listed<T: Copy>(choices: &[T], name: fn(T) -> &'static str) -> String {
    let names: Vec<&str> = choices.iter().map(|choice| name(*choice)).collect();
    format!("`{}`", names.join("`, `"))
}

/// What somebody typed, short and without surprises.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
