//! What is left to do of a step, told by where the things are that it moves. Writes nothing.

use std::io;

use super::{Left, Present, Site, present, present_in};
use crate::journal::{Put, Step};

impl Site<'_> {
    /// Whether any of the steps certainly has not been done.
    pub(crate) fn is_any_to_do(self, steps: &[Step]) -> io::Result<bool> {
        for step in steps {
            if self.is_to_do(step)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a step certainly has not been done, or not to its end. What somebody has done to the file since does not count.
    fn is_to_do(self, step: &Step) -> io::Result<bool> {
        match step {
            Step::Put(Put { path, old, new, blob }) => {
                if !present_in((self.slots, blob))?.is(*new) {
                    return Ok(false);
                }
                Ok(match (present(self.root, path)?, old) {
                    (Present::Nothing, None) => true,
                    (now, Some(old)) => now.is(*old),
                    _ => false,
                })
            }
            Step::Delete { path, old } => {
                Ok(!self.removed(path)? && present(self.root, path)?.is(*old) || self.is_removing(path)?)
            }
            Step::DeleteDir { path, .. } => {
                Ok(!self.removed(path)? && self.root.look(path)?.is_some() || self.is_removing(path)?)
            }
            Step::MoveDir { from, to } => {
                let is_there = |path| Ok::<_, io::Error>(self.root.look(path)?.is_some());
                Ok(is_there(from)? && (!is_there(to)? || self.is_copying(from)?))
            }
        }
    }

    /// A step that was not done, or was taken back, with what waits for it; `None` when there is nothing left of it to do.
    pub(crate) fn waiting(self, step: &Step) -> io::Result<Option<Left>> {
        let blob = match step {
            Step::Put(Put { new, blob, .. }) if present_in((self.slots, blob))?.is(*new) => {
                Some(blob.clone())
            }
            // It was done before somebody changed the file: that is theirs now.
            Step::Put(..) => return Ok(None),
            Step::Delete { path, .. } if matches!(present(self.root, path)?, Present::Nothing) => {
                return Ok(None);
            }
            _ => None,
        };
        Ok(Some(Left { path: step.path().clone(), blob, because_of: None }))
    }

    /// Whether doing a step would leave it alone, because somebody has changed what it is about. Only for what commits that
    /// share a record do.
    pub(crate) fn would_leave(self, step: &Step) -> io::Result<bool> {
        match step {
            Step::Put(Put { path, old, new, blob }) => {
                let staged = present_in((self.slots, blob))?;
                let now = present(self.root, path)?;
                Ok(match staged {
                    Present::Nothing => false,
                    staged if staged.is(*new) => match (now, old) {
                        (Present::Nothing, old) => old.is_some(),
                        (now, old) => !now.is(*new) && !old.is_some_and(|old| now.is(old)),
                    },
                    staged => !old.is_some_and(|old| staged.is(old)),
                })
            }
            Step::Delete { path, old } => {
                let now = present(self.root, path)?;
                let is_gone = matches!(now, Present::Nothing) || self.removed(path)?;
                Ok(!is_gone && !now.is(*old))
            }
            Step::DeleteDir { .. } | Step::MoveDir { .. } => Ok(false),
        }
    }
}
