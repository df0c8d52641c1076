//! Help, version, completions, and calls that cannot be parsed.

use crate::sandbox::Sandbox;

#[test]
fn help_is_grouped_by_what_one_wants_to_do() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["--help"]), @r#"
    Code that hews to its spec: one shared truth about what to build, for people and agents

    Usage: hewto [OPTIONS] [COMMAND]

    Start, or leave:
      init           Make a folder a workspace and connect the agents in use
      import         Import specs, plans and decisions from another tool
      export         Export specs, changes and decisions in a common format
      adopt          Draft specs from existing code
      demo           See the whole journey of a change in a throw-away project
      upgrade        Bring sections, skills and agents' configuration to this version
      uninstall      Remove what `init` wrote

    Clarify and decide, in any git repository:
      clarify        Answer questions before code is written; writes decision, task and prompt
      decision       Read decision records and write one without an interview: list, show, new
      architecture   Show what has been decided, by category

    Take a spec from draft to done:
      spec           Write specs, read them, move them: new, list, show, status, move, deps
      plan           Plan how a spec is built and tick its steps: new, show, edit, done, undo
      build          Build a spec and report on it: start, update, done

    Change what specs promise:
      change         Propose, validate, archive or withdraw changes
      archive        Archive a change into the specs, or a spec that is done
      requirement    Read what specs promise: list, show
      search         Find requirements, changes, decisions and plans by words and by meaning

    Prove that code keeps what specs promise:
      proof          Show which promises the code keeps, proven by runs of its own tests
      link           List the links from code and tests to promises, and what is wrong with them
      drift          Show which promises, code and tests have moved apart

    Decide, and take turns:
      ui             See, review and decide in a browser
      approve        Approve a spec or change as it stands, or ask for something else
      review         See what is to be reviewed, comment on it: show, list, comment, resolve
      gate           Show what opens a plan, an archive and a decision, or change it
      claim          Claim a piece of work, or the best that is ready and free
      release        Give a claim back
      who            Show who works on what

    See what depends on what:
      graph          Show what an artifact needs and what needs it, or the whole workspace graph
      artifact       List, create, show and delete artifacts by their handles
      template       See which template serves what, and choose another
      why            Name what governs a file: specs, requirements, decisions, changes

    Inspect the workspace:
      status         Show where everything stands and what is next
      next           Show what to do next, and why
      list           List specs and changes of all kinds
      validate       Check every document of the workspace, or one spec or change
      doctor         Check workspace, machine and agents, with a fix for each finding
      log            Show what agents and people did recently, newest last
      ops            Show the operations of all sessions, newest first
      index          Build, inspect or delete the search index: build, status, clear
      trust          Let this repository run its code and contact its hosts on this machine

    Connect agents, teams and shells:
      serve          Serve the workspace to agents over MCP, on the standard streams or over HTTP
      hub            Join many repositories and machines: the team hub
      client-config  Print the configuration that connects an agent
      mcp-check      Start an MCP server as a client would and report what hosts would refuse
      completions    Print the completion script of a shell
      man            Print the manual page, or write one for every command into a folder

    Options:
          --workspace <PATH>  Look for the workspace at or above PATH instead of the current folder
          --json              Answer with JSON on standard output, errors included
          --claim <NUMBER>    Send this claim number with every write
      -h, --help              Print help
      -V, --version           Print version

    Examples:
      hewto demo                                     see it work in a throw-away project
      hewto init                                     make a workspace here and connect the agents in use
      hewto spec new "User login" --description "…"  write down what is wanted
      hewto status                                   see where everything stands and what is next
      hewto validate --strict                        check every document
      hewto doctor                                   find out why an agent cannot see the server

    Environment:
      HEWTO_WORKSPACE             start looking for the workspace here (as --workspace)
      SPECMAN_WORKSPACE           the same, when HEWTO_WORKSPACE is not set
      SPECMAN_MCP_PROTOCOLS       speak only these MCP versions, separated by commas
      SPECMAN_MCP_LOG_PATH        keep the operation log in this file
      HEWTO_LOG                   what to log on stderr, e.g. `debug` or `hewto_mcp=trace`
      HEWTO_TOOLSETS              as `serve --toolsets`
      HEWTO_TOOLS                 as `serve --tools`
      HEWTO_READ_ONLY             as `serve --read-only`
      HEWTO_PROFILE               as `serve --profile`
      FILESYSTEM_TOOLS_BASE_PATH  as `serve --root`, with `--profile ancplua`
      XDG_STATE_HOME              what `hewto trust` records, and logs of `serve --root` without a
      workspace, go to `hewto/` in it
      HEWTO_SEARCH_MODEL          as `search --model`, for all commands that search
      HEWTO_LLM_PROVIDER          let a model ask: anthropic, openai, openrouter or local
      HEWTO_LLM_MODEL             which model; keys come from ANTHROPIC_API_KEY and the like
      HEWTO_LLM_BASE_URL          where it is reached (with /v1, except for Anthropic)
      XDG_CONFIG_HOME             a person's own configuration is `hewto/config.toml` in it
      HEWTO_HUB_DATABASE          as `hub serve --database`
      HEWTO_HUB_URL               the hub, where no configuration names it
      HEWTO_HUB_TOKEN             the token for it
      VISUAL                      the editor of `change new`, `change edit` and `plan edit`
      EDITOR                      the same, when VISUAL is not set
      NO_COLOR                    never colour the output
      CLICOLOR_FORCE              colour it even when it is not a terminal

    Exit codes: 0 ok, 1 the answer is no, 2 wrong usage, 3 the machine failed
    [exit 0]
    "#);
}

