//! Moving, copying and deleting.

use hewto_workstation::files::{self, WantedKind};

use crate::yard::{Yard, call};

#[test]
fn moving_refuses_what_is_there_and_never_loses_anything() {
    let yard = Yard::new();
    yard.put("a.txt", "A");
    yard.put("b.txt", "B");
    yard.put("dir/in.txt", "in");
    let relocate = |source: &str, destination: &str| {
        let request = files::Move { source: source.to_owned(), destination: destination.to_owned() };
        files::relocate(&yard.station, &call(), &request)
    };
    assert_eq!(relocate("a.txt", "b.txt").unwrap_err().key.as_str(), "already_exists");
    assert_eq!((yard.bytes("a.txt"), yard.bytes("b.txt")), (b"A".to_vec(), b"B".to_vec()));
    relocate("a.txt", "new/a.txt").unwrap();
    assert_eq!(yard.bytes("new/a.txt"), b"A");
    relocate("dir", "moved").unwrap();
    assert_eq!(yard.bytes("moved/in.txt"), b"in");
    assert_eq!(relocate("moved", "moved/inside").unwrap_err().key.as_str(), "invalid_params");
    assert_eq!(relocate("nope", "x").unwrap_err().key.as_str(), "not_found");
    assert_eq!(relocate(".", "x").unwrap_err().key.as_str(), "protected_path");
}

#[test]
fn copying_is_whole_or_not_at_all() {
    let yard = Yard::new();
    yard.put("dir/a.txt", "A");
    yard.put("dir/sub/b.txt", "B");
    yard.link("a.txt", "dir/link");
    let copy = |source: &str, destination: &str, recursive| {
        let request =
            files::Copy { source: source.to_owned(), destination: destination.to_owned(), recursive };
        files::copy(&yard.station, &call(), &request)
    };
    assert_eq!(copy("dir", "twin", false).unwrap_err().key.as_str(), "is_a_directory");
    assert_eq!(copy("dir", "twin", true).unwrap().copied, 5);
    assert_eq!(yard.bytes("twin/sub/b.txt"), b"B");
    assert_eq!(fs_err::read_link(yard.root().join("twin/link")).unwrap().to_str(), Some("a.txt"));
    assert_eq!(copy("dir/a.txt", "twin/a.txt", false).unwrap_err().key.as_str(), "already_exists");
    yard.pipe("dir/pipe");
    assert_eq!(copy("dir", "third", true).unwrap_err().key.as_str(), "special_file");
    let mut names: Vec<_> =
        fs_err::read_dir(yard.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["dir", "twin"], "nothing half copied stays");
}

#[test]
fn a_folder_is_deleted_when_it_is_empty_or_meant_to_go_whole() {
    let yard = Yard::new();
    yard.put("dir/a/b.txt", "");
    yard.put("f.txt", "");
    yard.link("f.txt", "link");
    let delete = |path: &str, recursive| {
        files::delete(
            &yard.station,
            &call(),
            &files::Delete { path: path.to_owned(), recursive, kind: WantedKind::Any },
        )
    };
    assert_eq!(delete("dir", false).unwrap_err().key.as_str(), "directory_not_empty");
    assert_eq!(delete("dir", true).unwrap().deleted, 3);
    delete("link", false).unwrap();
    assert!(yard.root().join("f.txt").exists(), "the link went, not the file");
    assert_eq!(delete("f.txt", false).unwrap().deleted, 1);
    assert_eq!(delete("f.txt", false).unwrap_err().key.as_str(), "not_found");
    assert_eq!(delete(".", true).unwrap_err().key.as_str(), "protected_path");
    assert_eq!(fs_err::read_dir(yard.root()).unwrap().count(), 0);
}
