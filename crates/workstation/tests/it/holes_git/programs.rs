//! Programs and options that a repository or an argument brings along.

use hewto_workstation::git;
use hewto_workstation::{Protected, Roots, Settings, Workstation};

use super::{every_git_call, repository};
use crate::yard::{call, shown};

#[test]
fn nothing_in_the_configuration_of_a_repository_is_run() {
    let yard = repository();
    yard.git(".", &["commit", "--quiet", "--allow-empty", "--message=Second"]);
    let trap = |name: &str| yard.trap(name).display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.a=b.clean",
        "filter.a=b.smudge",
        "merge.evil.driver",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
        "sequence.editor",
        "interactive.diffFilter",
        "pager.status",
        "pager.diff",
        "pager.log",
        "alias.status",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "trailer.x.command",
    ] {
        let value = trap(&key.replace(['.', '='], "-"));
        let value = if key.starts_with("alias") { format!("!{value}") } else { value };
        yard.git(".", &["config", key, &value]);
    }
    for (key, value) in [
        ("commit.gpgSign", "true"),
        ("tag.gpgSign", "true"),
        ("log.showSignature", "true"),
        ("merge.default", "evil"),
        ("gc.auto", "1"),
        ("submodule.recurse", "true"),
        ("core.hooksPath", "traps"),
        ("protocol.ext.allow", "always"),
    ] {
        yard.git(".", &["config", key, value]);
    }
    yard.put(".gitattributes", "*.md diff=evil filter=evil merge=evil\n*.rs filter=a=b\n");
    yard.put(".git/info/attributes", "*.md diff=evil filter=evil merge=evil\n");
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "pre-auto-gc",
        "post-rewrite",
    ] {
        let path = trap(&format!("hook-{hook}"));
        for folder in ["traps", ".git/hooks"] {
            fs_err::create_dir_all(yard.root().join(folder)).unwrap();
            fs_err::copy(&path, yard.root().join(folder).join(hook)).unwrap();
        }
    }
    // Something that is different from what the index has, so that contents are looked at.
    yard.put("src/lib.rs", "fn other() {}\n");
    for (tool, result) in every_git_call(&yard, None) {
        let failed = result.err().map(|error| (error.key.as_str(), error.to_string()));
        // The merge driver is git's own, and finds a conflict.
        let expected = failed.as_ref().is_none_or(|(key, _)| *key == "stash_conflict");
        assert!(expected, "{tool}: {failed:?}");
    }
    assert_eq!(yard.marks(), [""; 0]);
    // The traps do work: plain git falls into one at once.
    let _ = std::process::Command::new("git").arg("status").current_dir(yard.root()).output();
    assert!(!yard.marks().is_empty());
}

