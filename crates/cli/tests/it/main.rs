//! The real binary, from the outside: what a person or a script sees of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]
#![allow(clippy::needless_pass_by_value, reason = "JSON is written where it is passed")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "our own files, in our own spelling")]

mod sandbox; // a hermetic folder and the way to run `hewto` in it

mod adopt; // `hewto adopt`
mod beacon; // hosts that only a repository names are not contacted
mod build; // `hewto build`
mod change; // `hewto change`, as a person uses it
mod change_editor; // a change in an editor
mod claims_race; // many processes, one history
mod clarify; // `hewto clarify` one command at a time and through a pipe: shapes, codes, exit codes
mod clarify_terminal; // the golden path: `hewto clarify` on a pseudo terminal
mod client_config; // `hewto client-config`
mod concessions; // what a person lets pass without proof
mod day; // three tasks as an agent has them, with what they cost
mod day_shell; // the same day on the command line
mod decision; // `hewto decision`, `hewto architecture`, and specs and changes that name a decision
mod decision_dialog; // the questions of a clarification in the client's own dialog, both eras
mod decision_ground; // odd repositories, odd intentions, a repository's own questions
mod decision_mcp; // every example of seed 003, and every error
mod decision_model; // a model behind the real binary, and everything it can do wrong
mod demo; // `hewto demo`
mod docs; // README and guides: links, commands, transcripts
mod doctor; // `hewto doctor`
mod every_agent; // every agent of the table, there and back
mod graph_cli; // `hewto graph`, `artifact`, `template`, `ops` and `why`
mod graph_fixture; // a workspace in the shape of seed 002's own repository
mod graph_lifecycle; // plans and what carries them out, over MCP
mod graph_locks; // several processes on one workspace: deadlines, holders, kills
mod graph_mcp; // the workspace, its lists and trees, resources, the profile of seed 002
mod graph_metadata; // `metadata.describe` and `metadata.patch`
mod graph_operations; // `operations.inspect` and its log
mod graph_remote; // documents on the web, as seed 002 allows them
mod graph_templates; // templates, pointers and prompts
mod hands;
mod help;
mod hostile_clone; // help, version, completions, calls that cannot be parsed
mod house; // the rules of the house: who may know what, and how long a file may be
mod http_client; // how the HTTP tests start a server and speak to it
mod http_doors; // hosts, origins, tokens, scopes, workspaces, exit codes of `serve --http`
mod http_end; // how a server on a port closes: what is under way is answered, what would go on for ever ends
mod http_hostile; // one client against all others: memory, places, sessions, logs, wrong tokens
mod http_limits; // rates, places, sizes and times over HTTP
mod http_oauth; // tokens of an issuer that the test starts
mod http_protocol; // both eras over HTTP: equal bodies, sessions, headers, streams, cancellation
mod http_questions; // questions to the user over HTTP: on the stream of the call, or as its answer
mod import; // `hewto import` and `hewto export`
mod init; // `hewto init`, its layouts and its questions
mod init_agents; // `hewto init` and the agents in use
mod journal; // `hewto log`
mod mcp_check; // `hewto mcp-check`
mod mcp_client; // how the protocol tests start a server
mod mcp_faults; // arguments that do not match a tool's schema
mod mcp_framing; // lines that are no message, both eras, many requests at once, the end of input
mod mcp_logs; // wire logs and the operation log
mod mcp_messages; // log messages, traces
mod mcp_once; // a call that comes again, with a key and without
mod mcp_prompts; // prompts and completion
mod mcp_resources; // resources and their templates
mod mcp_search; // search and context over MCP, odd queries, an index that follows the files
mod mcp_server; // handshake, discovery, lists, profile, read-only
mod mcp_spans; // whose call a line on standard error belongs to
mod mcp_specs; // every scenario of seed 004, and a change from proposal to archive
mod mcp_subscriptions; // being told of changes, both eras
mod mcp_tools; // every workflow tool, and every way it refuses
mod output; // colour, pipes, `--json` errors, text that must not drive the terminal
mod overview; // `hewto` alone
mod place; // which workspace a command works on
mod places; // several workspaces: nested, linked, named by ids
mod plan; // `hewto plan`
mod proof_cheats; // looking proven without being so
mod prove; // servers that are killed in the middle of their work
mod reference; // docs/cli.md is fresh
mod review; // `hewto approve`, `review`, `gate`, `claim`: people decide, agents take turns
mod review_mcp; // forms, comments, claims and tasks over the server
mod search; // `hewto index`, `hewto search`
mod search_archived; // `hewto search --archived`
mod serve; // starting and ending the server
mod spec; // `hewto spec`
mod station; // the workstation toolset over MCP
mod trust; // `hewto trust`: a person at a terminal, and nobody else
mod uninstall; // `hewto uninstall`: there and back, to the byte
mod validate; // `hewto validate`
mod width; // lines on a terminal
