use std::cell::Cell;

use super::between::TRIES;
use super::*;
use crate::commit::Expect;
use crate::doc;

#[test]
fn a_look_that_a_commit_came_across_is_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let layout = Layout::load(&fs_err::canonicalize(dir.path()).unwrap());
    let [reader, writer] = [(); 2].map(|()| Store::open(layout.clone()).unwrap());
    let context = Context::background();
    let commit = |text: String| {
        let mut transaction = Transaction::new();
        transaction.put(DocKey::File(RelPath::known("a.md")), text, Expect::Any);
        writer.lock(&context).unwrap().commit(&context, transaction).unwrap();
    };
    for commits in 0..=TRIES {
        let looks = Cell::new(0);
        let text = reader.between_commits(&context, &Extent::Everything, |inner, root| {
            looks.set(looks.get() + 1);
            assert_eq!(inner.root.path(), root.path());
            let seen = doc::read(root, RelPath::known("a.md"));
            if looks.get() <= commits {
                commit(format!("{commits} {}", looks.get()));
            }
            seen
        });
        assert_eq!(looks.get(), commits + 1);
        if commits > 0 {
            assert_eq!(text.unwrap().unwrap().text, format!("{commits} {commits}"));
        }
    }
}
