//! Links that lead out, links that stay inside.

use std::os::unix::fs::{MetadataExt as _, symlink};

use hewto_workstation::{Protected, Roots, Settings, Workstation, files};

use super::assert_refused;
use crate::yard::{SECRET, Yard, call, every_file_call, read_request};

#[test]
fn no_link_leads_out() {
    let yard = Yard::new();
    yard.link(yard.base().join("outside"), "dir");
    yard.link("/proc/self/root", "magic");
    for path in ["dir/secret.txt", "dir/new.txt", "dir/new/deeper.txt", "magic/etc/passwd"] {
        assert_refused(&yard, path, &["path_outside_roots"]);
    }
    let relative = std::path::PathBuf::from("../outside/secret.txt");
    for target in [relative, yard.base().join("outside/secret.txt")] {
        yard.link(&target, "one");
        yard.link("one", "two");
        for path in ["two", "one"] {
            for (tool, result) in every_file_call(&yard, path) {
                match tool {
                    // The link itself lies inside: moving or deleting it touches nothing outside.
                    "fs_move" | "fs_delete" => {}
                    _ => assert_eq!(
                        result.expect_err(tool).key.as_str(),
                        "path_outside_roots",
                        "{tool} {path}"
                    ),
                }
            }
            yard.assert_outside_untouched();
            fs_err::remove_dir_all(yard.root().join("copies")).unwrap();
        }
    }
}

#[test]
fn a_dangling_link_is_not_a_way_to_create_something_outside() {
    let yard = Yard::new();
    yard.link(yard.base().join("outside/new.txt"), "dangling");
    let write = files::Write { path: "dangling".to_owned(), content: "x".to_owned() };
    assert_eq!(files::write(&yard.station, &call(), &write).unwrap_err().key.as_str(), "path_outside_roots");
    let append = files::Append { path: "dangling".to_owned(), content: "x".to_owned() };
    assert_eq!(
        files::append(&yard.station, &call(), &append).unwrap_err().key.as_str(),
        "path_outside_roots"
    );
    yard.assert_outside_untouched();
}

#[test]
fn links_that_stay_inside_are_followed() {
    let yard = Yard::new();
    yard.put("real/f.txt", "inside");
    yard.link("real/f.txt", "relative");
    yard.link(yard.root().join("real/f.txt"), "absolute");
    yard.link(yard.root().join("real"), "dir");
    yard.link("../root/real", "round");
    for path in ["relative", "absolute", "dir/f.txt", "round/f.txt"] {
        let outcome = files::read(&yard.station, &call(), &read_request(path)).unwrap();
        assert_eq!(outcome.view.content.as_deref(), Some("inside"), "{path}");
    }
    let write = files::Write { path: "absolute".to_owned(), content: "new".to_owned() };
    files::write(&yard.station, &call(), &write).unwrap();
    assert_eq!(yard.bytes("real/f.txt"), b"new");
    assert!(fs_err::symlink_metadata(yard.root().join("absolute")).unwrap().is_symlink());
}

#[test]
fn a_link_can_be_a_root_and_both_its_names_work() {
    let yard = Yard::new();
    yard.put("f.txt", "inside");
    let alias = yard.base().join("alias");
    symlink(yard.root(), &alias).unwrap();
    let roots = Roots::open(std::slice::from_ref(&alias), Protected::default()).unwrap();
    let station = Workstation::new(roots, Settings::default());
    for path in [alias.join("f.txt"), yard.root().join("f.txt")] {
        let outcome = files::read(&station, &call(), &read_request(path.to_str().unwrap())).unwrap();
        assert_eq!(outcome.view.content.as_deref(), Some("inside"));
    }
}

#[test]
fn a_link_into_another_root_is_inside() {
    let yard = Yard::new();
    let second = yard.base().join("outside");
    yard.link(second.join("secret.txt"), "absolute");
    yard.link("../outside/secret.txt", "relative");
    let roots = Roots::open(&[yard.root(), second.clone()], Protected::default()).unwrap();
    let station = Workstation::new(roots, Settings::default());
    for path in ["absolute", "relative", second.join("secret.txt").to_str().unwrap()] {
        let outcome = files::read(&station, &call(), &read_request(path)).unwrap();
        assert_eq!(outcome.view.content.as_deref(), Some(SECRET), "{path}");
    }
}

#[test]
fn a_hard_link_is_replaced_and_never_written_through() {
    let yard = Yard::new();
    let outside = yard.base().join("outside/secret.txt");
    let check = |change: &dyn Fn()| {
        let link = yard.root().join("hard.txt");
        let _ = fs_err::remove_file(&link);
        fs_err::hard_link(&outside, &link).unwrap();
        change();
        yard.assert_outside_untouched();
        assert_eq!(fs_err::metadata(&link).unwrap().nlink(), 1);
        assert_ne!(fs_err::read_to_string(&link).unwrap(), SECRET);
    };
    check(&|| {
        let write = files::Write { path: "hard.txt".to_owned(), content: "new".to_owned() };
        files::write(&yard.station, &call(), &write).unwrap();
    });
    check(&|| {
        let append = files::Append { path: "hard.txt".to_owned(), content: "more".to_owned() };
        files::append(&yard.station, &call(), &append).unwrap();
    });
    check(&|| {
        let edit = crate::yard::edit_request("hard.txt", &[("secret", "public")]);
        files::edit(&yard.station, &call(), &edit).unwrap();
    });
}
