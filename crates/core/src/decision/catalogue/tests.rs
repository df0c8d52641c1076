use super::*;
use crate::decision::question::OTHER;

fn options(catalogue: &Catalogue, id: &str, signals: &[Signal]) -> Vec<String> {
    catalogue.question(id, signals).unwrap().options
}

#[test]
fn the_built_in_table_is_well_formed() {
    let catalogue = Catalogue::builtin();
    table::check(&catalogue.table).unwrap();
    assert_eq!(
        catalogue.category_names(),
        ["Authentication", "Database", "Frontend", "Backend", "Infra", "Other"]
    );
}

#[test]
fn every_field_of_the_schema_is_asked_for() {
    for (category, fields) in [
        ("Frontend", vec!["Framework", "Routing", "Styling", "UI_Library", "State_Management"]),
        ("Backend", vec!["Language", "Framework", "API_Style", "Validation"]),
        ("Database", vec!["Type", "ORM", "Migrations"]),
        ("Authentication", vec!["Strategy", "Library", "Token_Storage"]),
        ("Infra", vec!["Hosting", "CI_CD", "Observability", "Caching"]),
    ] {
        let known = Catalogue::builtin().category(category).unwrap();
        let mut names: Vec<&str> = known.field_names().collect();
        let mut expected = fields.clone();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
    assert_eq!(Catalogue::builtin().category("Other").unwrap().field("Message bus").unwrap(), "Message_bus");
    assert_eq!(Catalogue::builtin().category("Infra").unwrap().field("Message bus"), None);
}

#[test]
fn fields_and_categories_are_found_in_any_spelling() {
    let catalogue = Catalogue::builtin();
    let infra = catalogue.category("INFRASTRUCTURE").unwrap();
    assert_eq!(infra.field("CI/CD").unwrap(), "CI_CD");
    assert_eq!(
        catalogue.category("frontend").unwrap().field("State Management").unwrap(),
        "State_Management"
    );
}

#[test]
fn every_choice_ends_with_the_way_out() {
    let catalogue = Catalogue::builtin();
    for category in catalogue.categories() {
        for row in &category.questions {
            let question = row.to_question(&[]);
            if question.kind != QuestionKind::FreeText {
                assert_eq!(question.options.last().unwrap(), OTHER, "{}", row.id);
                assert!(catalogue.question(&format!("{}__other", row.id), &[]).is_some());
            }
        }
    }
    assert_eq!(
        options(catalogue, "category", &[]),
        ["Authentication", "Database", "Frontend", "Backend", "Infra", OTHER]
    );
}

#[test]
fn a_python_repository_is_offered_python_libraries_but_may_say_any() {
    let catalogue = Catalogue::builtin();
    assert_eq!(options(catalogue, "db_orm", &[Signal::Python]), ["SQLAlchemy", "Django ORM", "None", OTHER]);
    let question = catalogue.question("db_orm", &[Signal::Python]).unwrap();
    assert_eq!(question.option("prisma"), Some("Prisma"));
}

#[test]
fn a_repository_extends_categories_fields_keywords_and_options() {
    let text = r#"
        [[category]]
        name = "Authentication"
        keywords = ["gatekeeper"]
        fields = ["Audit"]
        [[category.question]]
        id = "auth_library"
        options = ["Company SSO"]

        [[category]]
        name = "Messaging"
        keywords = ["broker"]
        home = "src/messaging/"
        [[category.question]]
        id = "broker"
        field = "Broker"
        question = "Which broker?"
        options = ["RabbitMQ", "NATS"]

        [vocabulary.broker]
        "NATS" = ["nats"]
    "#;
    let catalogue = Catalogue::builtin().extended(text).unwrap();
    let library = options(&catalogue, "auth_library", &[]);
    assert_eq!(library[library.len() - 2..], ["Company SSO", OTHER]);
    assert_eq!(catalogue.category("Authentication").unwrap().field("audit").unwrap(), "Audit");
    assert_eq!(options(&catalogue, "broker", &[]), ["RabbitMQ", "NATS", OTHER]);
    assert_eq!(catalogue.category_names().last(), Some(&"Other"));
    assert!(options(&catalogue, "category", &[]).contains(&"Messaging".to_owned()));
}

#[test]
fn a_table_with_a_fault_is_refused_with_its_line() {
    for (text, line, part) in [
        ("\n[[category]\n", 2, ""),
        ("[[category]]\nname = \"A\"\ncolour = 3\n", 3, "colour"),
        ("[[category]]\nname = \"A b\"\n", 1, "not a name of a category"),
        (
            "[[category]]\nname = \"A\"\n[[category.question]]\nid = \"x\"\nquestion = \"X?\"\n",
            1,
            "no options",
        ),
        ("[[category]]\nname = \"A\"\nhome = \"../x\"\n", 1, "inside the repository"),
        ("[vocabulary.nobody]\n\"A\" = [\"a\"]\n", 1, "nobody"),
        (
            "[[category]]\nname = \"A\"\n[[category.question]]\nid = \"x\"\nquestion = \"X?\"\n\
             options = [\"1\"]\nwhen = { question = \"y\", is = \"1\" }\n",
            1,
            "never asked",
        ),
    ] {
        let error = Catalogue::builtin().extended(text).unwrap_err();
        assert_eq!(error.line, line, "{text}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
}
