//! A group on one thread, so that every call of it can fail, and power can be lost at each.

use super::*;
use crate::fault::{self, Fault, FaultPlan};
use crate::layout::Layout;
use crate::secret::MachineSecret;

const NAMES: [&str; 3] = ["a", "b", "c"];

struct Setting {
    dir: tempfile::TempDir,
    root: Root,
    journal: RelPath,
    secret: MachineSecret,
}

impl Setting {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = fs_err::canonicalize(dir.path()).unwrap();
        let root = Root::open(&path).unwrap();
        let journal = Layout::load(&path).places().journal.clone();
        let setting = Self { dir, root, journal, secret: MachineSecret::default() };
        // The second has files to replace and to remove, the others make theirs in new folders.
        for (file, text) in [("b/one.md", "old"), ("b/two.md", "old"), ("b/gone.md", "old")] {
            let path = setting.dir.path().join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        setting
    }

    fn journal(&self) -> Journal<'_> {
        Journal::new(&self.root, &self.root, &self.journal, &self.secret)
    }

    fn text(&self, file: &str) -> Option<String> {
        fs_err::read_to_string(self.dir.path().join(file)).ok()
    }

    /// Whether the commit of this name is there; panics when half of it is.
    fn is_there(&self, name: &str) -> bool {
        let [one, two, gone] = ["one", "two", "gone"].map(|file| self.text(&format!("{name}/{file}.md")));
        let is_new = one.as_deref() == Some("new");
        assert_eq!(two.as_deref() == Some("new"), is_new, "{name} is torn");
        assert_eq!(gone.is_none(), is_new || name != "b", "{name} is torn");
        is_new
    }

    /// What each was told; an error where it could not even join.
    fn commit_all(&self) -> Vec<Result<Committed, CommitError>> {
        let (group, journal) = (Group::default(), self.journal());
        let context = Context::background().with_secret(self.secret.clone());
        let joined = NAMES.map(|name| {
            let file = |file: &str| RelPath::parse(&format!("{name}/{file}.md")).unwrap();
            let put = |place| Edit::Put { place, bytes: b"new".to_vec(), expect: Expect::Any };
            let gone = Edit::Delete { place: file("gone"), expect: Expect::Any };
            group.join(&context, &self.root, &journal, vec![put(file("one")), put(file("two")), gone])
        });
        let _ = group.carry_out(&self.root, &journal);
        joined.map(|ticket| ticket.and_then(|ticket| ticket.take().expect("everybody is told"))).into()
    }

    fn check(&self, told: &[Result<Committed, CommitError>], at: &str) -> usize {
        self.journal().recover().unwrap();
        let left = fs_err::read_dir(self.journal.under(self.root.path()))
            .map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>())
            .unwrap_or_default();
        assert!(left.iter().all(|name| name == "last"), "{at}: {left:?}");
        let mut there = 0;
        for (name, told) in NAMES.iter().zip(told) {
            let is_there = self.is_there(name);
            there += usize::from(is_there);
            match told {
                Ok(_) => assert!(is_there, "{at}: {name} was acknowledged"),
                Err(CommitError::Unfinished(_)) => {}
                Err(error) => assert!(!is_there, "{at}: {name} was refused: {error}"),
            }
        }
        there
    }
}

/// The root as somebody reads it while a record stands there.
fn seen(setting: &Setting) -> Root {
    let crate::journal::Pending::Ours(record) = setting.journal().pending() else { panic!("no record") };
    let folder = setting.journal.join(&record.tx.to_string()).unwrap();
    let slots = setting.root.open_real_dir(Some(&folder)).unwrap();
    setting.root.finished(&slots, &record).unwrap().unwrap_or_else(|| setting.root.clone())
}

