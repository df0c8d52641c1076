//! The real binary, from the outside: what a person or a script sees of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod sandbox; // a hermetic folder and the way to run `hewto` in it

mod build; // `hewto build`
mod demo; // `hewto demo`
mod help; // help, version, completions, calls that cannot be parsed
mod init; // `hewto init`, its layouts and its questions
mod journal; // `hewto log`
mod output; // colour, pipes, `--json` errors, text that must not drive the terminal
mod overview; // `hewto` alone
mod place; // which workspace a command works on
mod plan; // `hewto plan`
mod reference; // docs/cli.md is fresh
mod serve; // starting and ending the server
mod spec; // `hewto spec`
mod validate; // `hewto validate`
