//! What git can do, in real repositories.

mod writes;

use hewto_workstation::git::{self, ChangeKind, ObjectKind};
use hewto_workstation::{CommitHooks, PageRequest, Settings};

use crate::yard::{Yard, call};

fn repository() -> Yard {
    Yard::repository(Settings::default())
}

fn commit(yard: &Yard, message: &str) -> git::CommitMadeView {
    let request = git::Commit { repo: None, message: message.to_owned() };
    git::commit(&yard.station, &call(), &request).unwrap()
}

fn add(yard: &Yard, paths: &[&str]) -> hewto_workstation::Result<git::AddView> {
    let paths = paths.iter().map(|&path| path.to_owned()).collect();
    git::add(&yard.station, &call(), &git::Add { repo: None, paths })
}

#[test]
fn the_status_tells_staged_changed_and_untracked_files_apart() {
    let yard = repository();
    yard.put("README.md", "changed\n");
    yard.put("staged.txt", "new\n");
    yard.put("dir/untracked.txt", "");
    yard.git(".", &["add", "staged.txt"]);
    yard.git(".", &["mv", "src/lib.rs", "src/main.rs"]);
    let view = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    assert_eq!((view.branch.as_deref(), view.clean, view.page.total), (Some("main"), false, 4));
    assert_eq!(
        serde_json::to_value(&view.entries).unwrap(),
        serde_json::json!([
            { "path": "README.md", "unstaged": "modified" },
            { "path": "dir/", "untracked": true },
            { "path": "src/main.rs", "original_path": "src/lib.rs", "staged": "renamed" },
            { "path": "staged.txt", "staged": "added" },
        ])
    );
}

#[test]
fn a_repository_before_its_first_commit_has_a_status_and_an_empty_log() {
    let yard = Yard::with_programs(Settings::default());
    yard.git(".", &["init", "--quiet", "--initial-branch=main"]);
    let view = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    assert_eq!((view.branch.as_deref(), view.head, view.clean), (Some("main"), None, true));
    let log = git::log(&yard.station, &call(), &git::Log::default()).unwrap();
    assert_eq!((log.commits.len(), log.total), (0, Some(0)));
    yard.put("f.txt", "");
    add(&yard, &["f.txt"]).unwrap();
    let restore = git::Restore { repo: None, paths: vec!["f.txt".to_owned()] };
    assert_eq!(git::restore(&yard.station, &call(), &restore).unwrap().still_staged, 0);
    add(&yard, &["f.txt"]).unwrap();
    assert_eq!(commit(&yard, "First").branch.as_deref(), Some("main"));
}

#[test]
fn differences_are_shown_unstaged_staged_and_between_revisions() {
    let yard = repository();
    yard.put("README.md", "one\n2\nthree\n");
    yard.put("src/lib.rs", "fn one() {}\nfn two() {}\n");
    yard.git(".", &["add", "src/lib.rs"]);
    let diff = |request: git::Diff| git::diff(&yard.station, &call(), &request).unwrap();
    let unstaged = diff(git::Diff::default());
    assert_eq!(unstaged.files.len(), 1);
    assert_eq!((unstaged.files[0].additions, unstaged.files[0].deletions), (Some(1), Some(1)));
    assert!(unstaged.diff.contains("-two\n+2\n"), "{}", unstaged.diff);
    let staged = diff(git::Diff { staged: true, ..git::Diff::default() });
    assert!(staged.diff.contains("+fn two() {}") && !staged.diff.contains("README"));
    let all = diff(git::Diff { from: Some("HEAD".into()), ..git::Diff::default() });
    assert_eq!(all.page.total, 2);
    let one = diff(git::Diff {
        from: Some("HEAD".into()),
        paths: vec!["README.md".into()],
        context_lines: Some(0),
        ..git::Diff::default()
    });
    assert!(one.diff.contains("@@ -2 +2 @@ one\n-two\n+2\n"), "{}", one.diff);
    yard.git(".", &["commit", "--all", "--quiet", "--message=Second"]);
    let between = git::Diff { from: Some("HEAD~1".into()), to: Some("HEAD".into()), ..git::Diff::default() };
    assert_eq!(diff(between).page.total, 2);
    let alone = git::Diff { to: Some("HEAD".into()), ..git::Diff::default() };
    assert_eq!(git::diff(&yard.station, &call(), &alone).unwrap_err().key.as_str(), "invalid_params");
}

