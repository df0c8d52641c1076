use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn machine(folder: &Path) -> MachineSecret {
    MachineSecret::keeping_in([folder.to_owned()])
}

#[test]
fn a_key_is_made_once_by_the_first_write_and_belongs_to_its_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("state/hewto");
    assert!(machine(&folder).known_key().unwrap().is_none());
    assert!(!folder.exists(), "reading makes nothing");
    let seals = [(); 2].map(|()| machine(&folder).key().seal("test", &[b"text"]));
    assert_eq!(seals[0], seals[1]);
    let mode = std::fs::metadata(folder.join(KEY_FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_seal_holds_for_its_purpose_and_its_parts_only() {
    let key = MachineSecret::default().key();
    let seal = key.seal("journal", &[b"ab", b"c"]);
    assert!(key.is_sealed("journal", &[b"ab", b"c"], &Seal::parse(&seal.to_string()).unwrap()));
    assert!(!key.is_sealed("journal", &[b"a", b"bc"], &seal));
    assert!(!key.is_sealed("proof", &[b"ab", b"c"], &seal));
    assert!(!MachineKey::random().is_sealed("journal", &[b"ab", b"c"], &seal));
}

#[test]
fn a_key_that_others_can_read_or_that_lies_in_a_repository_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("hewto");
    machine(&folder).key();
    std::fs::set_permissions(folder.join(KEY_FILE), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(machine(&folder).known_key(), Err(KeyError::Exposed(_))));
    std::fs::set_permissions(folder.join(KEY_FILE), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    assert!(matches!(machine(&folder).known_key(), Err(KeyError::InRepository(_))));
    assert!(machine(&folder).trouble().is_some());
    fs_err::remove_file(folder.join(KEY_FILE)).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.join(KEY_FILE), rustix::fs::Mode::RWXU).unwrap();
    assert!(matches!(machine(&folder).known_key(), Err(KeyError::Exposed(_))), "and nobody waits for it");
}

#[test]
fn the_next_folder_is_taken_where_the_first_cannot_hold_a_key() {
    let dir = tempfile::tempdir().unwrap();
    let [first, second] = ["repo/hewto", "other/hewto"].map(|name| dir.path().join(name));
    fs_err::create_dir_all(dir.path().join("repo/.git")).unwrap();
    let both = MachineSecret::keeping_in([first.clone(), second.clone()]);
    both.key();
    assert!(!first.exists() && second.join(KEY_FILE).exists());
    let again = MachineSecret::keeping_in([first, second]);
    assert!(again.known_key().unwrap().is_some());
    assert!(again.trouble().is_none());
}