#[test]
fn beside_an_edit_by_hand_a_shared_record_leaves_that_commit_and_all_after_it_whole_in_the_journal() {
    let mut tried = 0;
    for at in 0..calls() {
        for edited in ["b/two.md", "b/gone.md"] {
            let setting = Setting::new();
            fault::inject(Some(FaultPlan { at, fault: Fault::FailFromHere(5) }));
            setting.commit_all();
            fault::inject(None);
            // Nothing to finish, or this one is in its place already: the edit comes after it.
            if !setting.journal().has_record() || setting.text(edited).as_deref() != Some("old") {
                continue;
            }
            tried += 1;
            fs_err::write(setting.dir.path().join(edited), "by hand").unwrap();
            let old = |file: &str| if file == edited { "by hand" } else { "old" };
            let seen = seen(&setting);
            for file in ["b/one.md", "b/two.md", "b/gone.md"] {
                let (bytes, _) = seen.read(file).unwrap();
                assert_eq!(String::from_utf8(bytes).unwrap(), old(file), "{file} is read so at {at}");
            }
            assert_eq!(seen.read("a/two.md").unwrap().0, b"new", "at {at}");
            assert!(seen.read("c/one.md").is_err(), "at {at}");

            setting.journal().recover().unwrap();
            assert!(!setting.journal().has_record());
            assert!(setting.is_there("a"), "it came before, at {at}");
            assert!(!setting.is_there("c"), "it may rest on what was left, at {at}");
            for file in ["b/one.md", "b/two.md", "b/gone.md"] {
                assert_eq!(setting.text(file).as_deref(), Some(old(file)), "{file} at {at}");
            }
            let stranded = setting.journal().stranded().unwrap();
            let mut paths: Vec<&str> = stranded.iter().map(|write| write.path.as_str()).collect();
            paths.sort_unstable();
            assert_eq!(paths, ["b/gone.md", "b/one.md", "b/two.md", "c/one.md", "c/two.md"], "at {at}");
            for write in &stranded {
                let is_put = !write.path.as_str().ends_with("gone.md");
                let kept = write.kept.as_ref().and_then(|kept| setting.text(kept.as_str()));
                assert_eq!(kept.as_deref(), is_put.then_some("new"), "{write:?} at {at}");
                let because_of = write.because_of.as_ref().map(RelPath::as_str);
                assert_eq!(because_of, (write.path.as_str() != edited).then_some(edited), "{write:?}");
            }
        }
    }
    assert!(tried > 3, "{tried}");
}

fn calls() -> usize {
    let setting = Setting::new();
    fault::inject(None);
    let told = setting.commit_all();
    let calls = fault::trace().len();
    assert!(told.iter().all(Result::is_ok), "{told:?}");
    assert_eq!(setting.check(&told, "no fault"), NAMES.len());
    calls
}

#[test]
fn a_fault_at_any_call_leaves_each_whole_or_not_at_all_and_tells_the_truth() {
    let mut there = [0; 4];
    for at in 0..calls() {
        for fault in [Fault::Fail(5), Fault::FailFromHere(28), Fault::FailFromHere(30), Fault::Short] {
            let setting = Setting::new();
            fault::inject(Some(FaultPlan { at, fault }));
            let told = setting.commit_all();
            fault::inject(None);
            there[setting.check(&told, &format!("{fault:?} at {at}"))] += 1;
        }
    }
    assert!(there[0] > 5 && there[NAMES.len()] > 5, "{there:?}");
}

#[test]
fn a_loss_of_power_at_any_call_keeps_what_was_acknowledged() {
    let mut there = [0; 4];
    for at in 0..=calls() {
        for everything in [true, false] {
            let setting = Setting::new();
            fault::inject_and_remember(Some(FaultPlan { at, fault: Fault::FailFromHere(5) }));
            let told = setting.commit_all();
            fault::lose_power(everything);
            fault::inject(None);
            there[setting.check(&told, &format!("at {at}, {everything}"))] += 1;
        }
    }
    assert!(there[0] > 5 && there[NAMES.len()] > 5, "{there:?}");
}

#[test]
fn whoever_was_given_up_does_not_join() {
    let setting = Setting::new();
    let (group, journal) = (Group::default(), setting.journal());
    let context = Context::background().with_secret(setting.secret.clone());
    assert!(context.commit_point().close());
    let place = RelPath::parse("a/one.md").unwrap();
    let edits = vec![Edit::Put { place, bytes: b"new".to_vec(), expect: Expect::Any }];
    let refused = group.join(&context, &setting.root, &journal, edits).unwrap_err();
    assert!(matches!(refused, CommitError::Interrupted(_)), "{refused}");
    assert!(!group.is_open(), "and nobody waits");
    assert_eq!(setting.text("a/one.md"), None);
}

/// Where the record of a group that nothing befalls is closed.
fn closing() -> std::ops::Range<usize> {
    fault::inject(None);
    Setting::new().commit_all();
    let trace = fault::trace();
    trace.iter().position(|call| call == "rename last").unwrap()..trace.len()
}

