use proptest::prelude::*;

use super::*;
use crate::diagnostic::Severity;

const SAMPLE: &str = "[project]\nname = \"my-project\"\ndescription = \"My awesome project\"\n\n[defaults]\ncategory = \"feature\"\n";

fn own(text: &str) -> (Config, Vec<Diagnostic>) {
    Config::read(text, ConfigOwner::Hewto)
}

#[test]
fn the_sample_of_seed_000_is_read_and_written_alike() {
    for owner in [ConfigOwner::Hewto, ConfigOwner::Foreign] {
        let (config, diagnostics) = Config::read(SAMPLE, owner);
        assert_eq!(config.name.as_deref(), Some("my-project"));
        assert_eq!(config.description.as_deref(), Some("My awesome project"));
        assert_eq!(config.default_category, Some(Category::Feature));
        assert!(diagnostics.is_empty());
    }
    assert_eq!(render_config("my-project", "My awesome project"), SAMPLE);
}

#[test]
fn the_paths_of_spec_oxide_are_read_and_other_keys_tolerated() {
    let text = "[paths]\nspec_folder = \"specs/\"\nchanges_folder = \"c\"\narchive_folder = 'a'\n[rules]\nsystem = [\"mcp\"]\n";
    let (config, diagnostics) = Config::read(text, ConfigOwner::Foreign);
    assert_eq!(config.paths.spec_folder.as_deref(), Some("specs/"));
    assert_eq!(config.paths.archive_folder.as_deref(), Some("a"));
    assert_eq!((config.name, diagnostics), (None, vec![]));
}

#[test]
#[expect(clippy::float_cmp, reason = "small whole numbers, which are exact")]
fn every_section_is_read() {
    let (config, diagnostics) = own("[limits]\ncall_timeout_s = 90\n[rate]\nper_second = 0.5\nburst = 3\n\
         [leases]\nrequired = true\nseconds = 60\n\
         [workstation]\ntimeout_s = 60\npass_env = [\"HTTPS_PROXY\"]\n\
         [workstation.commands]\ngit = [[\"--version\"], [\"log\", \"-1\"]]\nmake = []\n\
         [workstation.rate]\nread = 5\nwrite = 0\nrun = { per_second = 0.5, burst = 3 }\nburst = 7\n\
         [workstation.git]\nhooks = true\n");
    assert_eq!(diagnostics, []);
    assert_eq!(config.call_timeout, Some(Duration::from_secs(90)));
    assert_eq!(config.rate, Some(CallRate { per_second: 0.5, burst: 3 }));
    assert_eq!(config.leases, LeaseConfig { required: true, length: Duration::from_mins(1) });
    let station = &config.workstation;
    assert_eq!(station.commands["make"], [[""; 0]; 0]);
    assert_eq!(station.commands["git"][1], ["log", "-1"]);
    assert_eq!((station.run_time, station.runs_hooks), (Some(Duration::from_mins(1)), true));
    let default = crate::rate::Rate { per_second: 1.0, burst: 2.0 };
    let rates = &station.rates;
    assert_eq!(rates.rate(rates.read, default).burst, 7.0);
    assert_eq!(rates.rate(rates.run, default).burst, 3.0);
    assert_eq!(rates.rate(None, default).per_second, 1.0);
}

#[test]
fn every_fault_is_named_with_its_line_and_the_default_holds() {
    for (text, line, problem) in [
        ("[project]\nname = \n", 2, ""),
        ("[project", 1, ""),
        ("\nproject = 3\n", 2, "`project` is not a table"),
        ("[project]\nname = 3\n", 2, "`project.name` is not a string"),
        ("[defaults]\n\ncategory = \"epic\"\n", 3, "`defaults.category` is `epic`"),
        ("[limits]\ncall_timeout_s = 0\n", 2, "`limits.call_timeout_s` is not a whole number from 1 to 3600"),
        ("[limits]\ncall_timeout_s = \"30\"\n", 2, "`limits.call_timeout_s`"),
        ("[rate]\nper_second = 0\nburst = 5\n", 2, "`rate.per_second` is not above 0"),
        ("[rate]\nper_second = 2\nburst = 0\n", 3, "`rate.burst`"),
        ("[rate]\nper_second = 2\n", 2, "needs `rate.burst`"),
        ("[leases]\nrequired = \"yes\"\n", 2, "neither true nor false"),
        ("[workstation]\ntimeout_s = 3601\n", 2, "`workstation.timeout_s`"),
        ("[workstation.rate]\nrun = -1\n", 2, "`workstation.rate.run`"),
        ("[workstation.rate]\nrun = { per_second = 1 }\n", 2, "`workstation.rate.run`"),
        ("[workstation.commands]\nls = []\ngit = \"any\"\n", 3, "`workstation.commands.git`"),
    ] {
        let (_, diagnostics) = own(text);
        assert_eq!(diagnostics.len(), 1, "{text:?} {diagnostics:?}");
        assert_eq!((diagnostics[0].code, diagnostics[0].line), ("config-invalid", line), "{text:?}");
        assert!(diagnostics[0].message.contains(problem), "{}", diagnostics[0].message);
    }
    assert_eq!(own(""), (Config::default(), vec![]));
    let (config, _) = own("[rate]\nper_second = 2\nburst = 0\n[leases]\nrequired = 1\n");
    assert_eq!((config.rate, config.leases), (None, LeaseConfig::default()));
}