#[test]
fn every_command_has_a_help_page() {
    let sandbox = Sandbox::empty();
    let commands: [&[&str]; 22] = [
        &["init"],
        &["demo"],
        &["spec"],
        &["spec", "new"],
        &["spec", "list"],
        &["spec", "show"],
        &["spec", "status"],
        &["spec", "move"],
        &["spec", "deps"],
        &["plan"],
        &["plan", "new"],
        &["plan", "show"],
        &["plan", "done"],
        &["build"],
        &["build", "start"],
        &["build", "update"],
        &["build", "done"],
        &["validate"],
        &["log"],
        &["serve"],
        &["completions"],
        &["mcp"],
    ];
    for command in commands {
        let page = sandbox.ok(&[command, &["--help"]].concat());
        for flag in ["--workspace <PATH>", "--json"] {
            assert!(page.contains(flag), "{command:?} does not tell of {flag}");
        }
    }
}

#[test]
fn the_version_is_one_line() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["--version"]), @"
    hewto [VERSION]
    [exit 0]
    ");
}

#[test]
fn a_call_that_cannot_be_parsed_is_wrong_usage() {
    let sandbox = Sandbox::workspace();
    insta::assert_snapshot!(sandbox.run(&["nonsense"]), @"
    [stderr]
    error: unrecognized subcommand 'nonsense'

    Usage: hewto [OPTIONS] [COMMAND]

    For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "new"]), @"
    [stderr]
    error: the following required arguments were not provided:
      --description <TEXT>
      <TITLE>

    Usage: hewto spec new --description <TEXT> <TITLE>

    For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["spec", "list", "--state", "open"]), @"
    [stderr]
    error: invalid value 'open' for '--state <STATE>'
      [possible values: draft, active, done, blocked, cancelled, archived]

      tip: a similar value exists: 'done'

    For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "done", "x", "0"]), @r"
    [stderr]
    error: no spec named `x`
    hint: run `hewto spec list` to see the ids
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.run(&["build", "update", "x", "--percent", "101"]), @"
    [stderr]
    error: invalid value '101' for '--percent <N>': 101 is not in 0..=100

    For more information, try '--help'.
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.run(&["plan", "new", "x", "--approach", "a", "--step", "no colon"]), @r#"
    [stderr]
    error: invalid value 'no colon' for '--step <STEP>': a step is written "title: description"

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn wrong_usage_is_json_when_json_was_asked_for() {
    let sandbox = Sandbox::empty();
    insta::assert_snapshot!(sandbox.run(&["nonsense", "--json"]), @r#"
    {
      "error": "usage",
      "message": "unrecognized subcommand 'nonsense'",
      "hint": "run the command with `--help` to see its arguments"
    }
    [exit 2]
    "#);
    insta::assert_snapshot!(sandbox.run(&["--json", "spec", "new", "title"]), @r#"
    {
      "error": "usage",
      "message": "the following required arguments were not provided: --description <TEXT>",
      "hint": "run the command with `--help` to see its arguments"
    }
    [exit 2]
    "#);
}

#[test]
fn every_shell_gets_its_completions() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = sandbox.ok(&["completions", shell]);
        assert!(script.contains("hewto") && script.contains("HEWTO_COMPLETE"), "{shell}");
        assert_eq!(sandbox.json(&["completions", shell])["script"].as_str(), Some(script.as_str()));
    }
    insta::assert_snapshot!(sandbox.run(&["completions", "tcsh"]), @r"
    [stderr]
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn shells_complete_commands_flags_and_the_ids_of_the_workspace() {
    let sandbox = Sandbox::workspace();
    let id = sandbox.spec("User login", &[]);
    sandbox.ok(&["change", "new", "add-mail", "--why", "Why", "--what", "What"]);
    let complete = |words: &[&str]| {
        let mut command = sandbox.hewto(&["--", "hewto"]);
        let index = words.len().to_string();
        let output = command
            .args(words)
            .env("HEWTO_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", index)
            .env("_CLAP_COMPLETE_COMP_TYPE", "9")
            .env("_CLAP_COMPLETE_SPACE", "true")
            .env("_CLAP_IFS", "\n")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(complete(&["val"]).contains(&"validate".to_owned()));
    assert!(complete(&["validate", "--st"]).contains(&"--strict".to_owned()));
    assert_eq!(complete(&["spec", "show", &id[..4]]).join(" "), id);
    assert_eq!(complete(&["change", "archive", ""]).first().map(String::as_str), Some("add-mail"));
    assert!(complete(&["plan", "show", "change:"]).contains(&"change:add-mail".to_owned()));
    assert!(complete(&["requirement", "list", ""]).contains(&id));
    assert!(!complete(&["change", "new", ""]).contains(&"add-mail".to_owned()));
}

#[test]
fn the_manual_is_made_of_the_same_definitions() {
    let sandbox = Sandbox::empty();
    let page = sandbox.ok(&["man"]);
    assert!(page.contains(".TH hewto 1") && page.contains("hewto init"), "{page}");
    assert!(!page.contains('\u{1b}'), "{page}");
    let written = sandbox.json(&["man", "pages"]);
    let files: Vec<&str> =
        written["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    for name in ["hewto.1", "hewto-init.1", "hewto-spec-new.1", "hewto-change-archive.1"] {
        assert!(files.iter().any(|file| file.ends_with(&format!("/{name}"))), "{name}: {files:?}");
    }
    assert!(sandbox.read("pages/hewto-spec-new.1").contains("hewto spec new"));
}
