//! Lists under churn: `git checkout`, `git stash`, renames of every level and links, while somebody lists all the time. When
//! it is quiet the list is that of a process that has only just started.
//!
//! `HEWTO_CHURN_SPECS` and `HEWTO_CHURN_SECONDS` make it larger and longer (`scripts/prove.sh` does).

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hewto_store::{Context, Store};

use crate::support::{Workspace, child, child_arguments, layout};

/// How many specs stand in one group, a folder of the level between.
const GROUP: usize = 20;

fn setting(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or)
}

fn git(root: &Path, arguments: &[&str]) -> bool {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0", "-c", "core.hooksPath="];
    let output = Command::new("git").args(identity).args(arguments).current_dir(root).output().unwrap();
    output.status.success()
}

fn spec(number: u64) -> String {
    format!("specs/g{:03}/s{number:04}/spec.md", number / GROUP as u64)
}

/// Everything that a list tells.
fn listed(store: &Store) -> Vec<String> {
    let snapshot = store.snapshot(&Context::background()).unwrap();
    let tell = |spec: &std::sync::Arc<hewto_store::SpecEntry>| {
        format!("{} {} {} {:?}", spec.id, spec.title(), spec.has_plan(), spec.folder)
    };
    snapshot.specs.iter().map(tell).collect()
}

/// A process that has seen nothing before.
#[test]
#[ignore = "the oracle of the tests below, which start it as a process of its own"]
fn child_that_lists() {
    let arguments = child_arguments();
    for line in listed(&Store::open(layout(arguments[0].as_ref())).unwrap()) {
        println!("\nlisted {line}");
    }
}

fn fresh(root: &Path) -> Vec<String> {
    let output = child("churn::child_that_lists", &[root.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("listed ")).map(str::to_owned).collect()
}

/// A repository with two branches that differ in every third spec, and in which specs there are.
fn repository(count: u64) -> Workspace {
    let workspace = Workspace::native();
    let root = workspace.root();
    workspace.write(".gitignore", "/.hewto/\n/away/\n");
    for number in 0..count {
        workspace.write(&spec(number), format!("# Main {number}\n"));
    }
    assert!(git(&root, &["init", "-q", "-b", "main"]));
    assert!(git(&root, &["add", "."]) && git(&root, &["commit", "-q", "-m", "main"]));
    assert!(git(&root, &["checkout", "-q", "-b", "other"]));
    for number in 0..count {
        match number % 3 {
            0 => workspace.write(&spec(number), format!("# Other {number}\n")),
            1 if number % 2 == 0 => {
                std::fs::remove_dir_all(workspace.path(&spec(number)).parent().unwrap()).unwrap();
            }
            1 => workspace.write(&spec(number).replace("spec.md", "plan.md"), "# Plan\n"),
            _ => {}
        }
    }
    workspace.write(&format!("specs/only-other/s{count:04}/spec.md"), "# Only there\n");
    assert!(git(&root, &["add", "."]) && git(&root, &["commit", "-q", "-m", "other"]));
    std::fs::create_dir(workspace.path("away")).unwrap();
    workspace
}

/// One thing that people do; what cannot be done at this moment is left.
fn act(workspace: &Workspace, dice: u64, count: u64) {
    let root = workspace.root();
    let number = dice / 16 % count.max(1);
    let folder = workspace.path(&spec(number)).parent().unwrap().to_owned();
    let group = folder.parent().unwrap().to_owned();
    let away = workspace.path(&format!("away/{}", dice % 7));
    let there_and_back = |path: &Path| {
        if std::fs::rename(path, &away).is_ok() {
            let _ = std::fs::rename(&away, path);
        }
    };
    match dice % 8 {
        0 => drop(git(&root, &["checkout", "-q", "-f", "other"])),
        1 => drop(git(&root, &["checkout", "-q", "-f", "main"])),
        2 => {
            let _ = std::fs::write(folder.join("spec.md"), format!("# By hand {dice}\n"));
            if git(&root, &["stash", "-q", "-u"]) {
                git(&root, &["stash", "pop", "-q"]);
            }
        }
        3 => there_and_back(&folder),
        4 => there_and_back(&group),
        5 => there_and_back(&workspace.path("specs")),
        6 => {
            // The folder becomes a link to where it went, and a folder again.
            if std::fs::rename(&group, &away).is_ok() {
                let _ = symlink(Path::new("..").join(away.strip_prefix(workspace.path("")).unwrap()), &group);
                let _ = std::fs::remove_file(&group);
                let _ = std::fs::rename(&away, &group);
            }
        }
        _ => {
            let renamed = folder.with_file_name(format!("r{dice:04}"));
            let _ = std::fs::rename(&folder, &renamed);
        }
    }
}

#[test]
fn lists_under_churn_are_those_of_a_fresh_process_when_it_is_quiet() {
    let count = setting("HEWTO_CHURN_SPECS", 40);
    let until = Instant::now() + Duration::from_secs(setting("HEWTO_CHURN_SECONDS", 4));
    let workspace = repository(count);
    let (root, store) = (workspace.root(), workspace.store());
    let (mut dice, mut rounds) = (setting("HEWTO_PROVE_SEED", 17), 0_u64);
    while rounds < 3 || Instant::now() < until {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    listed(&store);
                }
            });
            for _ in 0..4 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                act(&workspace, dice >> 33, count);
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(
            listed(&store),
            fresh(&root),
            "round {rounds}, the last thing done was {}",
            (dice >> 33) % 8
        );
        rounds += 1;
    }
    println!("{rounds} rounds of {count} specs, none stale");
}

/// What a spec root stands in goes and comes back during a pass: the root is somebody else's, below a folder of theirs.
#[test]
fn a_folder_above_a_spec_root_may_go_and_come_back_during_a_pass() {
    let workspace = Workspace::with(&[("openspec/project.md", "# P\n")]);
    for number in 0..30 {
        workspace.write(&format!("openspec/specs/s{number:02}/spec.md"), format!("# {number}\n"));
    }
    let (store, scanning) = (workspace.store(), Store::open_scanning(workspace.layout()).unwrap());
    let [here, away] = ["openspec", "away"].map(|name| workspace.path(name));
    for store in [&store, &scanning] {
        for round in 0..40 {
            std::thread::scope(|scope| {
                let churn = scope.spawn(|| {
                    for _ in 0..20 {
                        std::fs::rename(&here, &away).unwrap();
                        std::fs::rename(&away, &here).unwrap();
                    }
                });
                while !churn.is_finished() {
                    listed(store);
                }
            });
            assert_eq!(listed(store).len(), 30, "round {round}");
        }
        // Gone for good, a list has none; and all of them when it is back.
        std::fs::rename(&here, &away).unwrap();
        assert_eq!(listed(store), Vec::<String>::new());
        std::fs::rename(&away, &here).unwrap();
        workspace.write("openspec/specs/s00/spec.md", "# New\n");
        assert_eq!(listed(store), listed(&workspace.store()));
    }
}
