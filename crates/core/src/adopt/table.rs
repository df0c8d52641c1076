//! What frameworks look like: one row for each way to write something down.
//!
//! A row is a name before an opening bracket, what stands before the name, and what the first text among the arguments
//! has to be. More than that takes code, beside this table.

use super::Kind;

/// How something is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) language: &'static str,
    pub(super) by: &'static str,
    pub(super) names: &'static [&'static str],
    pub(super) lead: Lead,
    pub(super) text: Text,
    pub(super) means: Means,
    /// The file has to say this somewhere; empty when it need not.
    pub(super) needs: &'static str,
}

/// What stands before the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// A dot, behind one of these, or something that ends with one of them; behind anything when there is none.
    Dot(&'static [&'static str]),
    /// `::`, behind one of these.
    Colons(&'static [&'static str]),
    /// An `@`, perhaps with a name and a dot between.
    At,
    /// A bracket that opens an attribute.
    Attribute,
    /// Neither a dot nor an `@`.
    Free,
    /// `new`.
    New,
}

/// What the first text has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// Begins with a slash, or is empty.
    Path,
    /// The same, or one without the slash; others follow it.
    Segment,
    Any,
    /// Has two dashes in it.
    Flag,
    /// There need not be any.
    Optional,
}

/// What is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// A route whose method is the name itself.
    Method,
    /// A route; the methods stand among the other arguments, or behind the call.
    Methods,
    /// A route whose method stands before its path: `GET /x`.
    MethodInText,
    /// The first word of the text.
    Word(Kind),
    /// The long form of a flag.
    Flag,
    /// The text itself, or the name of what is declared below.
    Declared(Kind),
}

const ROUTERS: &[&str] =
    &["app", "router", "server", "fastify", "api", "routes", "instance", "hono", "Router", "App", "route"];
const HTTP: &[&str] = &["get", "post", "put", "delete", "patch", "head", "options", "all"];

const fn row(
    language: &'static str,
    by: &'static str,
    names: &'static [&'static str],
    lead: Lead,
    text: Text,
    means: Means,
) -> Row {
    Row { language, by, names, lead, text, means, needs: "" }
}

const fn where_said(needs: &'static str, row: Row) -> Row {
    Row { needs, ..row }
}

