//! Files and folders beneath the roots: one module per use case.
//!
//! Everything is reached by descriptor through `confine`. Nothing here follows a link out, opens a pipe or a
//! device, writes below `.git`, or holds more of a file than it shows.

mod append;
mod copy;
mod delete;
mod edit;
mod exists;
mod find;
mod fit;
mod info;
mod lines;
mod list;
mod make_dir;
mod media;
mod read;
mod read_lines;
mod read_many;
mod relocate;
mod roots;
mod rules;
mod search;
mod search_request;
mod stage;
mod text;
mod tree;
mod tree_guard;
mod walk;
mod write;

pub use append::{Append, AppendView, append};
pub use copy::{Copy, CopyView, copy};
pub use delete::{Delete, DeleteView, delete};
pub use edit::{Edit, EditFile, EditView, edit};
pub use exists::{Exists, ExistsView, WantedKind, exists};
pub use find::{Find, FindView, FoundView, find};
pub use info::{Info, InfoView, info};
pub use lines::Lines;
pub use list::{EntryKind, EntryView, List, ListOrder, ListView, list};
pub use make_dir::{MakeDir, MakeDirView, make_dir};
pub use media::{MediaKind, MediaView};
pub use read::{Encoding, Form, Read, ReadOutcome, ReadView, read};
pub(crate) use read_lines::count_lines;
pub use read_many::{ReadMany, ReadManyOutcome, ReadManyView, ReadOneView, read_many};
pub use relocate::{Move, MoveView, relocate};
pub use roots::{RootView, RootsView, roots};
pub(crate) use rules::as_path;
pub use search::{MatchView, SearchView, search};
pub use search_request::{Search, SearchSyntax};
pub use text::LineEnds;
pub use tree::{Tree, TreeEntryView, TreeView, tree};
pub use walk::Ignored;
pub use write::{Write, WriteView, write};
