//! Builds, tests and commands, with real programs.

use std::sync::Mutex;

use hewto_workstation::ci::{self, Action, Tool};
use hewto_workstation::{Call, Settings};

use crate::yard::{Yard, call, rust_homes};

pub(crate) fn allowing(commands: &[(&str, &[&[&str]])]) -> Yard {
    let prefixes = |prefixes: &[&[&str]]| {
        prefixes.iter().map(|prefix| prefix.iter().map(|&word| word.to_owned()).collect()).collect()
    };
    let commands = commands.iter().map(|(name, allowed)| ((*name).to_owned(), prefixes(allowed))).collect();
    Yard::with_programs(Settings { commands, ..Settings::default() })
}

pub(crate) fn command(text: &str) -> ci::Run {
    ci::Run { command: text.to_owned(), cwd: None, timeout_s: Some(60), max_chars: None }
}

fn at(path: &str) -> ci::Build {
    ci::Build { path: path.to_owned(), tool: None, timeout_s: None, max_chars: None }
}

#[test]
fn a_command_answers_with_both_outputs_and_its_exit_code() {
    let yard = allowing(&[("sh", &[])]);
    let request = command(r#"sh -c "echo out; echo err >&2; exit 3""#);
    let view = ci::run(&yard.station, &call(), &request).unwrap();
    assert_eq!((view.exit_code, view.stdout.as_str(), view.stderr.as_str()), (Some(3), "out\n", "err\n"));
    assert!(!view.succeeded() && !view.truncated && !view.timed_out && view.tests.is_none());
    let error = view.into_result().unwrap_err();
    assert_eq!((error.key.as_str(), &error.details["exit_code"]), ("command_failed", &3.into()));
    assert_eq!(error.details["stdout"], "out\n");
}

#[test]
fn empty_arguments_are_arguments() {
    let yard = allowing(&[("printf", &[])]);
    let view = ci::run(&yard.station, &call(), &command(r#"printf "<%s>" "" a '' "b c""#)).unwrap();
    assert_eq!(view.stdout, "<><a><><b c>");
}

#[test]
fn a_command_runs_in_the_folder_that_it_is_given() {
    let yard = allowing(&[("pwd", &[])]);
    yard.put("sub/f.txt", "");
    let request = ci::Run { cwd: Some("sub".into()), ..command("pwd") };
    let view = ci::run(&yard.station, &call(), &request).unwrap();
    assert_eq!(view.stdout.trim_end(), yard.root().join("sub").to_str().unwrap());
    assert_eq!(view.cwd, "sub");
    let file = ci::Run { cwd: Some("sub/f.txt".into()), ..command("pwd") };
    assert_eq!(ci::run(&yard.station, &call(), &file).unwrap_err().key.as_str(), "not_a_directory");
}

#[test]
fn long_output_is_cut_to_its_end_and_progress_is_told() {
    let yard = allowing(&[("seq", &[])]);
    let lines = Mutex::new(Vec::new());
    let tell = |line: &str| lines.lock().unwrap().push(line.to_owned());
    let watched = Call::unbounded().with_progress(&tell);
    let view = ci::run(&yard.station, &watched, &command("seq 200000")).unwrap();
    assert!(view.truncated && view.stdout.ends_with("199999\n200000\n"));
    assert!(view.note.as_deref().unwrap().contains("max_chars"));
    assert!(serde_json::to_string(&view).unwrap().chars().count() <= 25_000);
    let first = view.stdout.lines().next().unwrap();
    assert!(first.parse::<u32>().is_ok(), "it begins with a whole line: {first}");
    assert!(!lines.lock().unwrap().is_empty());
    let more = ci::Run { max_chars: Some(2_000_000), ..command("seq 200000") };
    let view = ci::run(&yard.station, &call(), &more).unwrap();
    assert!(view.stdout.starts_with("1\n2\n") && !view.truncated);
}

#[test]
fn a_time_limit_out_of_bounds_is_refused() {
    let yard = allowing(&[("true", &[])]);
    for timeout_s in [0, 3_601] {
        let request = ci::Run { timeout_s: Some(timeout_s), ..command("true") };
        assert_eq!(ci::run(&yard.station, &call(), &request).unwrap_err().key.as_str(), "invalid_params");
    }
}

#[test]
fn what_builds_a_folder_is_known_by_its_files() {
    let yard = allowing(&[]);
    yard.put("rust/Cargo.toml", "[package]\nname = \"x\"\n");
    yard.put("node/package.json", r#"{"scripts":{"test":"node --test"}}"#);
    yard.put("pnpm/package.json", r#"{"scripts":{"build":"tsc"}}"#);
    yard.put("pnpm/pnpm-lock.yaml", "");
    yard.put("go/go.mod", "module x\n");
    yard.put("dotnet/App.csproj", "<Project/>");
    yard.put("maven/pom.xml", "<project/>");
    yard.put("gradle/build.gradle.kts", "");
    yard.put("python/pyproject.toml", "[tool.pytest.ini_options]\n");
    yard.put("make/Makefile", "all:\n\ntest:\n\ttrue\n");
    yard.put("just/justfile", "build target='x':\n  true\n\ntest:\n  true\n");
    yard.put("both/Makefile", "all:\n");
    yard.put("both/Cargo.toml", "");
    yard.put("none/readme.txt", "");
    let table: [(&str, &[Tool], Option<&str>); 12] = [
        ("rust", &[Tool::Cargo], Some("cargo test --no-fail-fast")),
        ("node", &[Tool::Npm], Some("npm test")),
        ("pnpm", &[Tool::Pnpm], None),
        ("go", &[Tool::Go], Some("go test -v ./...")),
        ("dotnet", &[Tool::Dotnet], Some("dotnet test")),
        ("maven", &[Tool::Maven], Some("mvn -B -ntp test")),
        ("gradle", &[Tool::Gradle], Some("gradle --no-daemon --console=plain test")),
        ("python", &[Tool::Pytest], Some("pytest -rfE --color=no")),
        ("make", &[Tool::Make], Some("make test")),
        ("just", &[Tool::Just], Some("just test")),
        ("both", &[Tool::Cargo, Tool::Make], Some("cargo test --no-fail-fast")),
        ("none", &[], None),
    ];
    for (path, tools, test) in table {
        let request = ci::Detect { path: path.to_owned() };
        let view = ci::detect(&yard.station, &call(), &request).unwrap();
        let found: Vec<Tool> = view.toolchains.iter().map(|toolchain| toolchain.tool).collect();
        assert_eq!(found, tools, "{path}");
        let first = view.toolchains.first().and_then(|toolchain| toolchain.test.as_deref());
        assert_eq!(first, test, "{path}");
    }
    let error = ci::build(&yard.station, &call(), Action::Build, &at("none")).unwrap_err();
    assert_eq!(error.key.as_str(), "toolchain_not_found");
    let error = ci::build(&yard.station, &call(), Action::Test, &at("pnpm")).unwrap_err();
    assert_eq!(error.key.as_str(), "toolchain_not_found", "there is no such script");
}

#[test]
fn a_rust_project_is_built_and_its_failing_tests_are_named() {
    let settings = Settings { environment: rust_homes(), ..Settings::default() };
    let yard = Yard::with_programs(settings);
    yard.put(
        "Cargo.toml",
        "[package]\nname = \"thing\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    yard.put(
        "src/lib.rs",
        "#[test]\nfn good() {}\n#[test]\nfn bad() { panic!(\"boom\") }\n#[test]\n#[cfg_attr(test, ignore)]\nfn slow() {}\n",
    );
    let view = ci::build(&yard.station, &call(), Action::Build, &at("Cargo.toml")).unwrap();
    assert!(view.succeeded(), "{}", view.stderr);
    let view = ci::build(&yard.station, &call(), Action::Test, &at(".")).unwrap();
    assert_eq!(view.exit_code, Some(101));
    let tests = view.tests.clone().unwrap();
    assert_eq!((tests.passed, tests.failed, tests.skipped), (1, 1, 1));
    assert_eq!(tests.failed_names, ["bad"]);
    assert!(view.stdout.contains("boom") && view.stderr.contains("thing"));
    yard.put("src/lib.rs", "fn broken( {}\n");
    let view = ci::build(&yard.station, &call(), Action::Build, &at(".")).unwrap();
    assert!(!view.succeeded() && view.stderr.contains("error"));
}

#[test]
fn tests_behind_make_are_read_too() {
    let yard = allowing(&[]);
    yard.put(
        "Makefile",
        "test:\n\t@echo 'FAILED tests/test_a.py::test_two - assert 1 == 2'\n\
         \t@echo '==== 1 failed, 3 passed in 0.12s ===='\n\t@exit 1\n",
    );
    let view = ci::build(&yard.station, &call(), Action::Test, &at(".")).unwrap();
    let tests = view.tests.unwrap();
    assert_eq!((tests.passed, tests.failed), (3, 1));
    assert_eq!(tests.failed_names, ["tests/test_a.py::test_two"]);
    assert_eq!(view.command, ["make", "test"]);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let yard = allowing(&[("no-such-program", &[])]);
    let error = ci::run(&yard.station, &call(), &command("no-such-program")).unwrap_err();
    assert_eq!(
        (error.key.as_str(), &error.details["program"]),
        ("program_not_found", &"no-such-program".into())
    );
}

#[test]
fn the_machine_is_described_without_its_environment() {
    let yard = allowing(&[("git", &[&["--version"]])]);
    let view = ci::diagnostics(&yard.station);
    assert!(view.os.starts_with("Linux") || view.os.starts_with("Darwin"));
    assert!(view.processor_count > 0 && view.programs.iter().any(|program| program.name == "git"));
    assert_eq!(view.allowed_commands, ["git"]);
    let text = serde_json::to_string(&view).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("Bearer"));
}