pub(super) const ROWS: [Row; 53] = [
    // Rust
    row("rust", "axum", &["route"], Lead::Dot(&[]), Text::Path, Means::Methods),
    row(
        "rust",
        "actix",
        &["get", "post", "put", "delete", "patch", "head"],
        Lead::Attribute,
        Text::Path,
        Means::Method,
    ),
    row("rust", "actix", &["route"], Lead::Attribute, Text::Path, Means::Methods),
    row("rust", "actix", &["resource"], Lead::Colons(&["web"]), Text::Path, Means::Methods),
    where_said(
        "clap",
        row(
            "rust",
            "clap",
            &["new"],
            Lead::Colons(&["Command", "App"]),
            Text::Any,
            Means::Word(Kind::Command),
        ),
    ),
    where_said("clap", row("rust", "clap", &["long"], Lead::Dot(&[]), Text::Any, Means::Flag)),
    row("rust", "cron", &["new", "new_async"], Lead::Colons(&["Job"]), Text::Any, Means::Word(Kind::Job)),
    // TypeScript and JavaScript
    row("javascript", "express", HTTP, Lead::Dot(ROUTERS), Text::Path, Means::Method),
    row("javascript", "express", &["route"], Lead::Dot(ROUTERS), Text::Path, Means::Methods),
    row(
        "javascript",
        "nest",
        &["Get", "Post", "Put", "Delete", "Patch", "Head", "Options", "All"],
        Lead::At,
        Text::Optional,
        Means::Method,
    ),
    where_said(
        "command",
        row("javascript", "commander", &["command"], Lead::Dot(&[]), Text::Any, Means::Word(Kind::Command)),
    ),
    row("javascript", "commander", &["option", "requiredOption"], Lead::Dot(&[]), Text::Flag, Means::Flag),
    row("javascript", "commander", &["Option"], Lead::New, Text::Flag, Means::Flag),
    where_said(
        "drizzle",
        row(
            "javascript",
            "drizzle",
            &["pgTable", "mysqlTable", "sqliteTable"],
            Lead::Free,
            Text::Any,
            Means::Word(Kind::Table),
        ),
    ),
    row("javascript", "typeorm", &["Entity"], Lead::At, Text::Optional, Means::Declared(Kind::Table)),
    row("javascript", "knex", &["createTable"], Lead::Dot(&[]), Text::Any, Means::Word(Kind::Table)),
    row("javascript", "mongoose", &["model"], Lead::Dot(&["mongoose"]), Text::Any, Means::Word(Kind::Table)),
    row("javascript", "node-cron", &["schedule"], Lead::Dot(&["cron"]), Text::Any, Means::Word(Kind::Job)),
    row("javascript", "cron", &["CronJob"], Lead::New, Text::Any, Means::Word(Kind::Job)),
    where_said(
        "bull",
        row("javascript", "bullmq", &["Worker"], Lead::New, Text::Any, Means::Word(Kind::Job)),
    ),
    // Python
    row(
        "python",
        "fastapi",
        &["get", "post", "put", "delete", "patch", "head", "options", "websocket"],
        Lead::At,
        Text::Path,
        Means::Method,
    ),
    row("python", "flask", &["route"], Lead::At, Text::Path, Means::Methods),
    row("python", "flask", &["add_url_rule"], Lead::Dot(&[]), Text::Path, Means::Methods),
    row("python", "fastapi", &["add_api_route"], Lead::Dot(&[]), Text::Path, Means::Methods),
    where_said(
        "urlpatterns",
        row("python", "django", &["path", "re_path", "url"], Lead::Free, Text::Any, Means::Methods),
    ),
    // Django REST framework: `router.register(r"articles", ArticleViewSet)`
    row("python", "django", &["register"], Lead::Dot(&["router"]), Text::Any, Means::Methods),
    row("python", "click", &["command", "group"], Lead::At, Text::Optional, Means::Declared(Kind::Command)),
    row("python", "click", &["option"], Lead::At, Text::Flag, Means::Flag),
    row("python", "argparse", &["add_argument"], Lead::Dot(&[]), Text::Flag, Means::Flag),
    row("python", "argparse", &["add_parser"], Lead::Dot(&[]), Text::Any, Means::Word(Kind::Command)),
    row("python", "sqlalchemy", &["Table"], Lead::Free, Text::Any, Means::Word(Kind::Table)),
    row("python", "alembic", &["create_table"], Lead::Dot(&["op"]), Text::Any, Means::Word(Kind::Table)),
    row(
        "python",
        "celery",
        &["task", "shared_task", "periodic_task", "actor", "scheduled_job"],
        Lead::At,
        Text::Optional,
        Means::Declared(Kind::Job),
    ),
    // Go
    row(
        "go",
        "gin",
        &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "Any"],
        Lead::Dot(&[]),
        Text::Segment,
        Means::Method,
    ),
    row(
        "go",
        "chi",
        &["Get", "Post", "Put", "Delete", "Patch", "Head", "Options"],
        Lead::Dot(&["r", "router", "Router", "app", "api", "mux"]),
        Text::Path,
        Means::Method,
    ),
    row("go", "net/http", &["HandleFunc", "Handle"], Lead::Dot(&[]), Text::Any, Means::MethodInText),
    where_said(
        "cron",
        row("go", "cron", &["AddFunc", "AddJob"], Lead::Dot(&[]), Text::Any, Means::Word(Kind::Job)),
    ),
    where_said(
        "pflag",
        row(
            "go",
            "cobra",
            &[
                "StringVar",
                "BoolVar",
                "IntVar",
                "DurationVar",
                "StringSliceVar",
                "StringVarP",
                "BoolVarP",
                "IntVarP",
            ],
            Lead::Dot(&[]),
            Text::Any,
            Means::Flag,
        ),
    ),
    row(
        "go",
        "flag",
        &["String", "Bool", "Int", "Duration", "StringVar", "BoolVar", "IntVar", "DurationVar"],
        Lead::Dot(&["flag"]),
        Text::Any,
        Means::Flag,
    ),
    row("go", "gin", &["Match"], Lead::Dot(&[]), Text::Path, Means::Methods),
    // Java
    row(
        "java",
        "spring",
        &["GetMapping", "PostMapping", "PutMapping", "DeleteMapping", "PatchMapping"],
        Lead::At,
        Text::Optional,
        Means::Method,
    ),
    row("java", "spring", &["RequestMapping"], Lead::At, Text::Optional, Means::Methods),
    row("java", "jpa", &["Table"], Lead::At, Text::Any, Means::Word(Kind::Table)),
    row("java", "spring", &["Scheduled"], Lead::At, Text::Optional, Means::Declared(Kind::Job)),
    where_said(
        "picocli",
        row("java", "picocli", &["Command"], Lead::At, Text::Any, Means::Word(Kind::Command)),
    ),
    where_said("picocli", row("java", "picocli", &["Option"], Lead::At, Text::Flag, Means::Flag)),
    // C#
    row(
        "csharp",
        "asp.net",
        &["MapGet", "MapPost", "MapPut", "MapDelete", "MapPatch"],
        Lead::Dot(&[]),
        Text::Any,
        Means::Method,
    ),
    row(
        "csharp",
        "asp.net",
        &["HttpGet", "HttpPost", "HttpPut", "HttpDelete", "HttpPatch", "HttpHead"],
        Lead::Attribute,
        Text::Optional,
        Means::Method,
    ),
    row("csharp", "ef", &["Table"], Lead::Attribute, Text::Any, Means::Word(Kind::Table)),
    row("csharp", "ef", &["ToTable"], Lead::Dot(&[]), Text::Any, Means::Word(Kind::Table)),
    row(
        "csharp",
        "hangfire",
        &["AddOrUpdate"],
        Lead::Dot(&["RecurringJob"]),
        Text::Any,
        Means::Word(Kind::Job),
    ),
    where_said(
        "CommandLine",
        row("csharp", "system.commandline", &["Command"], Lead::New, Text::Any, Means::Word(Kind::Command)),
    ),
    where_said(
        "CommandLine",
        row("csharp", "system.commandline", &["Option"], Lead::New, Text::Flag, Means::Flag),
    ),
];