#[test]
fn a_large_difference_is_paged_by_file() {
    let yard = repository();
    for file in 0..40 {
        yard.put(&format!("file{file:02}.txt"), "line of text\n".repeat(100));
    }
    yard.git(".", &["add", "."]);
    let mut page = PageRequest::default();
    let (mut files, mut patches) = (0, 0);
    loop {
        let request = git::Diff { staged: true, page: page.clone(), ..git::Diff::default() };
        let view = git::diff(&yard.station, &call(), &request).unwrap();
        assert!(serde_json::to_string(&view).unwrap().chars().count() <= 25_000);
        assert!(!view.truncated && view.page.total == 40);
        files += view.files.len();
        patches += view.diff.matches("diff --git").count();
        assert_eq!((files, view.page.remaining), (patches, 40 - files));
        match view.page.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(files, 40);
    yard.put("huge.txt", "x".repeat(99).repeat(1_000));
    yard.git(".", &["add", "."]);
    let one = git::Diff { staged: true, paths: vec!["huge.txt".into()], ..git::Diff::default() };
    let view = git::diff(&yard.station, &call(), &one).unwrap();
    assert!(view.truncated && view.diff.starts_with("diff --git a/huge.txt"));
}

#[test]
fn the_log_is_filtered_and_paged() {
    let yard = repository();
    for number in 1..=12 {
        yard.put("counter.txt", number.to_string());
        yard.git(".", &["add", "."]);
        let author = if number % 2 == 0 { "Bo <bo@x>" } else { "Ann <ann@x>" };
        yard.git(
            ".",
            &[
                "commit",
                "--quiet",
                &format!("--author={author}"),
                &format!("--message=Count {number}\n\nBody"),
            ],
        );
    }
    let log = |request: git::Log| git::log(&yard.station, &call(), &request).unwrap();
    let mut page = PageRequest { limit: Some(5), ..PageRequest::default() };
    let mut subjects = Vec::new();
    loop {
        let view = log(git::Log { page: page.clone(), ..git::Log::default() });
        assert_eq!(view.total, Some(13));
        subjects.extend(view.commits.into_iter().map(|commit| commit.subject));
        // A commit in the middle of paging does not shift the pages.
        yard.git(".", &["commit", "--quiet", "--allow-empty", "--message=Later"]);
        match view.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(subjects.len(), 13);
    assert_eq!((subjects[0].as_str(), subjects[12].as_str()), ("Count 12", "First"));
    let by_bo = log(git::Log { author: Some("Bo".into()), ..git::Log::default() });
    assert_eq!(by_bo.total, Some(6));
    let grep = log(git::Log { grep: Some("Count 11".into()), ..git::Log::default() });
    assert_eq!((grep.commits.len(), grep.commits[0].body.as_str()), (1, "Body"));
    let path = log(git::Log { paths: vec!["src".into()], ..git::Log::default() });
    assert_eq!(path.commits[0].subject, "First");
    let future = log(git::Log { since: Some("2050-01-01T00:00:00Z".into()), ..git::Log::default() });
    assert_eq!((future.commits.len(), future.total), (0, Some(0)));
}

#[test]
fn commits_files_and_folders_are_shown_as_they_were() {
    let yard = repository();
    yard.put("README.md", "changed\n");
    yard.git(".", &["commit", "--all", "--quiet", "--message=Second\n\nWhy"]);
    yard.git(".", &["tag", "--annotate", "--message=Release", "v1"]);
    let show = |revision: &str| {
        let request = git::Show { revision: revision.to_owned(), ..git::Show::default() };
        git::show(&yard.station, &call(), &request).unwrap()
    };
    for revision in ["HEAD", "v1"] {
        let view = show(revision);
        assert_eq!(view.kind, ObjectKind::Commit);
        assert_eq!(view.commit.unwrap().body, "Why");
        assert_eq!(view.files.unwrap()[0].change, ChangeKind::Modified);
        assert!(view.diff.unwrap().contains("+changed"));
    }
    assert!(show("HEAD~1").diff.unwrap().contains("+fn one() {}"), "the first commit shows all of it");
    assert_eq!(show("HEAD~1:README.md").content.as_deref(), Some("one\ntwo\nthree\n"));
    let names: Vec<String> = show("HEAD:src").entries.unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["lib.rs"]);
    let missing = git::Show { revision: "nope".into(), ..git::Show::default() };
    assert_eq!(git::show(&yard.station, &call(), &missing).unwrap_err().key.as_str(), "revision_not_found");
}

#[test]
fn lines_are_blamed_on_their_commits() {
    let yard = repository();
    yard.put("README.md", "one\n2\nthree\nfour\n");
    yard.git(".", &["commit", "--all", "--quiet", "--message=Second"]);
    yard.put("README.md", "one\n2\nthree\nfour\nfive\n");
    let request = git::Blame { path: "README.md".into(), ..git::Blame::default() };
    let view = git::blame(&yard.station, &call(), &request).unwrap();
    let found: Vec<_> =
        view.hunks.iter().map(|hunk| (hunk.summary.as_str(), hunk.content.as_str())).collect();
    assert_eq!(found[..3], [("First", "one"), ("Second", "2"), ("First", "three")]);
    assert!(found.last().unwrap().1 == "five" && view.page.total == 5);
    let first =
        git::Blame { page: PageRequest { limit: Some(2), ..PageRequest::default() }, ..request.clone() };
    let view = git::blame(&yard.station, &call(), &first).unwrap();
    assert_eq!(view.page.remaining, 3);
    let page = PageRequest { cursor: view.page.next_cursor, ..PageRequest::default() };
    let rest = git::blame(&yard.station, &call(), &git::Blame { page, ..request }).unwrap();
    assert_eq!((rest.hunks[0].start_line, rest.page.remaining), (3, 0));
}

#[test]
fn work_trees_are_listed() {
    let yard = repository();
    yard.git(".", &["worktree", "add", "--quiet", "../elsewhere", "-b", "side"]);
    yard.git(".", &["worktree", "add", "--quiet", "inner", "-b", "inner"]);
    let view = git::worktrees(&yard.station, &call(), &git::Worktrees::default()).unwrap();
    let found: Vec<_> =
        view.worktrees.iter().map(|tree| (tree.branch.as_deref().unwrap(), tree.allowed)).collect();
    assert_eq!(found, [("side", false), ("main", true), ("inner", true)]);
}

#[test]
fn odd_names_are_shown_and_staged_as_they_are() {
    use std::os::unix::ffi::OsStrExt as _;
    let yard = repository();
    fs_err::write(yard.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    yard.put("new\nline \"quoted\" ü", "");
    yard.put("-dash", "");
    let view = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    let names: Vec<&str> = view.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["-dash", r"caf\xE9", "new\nline \"quoted\" ü"]);
    let view = add(&yard, &["new\nline \"quoted\" ü", "-dash"]).unwrap();
    assert_eq!(view.staged.len(), 2);
}

#[test]
fn hooks_run_when_the_user_wants_them_to() {
    let settings = Settings { commit_hooks: CommitHooks::Run, ..Settings::default() };
    let yard = Yard::repository(settings);
    let hook = yard.trap("pre-commit");
    fs_err::copy(&hook, yard.root().join(".git/hooks/pre-commit")).unwrap();
    yard.put("a.txt", "a");
    add(&yard, &["a.txt"]).unwrap();
    assert_eq!(yard.marks(), [""; 0], "staging runs none");
    commit(&yard, "With hooks");
    assert_eq!(yard.marks(), ["pre-commit"]);
}
