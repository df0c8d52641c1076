//! How the languages that we know write comments, strings and blocks.

use std::path::Path;

/// What a lexer has to know of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    /// What opens a comment that ends with its line; the first is the one we write.
    pub(crate) line: &'static [&'static str],
    /// What opens and closes other comments.
    pub(crate) block: &'static [(&'static str, &'static str)],
    pub(crate) nested_comments: bool,
    /// Whether `#` opens a comment only behind a blank.
    pub(crate) hash_after_blank: bool,
    pub(crate) quotes: &'static [Quote],
    pub(crate) shape: Shape,
}

/// A kind of string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) mark: &'static str,
    /// Whether a backslash takes the meaning from what follows.
    pub(crate) escapes: bool,
    pub(crate) lines: Lines,
}

/// How far a string may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    One,
    Many,
}

/// What ends a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A closing brace or a semicolon.
    Braces,
    /// The same, or the end of a line where nothing is open.
    BracesOrLine,
    /// The first line that is not indented deeper.
    Indent,
    /// The line with `end` (or the like) that is indented alike.
    End,
    /// The bracket that closes the one at its start.
    Parens,
    /// A semicolon.
    Semicolon,
    /// The next scenario.
    Gherkin,
    /// A blank line.
    Paragraph,
}

const fn quote(mark: &'static str, escapes: bool, lines: Lines) -> Quote {
    Quote { mark, escapes, lines }
}

const DOUBLE: Quote = quote("\"", true, Lines::One);
const DOUBLE_LINES: Quote = quote("\"", true, Lines::Many);
const SINGLE: Quote = quote("'", true, Lines::One);
const SINGLE_LINES: Quote = quote("'", false, Lines::Many);
const TRIPLE: Quote = quote("\"\"\"", true, Lines::Many);
const TRIPLE_SINGLE: Quote = quote("'''", true, Lines::Many);
const BACKTICK: Quote = quote("`", true, Lines::Many);
const BACKTICK_RAW: Quote = quote("`", false, Lines::Many);

const C_COMMENTS: &[(&str, &str)] = &[("/*", "*/")];

const fn braces(name: &'static str, shape: Shape, quotes: &'static [Quote]) -> Language {
    Language {
        name,
        line: &["//"],
        block: C_COMMENTS,
        nested_comments: false,
        hash_after_blank: false,
        quotes,
        shape,
    }
}

const fn hashes(name: &'static str, shape: Shape, quotes: &'static [Quote]) -> Language {
    Language {
        name,
        line: &["#"],
        block: &[],
        nested_comments: false,
        hash_after_blank: false,
        quotes,
        shape,
    }
}

const fn dashes(name: &'static str, shape: Shape, quotes: &'static [Quote]) -> Language {
    Language { line: &["--"], ..hashes(name, shape, quotes) }
}

const fn after_blank(language: Language) -> Language {
    Language { hash_after_blank: true, ..language }
}

const RUST: Language = Language { nested_comments: true, ..braces("rust", Shape::Braces, &[DOUBLE_LINES]) };
const C: Language = braces("c", Shape::Braces, &[DOUBLE, SINGLE]);
const CSHARP: Language = braces("csharp", Shape::Braces, &[TRIPLE, DOUBLE, SINGLE]);
const JAVA: Language = braces("java", Shape::Braces, &[TRIPLE, DOUBLE, SINGLE]);
const DART: Language = braces("dart", Shape::Braces, &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE]);
const PHP: Language =
    Language { line: &["//", "#"], ..braces("php", Shape::Braces, &[DOUBLE_LINES, SINGLE]) };