#[test]
fn a_required_filter_that_is_not_run_refuses_to_stage_and_breaks_nothing_else() {
    let yard = repository();
    let trap = yard.trap("clean").display().to_string();
    yard.git(".", &["config", "filter.big.clean", &trap]);
    yard.git(".", &["config", "filter.big.required", "true"]);
    yard.put(".gitattributes", "*.md filter=big\n");
    yard.put("README.md", "changed\n");
    let status = git::status(&yard.station, &call(), &git::Status::default()).unwrap();
    assert_eq!(status.note.as_deref(), Some("filters are not run here: `big`"));
    git::diff(&yard.station, &call(), &git::Diff::default()).unwrap();
    let add = git::Add { repo: None, paths: vec!["README.md".into()] };
    assert_eq!(git::add(&yard.station, &call(), &add).unwrap_err().key.as_str(), "filter_required");
    assert_eq!(yard.git(".", &["-c", "filter.big.clean=cat", "diff", "--cached", "--name-only"]), "");
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn a_missing_object_is_not_fetched_by_a_program_of_the_remote() {
    let yard = repository();
    let trap = yard.trap("upload-pack").display().to_string();
    yard.git(".", &["remote", "add", "origin", "ext::sh -c touch% marks/ext"]);
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", trap.as_str()),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
    ] {
        yard.git(".", &["config", key, value]);
    }
    let blob = yard.git(".", &["rev-parse", "HEAD:README.md"]);
    fs_err::remove_file(yard.root().join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    let show = git::Show { revision: "HEAD".into(), ..git::Show::default() };
    assert!(git::show(&yard.station, &call(), &show).is_err());
    assert_eq!(yard.marks(), [""; 0]);
}

#[test]
fn options_in_the_place_of_revisions_names_and_dates_are_refused() {
    let yard = repository();
    // A branch that is really called so does not help.
    let head = yard.git(".", &["rev-parse", "HEAD"]);
    fs_err::write(yard.root().join(".git/refs/heads/-x"), format!("{head}\n")).unwrap();
    let evil = yard.base().join("evil").display().to_string();
    let station = &yard.station;
    let call = &call();
    for text in [&format!("--output={evil}"), "-D", "--help", "-x", "--format=%H", "--upload-pack=x"] {
        let text = || text.to_owned();
        let results = [
            shown(git::diff(station, call, &git::Diff { from: Some(text()), ..git::Diff::default() })),
            shown(git::diff(
                station,
                call,
                &git::Diff { from: Some("HEAD".into()), to: Some(text()), ..git::Diff::default() },
            )),
            shown(git::show(station, call, &git::Show { revision: text(), ..git::Show::default() })),
            shown(git::log(station, call, &git::Log { author: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { grep: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { since: Some(text()), ..git::Log::default() })),
            shown(git::log(station, call, &git::Log { until: Some(text()), ..git::Log::default() })),
            shown(git::branches(
                station,
                call,
                &git::Branches { contains: Some(text()), ..git::Branches::default() },
            )),
            shown(git::branches(
                station,
                call,
                &git::Branches { not_contains: Some(text()), ..git::Branches::default() },
            )),
            shown(git::branch_create(
                station,
                call,
                &git::BranchCreate { name: text(), ..git::BranchCreate::default() },
            )),
            shown(git::branch_create(
                station,
                call,
                &git::BranchCreate { name: "ok".into(), from: Some(text()), ..git::BranchCreate::default() },
            )),
            shown(git::switch(station, call, &git::Switch { name: text(), ..git::Switch::default() })),
        ];
        for (index, result) in results.into_iter().enumerate() {
            assert_eq!(result.unwrap_err().key.as_str(), "invalid_params", "{index} {}", text());
        }
        // A path may be called so; it is a path all the same.
        let paths = vec![text()];
        let diff = git::Diff { paths: paths.clone(), ..git::Diff::default() };
        assert_eq!(git::diff(station, call, &diff).unwrap().page.total, 0);
        assert_eq!(
            git::add(station, call, &git::Add { repo: None, paths }).unwrap_err().key.as_str(),
            "not_found"
        );
        let blame = git::Blame { path: text(), ..git::Blame::default() };
        assert!(git::blame(station, call, &blame).is_err());
    }
    assert!(!yard.base().join("evil").exists());
}

#[test]
fn git_is_never_taken_from_inside_a_root() {
    let yard = repository();
    let trap = yard.trap("git");
    fs_err::create_dir(yard.root().join("bin")).unwrap();
    fs_err::copy(&trap, yard.root().join("bin/git")).unwrap();
    fs_err::copy(&trap, yard.root().join("git")).unwrap();
    let mut search_path = vec![yard.root().join("bin"), ".".into(), "".into(), "bin".into()];
    search_path.extend(yard.station.settings().search_path.iter().cloned());
    let settings = Settings { search_path, ..yard.station.settings().clone() };
    let station = Workstation::new(Roots::open(&[yard.root()], Protected::default()).unwrap(), settings);
    git::status(&station, &call(), &git::Status::default()).unwrap();
    assert_eq!(yard.marks(), [""; 0]);
}