#[test]
fn all_faults_come_at_once_in_the_order_of_the_file() {
    let (_, diagnostics) =
        own("[limits]\ncall_timeout_s = 0\n[project]\nname = 3\n[nonsense]\n[leases]\nrequired = 5\n");
    assert_eq!(diagnostics.iter().map(|fault| fault.line).collect::<Vec<_>>(), [2, 4, 5, 7]);
}

#[test]
fn a_misspelt_key_is_a_warning_with_the_nearest_one() {
    let (_, diagnostics) = own("[limits]\ncall_timout_s = 5\n[workstation]\ncomands = 1\n[wether]\nx = 1\n");
    let told: Vec<(usize, Severity, &str)> = diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.line, diagnostic.severity, diagnostic.hint.as_str()))
        .collect();
    assert_eq!(told[0], (2, Severity::Warning, "did you mean `limits.call_timeout_s`?"));
    assert_eq!(told[1], (4, Severity::Warning, "did you mean `workstation.commands`?"));
    assert_eq!((told[2].0, told[2].1), (5, Severity::Warning));
    assert!(Config::read("[wether]\nx = 1\n", ConfigOwner::Foreign).1.is_empty());
}

#[test]
fn the_table_of_keys_holds_exactly_the_keys_that_are_read() {
    let document = Reader::parse("").unwrap();
    let mut reader = Reader::new("", document.as_table());
    reader.text("project.name");
    reader.text("project.description");
    reader.category("defaults.category");
    reader.seconds("limits.call_timeout_s", 1..=2);
    rate(&mut reader);
    leases(&mut reader);
    hub_repo(&mut reader);
    WorkstationConfig::read(&mut reader);
    let mut asked: Vec<String> = reader
        .asked
        .iter()
        .map(|name| if name == "workstation.commands" { format!("{name}.*") } else { name.clone() })
        .collect();
    let mut known: Vec<String> = WORKSPACE_KEYS.iter().map(|key| key.name.to_owned()).collect();
    asked.sort();
    asked.dedup();
    known.sort();
    assert_eq!(asked, known);
}

#[test]
fn a_hub_is_named_by_its_owner() {
    let (config, diagnostics) = OwnerConfig::read("[hub]\nurl = \"https://hub.example\"\ntoken = \"x\"\n");
    assert_eq!(config.hub.map(|hub| hub.url).as_deref(), Some("https://hub.example"));
    assert_eq!(diagnostics[0].hint, "did you mean `hub.token_file`?");
    let (_, diagnostics) = own("[hub]\nurl = \"https://hub.example\"\n");
    assert_eq!(diagnostics.len(), 1, "a repository names no hub: {diagnostics:?}");
}

proptest! {
    #[test]
    fn any_name_and_description_read_back(name in any::<String>(), description in any::<String>()) {
        let (config, diagnostics) = own(&render_config(&name, &description));
        prop_assert!(diagnostics.is_empty());
        prop_assert_eq!(config.name, Some(name));
        prop_assert_eq!(config.description, Some(description));
    }

    #[test]
    fn any_text_is_survived(text in "(\\[(rate|limits|workstation|leases)\\]\n)?[\\[\\]a-z=\"'\n. 0-9{}]{0,40}") {
        let (_, diagnostics) = own(&text);
        prop_assert!(diagnostics.iter().all(|diagnostic| diagnostic.line >= 1));
    }
}
