use std::process::Command;

use hewto_testkit::Cluster;

use crate::team::{Team, wait_until};

const CONTAINERFILE: &str = include_str!("../../../../packaging/hub/Containerfile");
const COMPOSE: &str = include_str!("../../../../packaging/hub/compose.yaml");
const UNIT: &str = include_str!("../../../../packaging/hub/hewto-hub.service");

/// The words of a JSON list behind a key.
fn words(text: &str, key: &str) -> Vec<String> {
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(key)).unwrap();
    serde_json::from_str(line.trim()).unwrap()
}

#[test]
fn the_image_the_compose_file_and_the_unit_start_a_hub_with_the_very_words_that_they_have() {
    let Some(cluster) = Cluster::start(&["-c fsync=off"]) else { return };
    // As the image of PostgreSQL does it: the database, then the script, with the password in the environment.
    cluster.sql("postgres", "DROP ROLE hub");
    cluster.sql("postgres", "CREATE DATABASE hub");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/hub/role.sh");
    let made = Command::new("sh")
        .arg(script)
        .env("PGHOST", cluster.folder())
        .env("HUB_PASSWORD", "it's \"secret\"; DROP ROLE hub")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let owner = "SELECT r.rolname || r.rolsuper FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE datname = 'hub'";
    assert_eq!(cluster.sql("hub", owner), "hubfalse");
    let team = Team { database: format!("postgres://hub@localhost/hub?host={}", cluster.folder().display()) };

    let image = [words(CONTAINERFILE, "ENTRYPOINT"), words(COMPOSE, "command:")].concat();
    let unit = UNIT.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/")).unwrap();
    let unit: Vec<String> = unit.split(' ').map(str::to_owned).collect();
    let folder = tempfile::tempdir().unwrap();
    for (name, started) in [("image", image), ("unit", unit)] {
        assert_eq!(started[..3], ["hewto", "hub", "serve"], "{name}");
        let mut flags: Vec<String> = started[3..].to_vec();
        let at = flags.iter().position(|flag| flag == "--listen").unwrap();
        assert!(flags[at + 1].ends_with(":7430"), "{name}: {flags:?}");
        flags.drain(at..=at + 1);
        let at = flags.iter().position(|flag| flag == "--index").unwrap();
        flags[at + 1] = folder.path().join(name).display().to_string();
        let flags: Vec<&str> = flags.iter().map(String::as_str).chain(["--words-only"]).collect();
        let replica = team.replica_with(&flags);
        wait_until("it is ready", || replica.get("/ready", "").status == 200);
        let (status, said) = replica.end();
        assert!(status.success(), "{name}: {said}");
    }
}