const CSS: Language = Language { line: &[], ..braces("css", Shape::Braces, &[DOUBLE, SINGLE]) };
const SCSS: Language = braces("scss", Shape::Braces, &[DOUBLE, SINGLE]);
const SCRIPT: Language = braces("javascript", Shape::BracesOrLine, &[DOUBLE, SINGLE, BACKTICK]);
const GO: Language = braces("go", Shape::BracesOrLine, &[DOUBLE, SINGLE, BACKTICK_RAW]);
const KOTLIN: Language = Language {
    nested_comments: true,
    ..braces("kotlin", Shape::BracesOrLine, &[TRIPLE, DOUBLE, SINGLE, BACKTICK_RAW])
};
const SWIFT: Language = Language {
    nested_comments: true,
    ..braces("swift", Shape::BracesOrLine, &[TRIPLE, DOUBLE, BACKTICK_RAW])
};
const SCALA: Language = Language {
    nested_comments: true,
    ..braces("scala", Shape::BracesOrLine, &[TRIPLE, DOUBLE, SINGLE, BACKTICK_RAW])
};
const GROOVY: Language = braces("groovy", Shape::BracesOrLine, &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE]);
const HCL: Language = Language { line: &["#", "//"], ..braces("hcl", Shape::BracesOrLine, &[DOUBLE]) };
const ZIG: Language = Language { block: &[], ..braces("zig", Shape::Braces, &[DOUBLE, SINGLE]) };
const PYTHON: Language = hashes("python", Shape::Indent, &[TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE]);
const NIM: Language = Language {
    block: &[("#[", "]#")],
    nested_comments: true,
    ..hashes("nim", Shape::Indent, &[TRIPLE, DOUBLE, SINGLE])
};
const YAML: Language = after_blank(hashes("yaml", Shape::Indent, &[DOUBLE_LINES, SINGLE_LINES]));
const ROBOT: Language = after_blank(hashes("robot", Shape::Indent, &[]));
const COFFEE: Language =
    Language { block: &[("###", "###")], ..hashes("coffeescript", Shape::Indent, &[TRIPLE, DOUBLE, SINGLE]) };
const FSHARP: Language =
    Language { block: &[("(*", "*)")], ..braces("fsharp", Shape::Indent, &[TRIPLE, DOUBLE]) };
const HASKELL: Language =
    Language { block: &[("{-", "-}")], nested_comments: true, ..dashes("haskell", Shape::Indent, &[DOUBLE]) };
const RUBY: Language =
    Language { block: &[("=begin", "=end")], ..hashes("ruby", Shape::End, &[DOUBLE_LINES, SINGLE_LINES]) };
const ELIXIR: Language = hashes("elixir", Shape::End, &[TRIPLE, DOUBLE_LINES]);
const JULIA: Language = Language {
    block: &[("#=", "=#")],
    nested_comments: true,
    ..hashes("julia", Shape::End, &[TRIPLE, DOUBLE_LINES])
};
const SHELL: Language = after_blank(hashes("shell", Shape::End, &[DOUBLE_LINES, SINGLE_LINES]));
const LUA: Language = Language { block: &[("--[[", "]]")], ..dashes("lua", Shape::End, &[DOUBLE, SINGLE]) };
const POWERSHELL: Language = Language {
    block: &[("<#", "#>")],
    ..hashes("powershell", Shape::BracesOrLine, &[DOUBLE_LINES, SINGLE_LINES])
};
const PERL: Language = after_blank(hashes("perl", Shape::Braces, &[DOUBLE_LINES, SINGLE_LINES]));
const R: Language = hashes("r", Shape::BracesOrLine, &[DOUBLE_LINES, SINGLE]);
const SQL: Language =
    Language { block: C_COMMENTS, ..dashes("sql", Shape::Semicolon, &[SINGLE_LINES, DOUBLE]) };
const ADA: Language = dashes("ada", Shape::End, &[DOUBLE]);
const ELM: Language = Language {
    block: &[("{-", "-}")],
    nested_comments: true,
    ..dashes("elm", Shape::Indent, &[TRIPLE, DOUBLE])
};
const LISP: Language = Language {
    line: &[";"],
    block: &[("#|", "|#")],
    nested_comments: true,
    ..hashes("lisp", Shape::Parens, &[DOUBLE_LINES])
};
const FORTRAN: Language = Language { line: &["!"], ..hashes("fortran", Shape::End, &[DOUBLE, SINGLE]) };
const ERLANG: Language = Language { line: &["%"], ..hashes("erlang", Shape::Paragraph, &[DOUBLE]) };
const BASIC: Language = Language { line: &["'"], ..hashes("basic", Shape::End, &[DOUBLE]) };
const BATCH: Language = Language { line: &["::", "REM "], ..hashes("batch", Shape::Paragraph, &[]) };
const MARKUP: Language =
    Language { line: &[], block: &[("<!--", "-->")], ..hashes("markup", Shape::Paragraph, &[]) };