#[test]
fn what_all_were_told_is_not_taken_back_by_a_recovery_that_fails() {
    let mut failed = 0;
    for close in closing().take(2) {
        for at in 0..8 {
            for fault in [Fault::Fail(5), Fault::FailFromHere(28)] {
                let setting = Setting::new();
                fault::inject(Some(FaultPlan { at: close, fault: Fault::FailFromHere(5) }));
                let told = setting.commit_all();
                fault::inject(Some(FaultPlan { at, fault }));
                failed += usize::from(setting.journal().recover().is_err());
                fault::inject(None);
                assert!(told.iter().all(Result::is_ok), "{told:?}");
                assert_eq!(setting.check(&told, &format!("{close}, {fault:?} at {at}")), NAMES.len());
            }
        }
    }
    assert!(failed > 0);
}

/// The fourth writes what the first has written: those before it are carried out when it comes.
#[test]
fn a_fault_at_any_call_of_two_groups_under_one_lock_leaves_each_whole_or_not_at_all() {
    let commit = |setting: &Setting| {
        let (group, journal) = (Group::default(), setting.journal());
        let context = Context::background().with_secret(setting.secret.clone());
        let joined = [("a", "new"), ("b", "new"), ("c", "new"), ("a", "newer")].map(|(name, text)| {
            let file = |file: &str| RelPath::parse(&format!("{name}/{file}.md")).unwrap();
            let put = |place| Edit::Put { place, bytes: text.as_bytes().to_vec(), expect: Expect::Any };
            group.join(&context, &setting.root, &journal, vec![put(file("one")), put(file("two"))])
        });
        let _ = group.carry_out(&setting.root, &journal);
        joined.map(|ticket| ticket.and_then(|ticket| ticket.take().expect("everybody is told")))
    };
    fault::inject(None);
    assert!(commit(&Setting::new()).iter().all(Result::is_ok));
    let (calls, mut newer) = (fault::trace().len(), 0);
    for at in 0..calls {
        for fault in [Fault::Fail(5), Fault::FailFromHere(5)] {
            let setting = Setting::new();
            fault::inject(Some(FaultPlan { at, fault }));
            let told = commit(&setting);
            fault::inject(None);
            setting.journal().recover().unwrap();
            assert!(setting.journal().distrusted().unwrap().is_empty(), "{fault:?} at {at}");
            let texts = ["a", "b", "c"].map(|name| {
                let [one, two] = ["one", "two"].map(|file| setting.text(&format!("{name}/{file}.md")));
                assert_eq!(one, two, "{name} is torn, {fault:?} at {at}");
                one
            });
            for (name, told) in told[..3].iter().enumerate() {
                let is_there = matches!(texts[name].as_deref(), Some("new" | "newer"));
                assert!(told.is_err() || is_there, "{name} was acknowledged, {fault:?} at {at}");
            }
            let is_newer = texts[0].as_deref() == Some("newer");
            assert!(told[3].is_err() || is_newer, "{fault:?} at {at}");
            newer += usize::from(is_newer);
        }
    }
    assert!(newer > 5, "{newer}");
}

#[test]
fn texts_that_could_not_be_synced_when_another_one_joined_are_made_durable_before_anybody_is_told() {
    let setting = Setting::new();
    let file = |name: &str, n: usize| RelPath::parse(&format!("{name}/{n}.md")).unwrap();
    let (group, journal) = (Group::default(), setting.journal());
    let context = Context::background().with_secret(setting.secret.clone());
    fault::inject_and_remember(None);
    let join = |name: &str| {
        let put = |n| Edit::Put { place: file(name, n), bytes: b"new".to_vec(), expect: Expect::Any };
        group.join(&context, &setting.root, &journal, (0..30).map(put).collect())
    };
    let mut told = vec![join("a").unwrap(), join("b").unwrap()];
    let next = fault::trace().len();
    // With the fifth text of the third there are too many open files.
    fault::also(FaultPlan { at: next + 8, fault: Fault::Fail(5) });
    told.extend(join("c").inspect_err(|_| assert!(fault::trace()[next + 8].starts_with("fsync"))));
    assert_eq!(told.len(), 2, "{:?}", &fault::trace()[next..]);
    let _ = group.carry_out(&setting.root, &journal);
    let told: Vec<_> = told.iter().map(|ticket| ticket.take().unwrap()).collect();
    fault::lose_power(true);
    fault::inject(None);
    setting.journal().recover().unwrap();
    for (name, told) in ["a", "b"].iter().zip(told) {
        told.unwrap();
        for n in 0..30 {
            assert_eq!(setting.text(&format!("{name}/{n}.md")).as_deref(), Some("new"), "{name} {n}");
        }
    }
}
