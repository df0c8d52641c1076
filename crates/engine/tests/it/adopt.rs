//! What the code shows and nobody has described: what is seen, what stays on the list, what is promoted.

use hewto_engine::adopt::{adopt, backlog, inventory, promote};
use hewto_engine::change::{self, ArchiveOptions};
use hewto_engine::proof::{LinkQuery, links};
use hewto_engine::view::ObservedView;

use crate::support::Fixture;

const ROUTE: &str = "http-users#GET /users/{id}";

/// A service with a route, its test, a variable and two functions, drafted as a change.
fn drafted() -> Fixture {
    let fixture = service();
    adopt(&fixture.ws, &fixture.ctx).unwrap();
    fixture
}

fn service() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(
        "src/main.rs",
        "fn app() -> Router {\n    Router::new().route(\"/users/{id}\", get(show_user))\n}\nfn key() { std::env::var(\"API_KEY\"); }\n",
    );
    fixture.write("tests/api.rs", "#[test]\nfn a_user_is_shown() { call(\"/users/7\"); }\n");
    fixture.write("src/lib.rs", "pub fn parse() {}\npub fn render() {}\n");
    fixture
}

fn left(fixture: &Fixture) -> Vec<ObservedView> {
    backlog(&fixture.ws, &fixture.ctx).unwrap()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn what_is_archived_with_its_mark_stays_on_the_list_until_it_is_promoted() {
    let fixture = drafted();
    let tasks = fixture.read("changes/adopt-code/tasks.md").replace("[ ]", "[x]");
    fixture.write("changes/adopt-code/tasks.md", tasks);
    change::archive(&fixture.ws, &fixture.ctx, "adopt-code", ArchiveOptions::default()).unwrap();
    let before = left(&fixture);
    assert_eq!(before.len(), 3, "{before:#?}");
    assert_eq!(before[1].item, "http-users", "{before:#?}");
    assert_eq!(before[1].tests, ["tests/api.rs:2 a_user_is_shown"]);
    promote(&fixture.ws, &fixture.ctx, &names(&[ROUTE])).unwrap();
    assert!(!fixture.read("specs/http-users/spec.md").contains("Status: observed"));
    assert_eq!(left(&fixture).len(), 2);
    // Its code and its test are linked to it from now on, and the links hold.
    let linked = links(&fixture.ws, &fixture.ctx, &LinkQuery::default()).unwrap();
    assert!(linked.problems.is_empty(), "{linked:#?}");
    assert_eq!(
        fixture.read(".hewto/links.toml"),
        "[[link]]\nref = \"http-users#get-users-id\"\ncode = \"src/main.rs::show_user\"\n\n\
         [[link]]\nref = \"http-users#get-users-id\"\ntest = \"tests/api.rs::a_user_is_shown\"\n"
    );
}

#[test]
fn several_are_promoted_in_one_commit_or_none_of_them() {
    let fixture = drafted();
    let deltas = || ["http-users", "configuration"].map(|name| fixture.read(&delta(name)));
    let before = deltas();
    // One that is there does not go without those that are not, and all of these are told.
    let mixed = names(&[ROUTE, "http-users#GET /user/{id}", "configuration#Variable NOPE"]);
    let refused = promote(&fixture.ws, &fixture.ctx, &mixed).unwrap_err();
    let told = format!("{refused} {:?} {:?}", refused.details, refused.plain_hint());
    assert!(told.contains("http-users#GET /user/{id}") && told.contains("Variable NOPE"), "{told}");
    assert!(told.contains("did you mean `http-users#GET /users/{id}`"), "{told}");
    assert_eq!(deltas(), before);
    assert_eq!(left(&fixture).len(), 3);
    // By name, by another spelling of it, and twice.
    let all = names(&[ROUTE, "variable api_key", "configuration#Variable API_KEY"]);
    assert_eq!(promote(&fixture.ws, &fixture.ctx, &all).unwrap().len(), 2);
    assert_eq!(left(&fixture).len(), 1);
    for text in deltas() {
        assert!(!text.contains("Status: observed"), "{text}");
    }
}

fn delta(capability: &str) -> String {
    format!("changes/adopt-code/specs/{capability}/spec.md")
}

#[test]
fn files_that_are_not_as_they_should_be_are_named_with_their_line() {
    let fixture = service();
    fixture.write(
        "src/merge.rs",
        "fn a() {}\n<<<<<<< HEAD\nfn b() { std::env::var(\"LEFT\"); }\n=======\n>>>>>>> x\n",
    );
    fixture.write("src/latin.py", b"x = 1\n# caf\xe9\nos.getenv('READ_ALL_THE_SAME')\n");
    std::os::unix::fs::symlink("/etc/passwd", fixture.path("src/link.rs")).unwrap();
    let view = inventory(fixture.root(), &fixture.ctx).unwrap();
    let problems: Vec<String> =
        view.problems.iter().map(|one| format!("{}:{}", one.file, one.line)).collect();
    assert_eq!(problems, ["src/latin.py:2", "src/merge.rs:2"]);
    for name in ["LEFT", "READ_ALL_THE_SAME"] {
        assert!(view.items.iter().any(|item| item.name == name), "{view:#?}");
    }
}