const SETTINGS: Language = after_blank(hashes("settings", Shape::Paragraph, &[]));
const INI: Language = Language { line: &[";", "#"], ..hashes("ini", Shape::Paragraph, &[]) };
const OCAML: Language = Language {
    line: &[],
    block: &[("(*", "*)")],
    nested_comments: true,
    ..hashes("ocaml", Shape::Paragraph, &[DOUBLE_LINES])
};
const GHERKIN: Language = after_blank(hashes("gherkin", Shape::Gherkin, &[]));
/// A language that nobody has named: its tags are found all the same.
const UNKNOWN: Language = Language { line: &[], ..hashes("unknown", Shape::Paragraph, &[]) };

impl Language {
    /// The language of a file, by its name.
    pub(crate) fn of(path: &str) -> Self {
        let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "makefile" | "gnumakefile" | "dockerfile" | "containerfile" | "cmakelists.txt" | ".gitignore"
            | ".env" | "justfile" | "codeowners" => return SETTINGS,
            "rakefile" | "gemfile" | "vagrantfile" | "brewfile" => return RUBY,
            "jenkinsfile" => return GROOVY,
            _ => {}
        }
        let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "rs" => RUST,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "ino" | "mm" | "d" | "sol"
            | "proto" | "thrift" | "glsl" | "hlsl" | "wgsl" | "metal" | "cu" | "cuh" | "sv" | "idl" => C,
            "cs" => CSHARP,
            "java" => JAVA,
            "dart" => DART,
            "php" | "phpt" => PHP,
            "css" => CSS,
            "scss" | "less" => SCSS,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "astro" => {
                SCRIPT
            }
            "go" => GO,
            "kt" | "kts" => KOTLIN,
            "swift" => SWIFT,
            "scala" | "sc" | "sbt" => SCALA,
            "groovy" | "gradle" => GROOVY,
            "tf" | "hcl" | "tfvars" => HCL,
            "zig" => ZIG,
            "py" | "pyi" | "pyx" | "gd" | "star" | "bzl" => PYTHON,
            "nim" => NIM,
            "yaml" | "yml" => YAML,
            "robot" | "resource" => ROBOT,
            "coffee" => COFFEE,
            "fs" | "fsx" | "fsi" => FSHARP,
            "hs" | "purs" | "idr" => HASKELL,
            "elm" => ELM,
            "rb" | "rake" | "gemspec" | "cr" => RUBY,
            "ex" | "exs" => ELIXIR,
            "jl" => JULIA,
            "sh" | "bash" | "zsh" | "ksh" | "fish" | "bats" => SHELL,
            "lua" => LUA,
            "ps1" | "psm1" => POWERSHELL,
            "pl" | "pm" | "t" => PERL,
            "r" => R,
            "sql" => SQL,
            "adb" | "ads" | "vhd" | "vhdl" => ADA,
            "clj" | "cljs" | "cljc" | "lisp" | "el" | "scm" | "rkt" | "edn" => LISP,
            "f90" | "f95" | "f03" | "f08" => FORTRAN,
            "erl" | "hrl" | "tex" => ERLANG,
            "vb" | "bas" => BASIC,
            "bat" | "cmd" => BATCH,
            "html" | "htm" | "xml" | "svg" | "xhtml" | "xaml" => MARKUP,
            "toml" | "cfg" | "conf" | "properties" | "mk" | "cmake" | "dockerfile" | "nix" => SETTINGS,
            "ini" => INI,
            "ml" | "mli" | "pas" => OCAML,
            "feature" => GHERKIN,
            _ => UNKNOWN,
        }
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// A comment of one line that says `text`.
    pub(crate) fn comment(&self, text: &str) -> String {
        match (self.line.first(), self.block.first()) {
            (Some(open), _) => format!("{} {text}", open.trim_end()),
            (None, Some((open, close))) => format!("{open} {text} {close}"),
            (None, None) => format!("// {text}"),
        }
    }
}
