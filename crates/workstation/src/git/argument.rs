//! What clients hand to git: revisions, paths, names. Nothing that begins with a dash gets through.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::command::{Git, Task};
use crate::confine::is_git_name;
use crate::error::{Action, Error, Key, Result};
use crate::show::{show_path, unshow};

const MAX_TEXT: usize = 2_000;
const MAX_PATHS: usize = 1_000;

/// What a revision has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Commit,
    Object,
}

/// Refuses text that git could take for an option, or that cannot be an argument.
pub(super) fn plain<'t>(field: &str, text: &'t str) -> Result<&'t str> {
    let bad =
        |message: String| Error::invalid_argument(field, "text that does not begin with a dash", message);
    if text.trim().is_empty() {
        return Err(bad(format!("`{field}` is empty")));
    }
    if text.trim_start().starts_with('-') {
        return Err(bad(format!("`{field}` begins with a dash")));
    }
    if text.len() > MAX_TEXT {
        return Err(bad(format!("`{field}` is too long")));
    }
    if text.chars().any(char::is_control) {
        return Err(bad(format!("`{field}` contains a control character")));
    }
    Ok(text)
}

impl Git<'_> {
    /// The object id of a revision. From here on only the id is used.
    pub(super) fn resolve(&self, field: &str, revision: &str, wants: Wants) -> Result<String> {
        let revision = plain(field, revision)?;
        let full = match wants {
            Wants::Commit => format!("{revision}^{{commit}}"),
            Wants::Object => revision.to_owned(),
        };
        let output = self.run(&Task::new(["rev-parse", "--verify", "--quiet", full.as_str()]))?;
        let id = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        if output.exit_code == 0 && is_object_id(&id) {
            return Ok(id);
        }
        Err(Error::refused(Key::RevisionNotFound, format!("no revision `{revision}`"))
            .hint(Action::GitHistory.then(" or ").action(Action::ListBranches).text(" to see what there is"))
            .detail("field", field)
            .detail("revision", revision))
    }

    /// What `HEAD` stands for; `None` before the first commit.
    pub(super) fn head(&self) -> Result<Option<String>> {
        let output = self.run(&Task::new(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?;
        let id = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        Ok((output.exit_code == 0 && is_object_id(&id)).then_some(id))
    }

    /// Paths as git is told them: from the top of the work tree, which they cannot leave.
    pub(super) fn paths(&self, field: &str, paths: &[String]) -> Result<Vec<OsString>> {
        if paths.len() > MAX_PATHS {
            let expected = format!("at most {MAX_PATHS} paths");
            return Err(Error::invalid_argument(
                field,
                &expected,
                format!("{} paths are given", paths.len()),
            ));
        }
        paths.iter().enumerate().map(|(index, path)| self.path(&format!("{field}/{index}"), path)).collect()
    }

    pub(super) fn path(&self, field: &str, text: &str) -> Result<OsString> {
        if text.is_empty() || text.contains('\0') {
            return Err(Error::invalid_argument(field, "a path", "this is not a path"));
        }
        let roots = self.station.roots();
        let outside = || {
            Error::refused(Key::PathOutsideRepository, format!("`{text}` is outside the repository"))
                .hint(format!("use a path beneath `{}`", self.repository.shown))
                .detail("path", text)
        };
        let named = Path::new(text);
        let from_top: PathBuf = if named.is_absolute() {
            let (root, parts) = roots.map_absolute(named).ok_or_else(outside)?;
            let top = &self.repository.place;
            if root != top.root || !parts.starts_with(&top.parts) {
                return Err(outside());
            }
            parts[top.parts.len()..].iter().collect()
        } else {
            self.repository.prefix.join(named)
        };
        let mut clean = PathBuf::new();
        for part in from_top.components() {
            match part {
                Component::Normal(name) if is_git_name(name) => {
                    return Err(Error::refused(
                        Key::ProtectedPath,
                        format!("`{text}` belongs to git itself"),
                    )
                    .detail("path", text));
                }
                Component::Normal(name) => clean.push(name),
                Component::CurDir => {}
                Component::ParentDir if clean.pop() => {}
                _ => return Err(outside()),
            }
        }
        if clean.as_os_str().is_empty() {
            return Ok(".".into());
        }
        let mut clean = self.meant(clean);
        // A name may begin with a dash; an argument must not.
        if show_path(&clean).starts_with('-') {
            clean = Path::new(".").join(clean);
        }
        Ok(clean.into())
    }

    /// A name that is no UTF-8 can be named as it is shown, unless a file has literally that name.
    fn meant(&self, path: PathBuf) -> PathBuf {
        let bytes = PathBuf::from(unshow(path.as_os_str()));
        let is_literal = bytes == path
            || rustix::fs::statat(&self.repository, &path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok();
        if is_literal { path } else { bytes }
    }
}

pub(super) fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_looks_like_an_option_gets_through() {
        for text in ["--output=/tmp/p", "-D", " -x", "", "  ", "a\nb", "a\0b", "\u{7}"] {
            assert!(plain("revision", text).is_err(), "{text:?}");
        }
        for text in ["HEAD~1", "main", "v1.0^{commit}", "a-b", ":/fix bug"] {
            assert!(plain("revision", text).is_ok(), "{text:?}");
        }
    }
}
