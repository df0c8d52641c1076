use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::proof::{anchor_lines, anchor_title};

/// `ref kind start-end name [suites > title]` of each link.
fn shown(path: &str, text: &str) -> Vec<String> {
    let found = read_file_tags(path, text, FileRole::Other);
    let show = |link: &Link| {
        let anchor = link.anchor.as_ref().unwrap();
        let mut line = format!(
            "{} {} {}-{} {}",
            link.reference,
            link.kind.as_str(),
            anchor.start,
            anchor.end,
            anchor.name.as_deref().unwrap_or("-")
        );
        if link.kind == LinkKind::Test {
            let names: Vec<&str> = link.suites.iter().chain(&link.title).map(String::as_str).collect();
            let _ = write!(line, " [{}]", names.join(" > "));
        }
        line
    };
    found.links.iter().map(show).collect()
}

fn hash(path: &str, text: &str) -> String {
    let found = read_file_tags(path, text, FileRole::Other);
    found.links[0].anchor.as_ref().unwrap().token_hash.clone()
}

#[test]
fn a_rust_tag_takes_the_function_behind_it_with_its_attributes() {
    let text = "mod tests {\n    use super::*;\n\n    /// Why.\n    // @spec a#b/c\n    #[test]\n    #[should_panic(expected = \"x}\")]\n    fn known() -> Result<(), String> {\n        if a { b } else { c }\n    }\n\n    fn other() {}\n}\n";
    assert_eq!(shown("src/a.rs", text), ["a#b/c test 6-10 known [tests > known]"]);
    let code = "impl Shop {\n    #[inline]\n    // @spec a#b\n    pub(crate) async fn buy<T: Into<X>>(&self, a: [u8; 4]) -> Y\n    where\n        T: Z,\n    {\n        let x = S { y: 1 };\n    }\n}\n";
    assert_eq!(shown("src/a.rs", code), ["a#b code 2-9 buy"]);
}

#[test]
fn values_types_and_fields_end_where_they_end() {
    assert_eq!(
        shown("a.rs", "// @spec a#b\nconst X: S = S { a: 1 }\n    .with(2);\nfn y() {}\n"),
        ["a#b code 2-3 X"]
    );
    assert_eq!(
        shown("a.rs", "struct S {\n    // @spec a#b\n    a: Map<A, B>,\n    b: u8,\n}\n"),
        ["a#b code 3-3 a"]
    );
    assert_eq!(shown("a.ts", "// @spec a#b\ntype X =\n  | 'a'\n  | 'b'\nconst y = 1\n"), ["a#b code 2-4 X"]);
    assert_eq!(
        shown("a.ts", "// @spec a#b\nexport const f = (x) => x + 1\nconst y = 1\n"),
        ["a#b code 2-2 f"]
    );
}

#[test]
fn scripts_have_tests_that_are_calls() {
    let text = "describe('Shop', () => {\n  describe(\"cart\", () => {\n    // @spec a#b/c\n    it.each([1, 2])('adds %i', async (n) => {\n      expect(`}${n}`).toBe({ a: 1 })\n    })\n\n    it('other', () => {})\n  })\n})\n";
    assert_eq!(shown("a.test.ts", text), ["a#b/c test 4-6 adds %i [Shop > cart > adds %i]"]);
    let titled = "test(\n  'it\\'s in @spec a#b/c',\n  () => {\n    x()\n  },\n);\n";
    assert_eq!(shown("a.js", titled), ["a#b/c test 1-6 it's in @spec a#b/c [it's in]"]);
    let group = "// @spec a#b\ndescribe('Cart', () => {\n  it('x', () => {})\n})\n";
    assert_eq!(shown("a.js", group), ["a#b test 2-4 Cart [Cart]"]);
    let returns = "// @spec a#b\nfunction f(x: { a: string }): { b: string } {\n  return { b: '' }\n}\nfunction g() {}\n";
    assert_eq!(shown("a.ts", returns), ["a#b code 2-4 f"]);
}

#[test]
fn python_goes_by_indentation() {
    let text = "class TestLogin:\n    # @spec a#b/c\n    @pytest.mark.parametrize(\"x\", [\n  1,\n])\n    def test_known(self, x):\n        '''Doc.\n@spec-ish\n        '''\n        if x:\n            return (\n  1\n)\n\n        # end\n    def test_other(self):\n        pass\n";
    assert_eq!(shown("t.py", text), ["a#b/c test 3-13 test_known [TestLogin > test_known]"]);
    let docstring = "@decorated\ndef f(\n    a,\n):\n    \"\"\"Says.\n\n    @spec a#b/c\n    \"\"\"\n    return 1\n\nx = 2\n";
    assert_eq!(shown("a.py", docstring), ["a#b/c code 1-9 f"]);
    assert_eq!(shown("a.py", "@spec(\"a#b/c\")\ndef f():\n    return 1\n"), ["a#b/c code 1-3 f"]);
    assert_eq!(shown("a.py", "\"\"\"Module. @spec a#b\"\"\"\nimport x\n"), ["a#b code 1-2 -"]);
}

#[test]
fn a_tag_in_a_body_means_the_function_around_it() {
    assert_eq!(
        shown("a.rs", "#[test]\nfn known() {\n    // @spec a#b/c\n    assert!(x);\n}\n"),
        ["a#b/c test 1-5 known [known]"]
    );
    assert_eq!(shown("a.rs", "fn known() { // @spec a#b/c\n    x();\n}\n"), ["a#b/c code 1-3 known"]);
    assert_eq!(shown("a.py", "def f():\n    x()\n    # @spec a#b/c\n\ny = 1\n"), ["a#b/c code 1-2 f"]);
    assert_eq!(shown("a.rs", "//! Rooms.\n//! @spec a#b\n\nfn x() {}\n"), ["a#b code 1-4 -"]);
}

#[test]
fn other_languages_are_read_by_their_shape() {
    for (path, text, expected) in [
        (
            "a_test.go",
            "// @spec a#b/c\nfunc TestKnown(t *testing.T) {\n\tx := struct{}{}\n}\nfunc x() {}\n",
            "a#b/c test 2-4 TestKnown [TestKnown]",
        ),
        (
            "a_test.go",
            "func TestKnown(t *testing.T) {\n\t// @spec a#b/c\n\tt.Run(\"by mail\", func(t *testing.T) {\n\t})\n}\n",
            "a#b/c test 3-4 by mail [TestKnown > by mail]",
        ),
        (
            "s.go",
            "// @spec a#b/c\nfunc (s *Shop) Buy(x interface{}) interface{} {\n}\n",
            "a#b/c code 2-3 Buy",
        ),
        (
            "LoginTest.java",
            "class LoginTest {\n  /** @spec a#b/c */\n  @Test\n  @DisplayName(\"x\")\n  void known() throws Exception {\n  }\n  int x;\n}\n",
            "a#b/c test 3-6 known [LoginTest > known]",
        ),
        (
            "T.cs",
            "public class T {\n  // @spec a#b/c\n  [Fact]\n  public async Task Known() => await X();\n}\n",
            "a#b/c test 3-4 Known [T > Known]",
        ),
        (
            "t.kt",
            "class T {\n  // @spec a#b/c\n  @Test\n  fun `known customer`() {\n  }\n}\n",
            "a#b/c test 3-5 known customer [T > known customer]",
        ),
        (
            "t_spec.rb",
            "describe 'Shop' do\n  # @spec a#b/c\n  it 'sells' do\n    x if y\n  end\n\n  it 'other' do\n  end\nend\n",
            "a#b/c test 3-5 sells [Shop > sells]",
        ),
        (
            "t.exs",
            "defmodule ShopTest do\n  # @spec a#b/c\n  test \"sells\" do\n    assert x\n  end\nend\n",
            "a#b/c test 3-5 sells [ShopTest > sells]",
        ),
        (
            "a.ex",
            "defmodule Shop do\n  @spec add(integer) :: integer\n  # @spec a#b/c\n  def add(x), do: x\n  def y, do: 1\nend\n",
            "a#b/c code 4-4 add",
        ),
        ("t.cpp", "// @spec a#b/c\nTEST_F(LoginTest, Known) {\n  x();\n}\n", "a#b/c test 2-4 Known [Known]"),
        ("a.cpp", "// @spec a#b/c\nShop::Shop(int a) : a_{a}, b_{1} {\n}\nint x;\n", "a#b/c code 2-3 Shop"),
        ("a.sh", "# @spec a#b/c\ndeploy() {\n  cat <<EOF\n}\nEOF\n}\nx=1\n", "a#b/c code 2-6 deploy"),
        ("t.sh", "# @spec a#b/c\ntest_known() {\n  x\n}\n", "a#b/c test 2-4 test_known [test_known]"),
        ("t.bats", "# @spec a#b/c\n@test \"known\" {\n  x\n}\n", "a#b/c test 2-4 known [known]"),
        (
            "q.sql",
            "-- @spec a#b/c\nCREATE FUNCTION f() AS $$\nBEGIN x; END;\n$$ LANGUAGE sql;\nSELECT 1;\n",
            "a#b/c code 2-4 f",
        ),
        (
            "a.yaml",
            "jobs:\n  # @spec a#b/c\n  deploy:\n    run: x\n    on: y\n  other: z\n",
            "a#b/c code 3-5 -",
        ),
        (
            "a.clj",
            "; @spec a#b/c\n(deftest known\n  (is (= 1 1)))\n(def x 1)\n",
            "a#b/c test 2-3 known [known]",
        ),
        ("a.weird", "%% @spec a#b/c\n%% more\nRULE x\n  y\n\nRULE z\n", "a#b/c code 2-4 -"),
        ("a.zig", "// @spec a#b/c\ntest \"adds\" {\n    x();\n}\n", "a#b/c test 2-4 adds [adds]"),
        (
            "a.dart",
            "void main() {\n  group('Shop', () {\n    // @spec a#b/c\n    test('sells', () {\n    });\n  });\n}\n",
            "a#b/c test 4-5 sells [Shop > sells]",
        ),
        ("a.hs", "-- @spec a#b/c\nbuy :: Int -> Int\nbuy x =\n  x\nsell = 1\n", "a#b/c code 2-4 -"),
        (
            "a.php",
            "<?php\nclass T {\n  // @spec a#b/c\n  #[Test]\n  public function known(): void {\n  }\n}\n",
            "a#b/c test 4-6 known [T > known]",
        ),
        (
            "a.swift",
            "// @spec a#b/c\nfunc testKnown() throws {\n}\nfunc x() {}\n",
            "a#b/c test 2-3 testKnown [testKnown]",
        ),
    ] {
        assert_eq!(shown(path, text), [expected], "{path}:\n{text}");
    }
}

#[test]
fn gherkin_has_tags_of_its_own() {
    let text = "Feature: Shop\n\n  @spec:a#b/c @slow\n  @more\n  Scenario Outline: sells <n>\n    Given x: y\n    Examples:\n      | n |\n\n  Scenario: other\n    Given z\n";
    assert_eq!(shown("a.feature", text), ["a#b/c test 3-8 sells <n> [Shop > sells <n>]"]);
}

#[test]
fn strings_that_are_data_are_no_tags() {
    assert!(shown("a.rs", "#[test]\nfn x() {\n    let text = \"// @spec a#b\";\n}\n").is_empty());
    assert!(shown("a.ts", "it('x', () => {\n  read('@spec a#b')\n})\n").is_empty());
    assert!(shown("a.py", "x = '''\n@spec a#b\n'''\n").is_empty());
}

#[test]
fn a_comment_may_speak_of_tags() {
    assert!(shown("a.rs", "/// Reads `@spec a#b`, as in\n/// `@spec a#b/c, a#d`.\nfn x() {}\n").is_empty());
}

#[test]
fn the_kind_may_be_said_or_follow_from_the_folder() {
    assert_eq!(shown("a.rs", "// @spec-test a#b\nfn x() {}\n"), ["a#b test 2-2 x [x]"]);
    assert_eq!(shown("a.rs", "// @spec-code a#b\n#[test]\nfn x() {}\n"), ["a#b code 2-3 x"]);
    assert_eq!(shown("a.rs", "// @spec-file a#b\n\nfn x() {}\n"), ["a#b file 1-3 -"]);
    let found = read_file_tags("tests/a.rs", "// @spec a#b\nfn x() {}\n", FileRole::Tests);
    assert_eq!(found.links[0].kind, LinkKind::Test);
}

#[test]
fn a_name_that_is_repeated_is_one_link_and_too_many_are_told() {
    let names = |count: usize, name: &dyn Fn(usize) -> String| {
        let all: Vec<String> = (0..count).map(name).collect();
        read_file_tags("a.py", &format!("# @spec {}\ndef x(): pass\n", all.join(", ")), FileRole::Other)
    };
    let same = names(5_000, &|_| "a#b/c".to_owned());
    assert_eq!((same.links.len(), same.cut), (1, false));
    let many = names(5_000, &|n| format!("a#b/c{n}"));
    assert_eq!((many.links.len(), many.cut), (1_000, true));
}

#[test]
fn what_a_test_once_printed_counts_for_nothing() {
    let read = |path| read_file_tags(path, "---\nsource: a.rs\n---\nadd // @spec a#b\n", FileRole::Tests);
    assert!(read("src/snapshots/a.snap").generated && read("a.snap").links.is_empty());
    assert_eq!(read("src/snapshots/a.txt").links.len(), 1);
}

#[test]
fn names_that_are_no_references_are_told_and_generated_files_count_for_nothing() {
    let found = read_file_tags("a.rs", "// @spec accounts\n// @spec a#\nfn x() {}\n", FileRole::Other);
    let told: Vec<_> =
        found.faults.iter().map(|fault| (fault.line, fault.text.as_str(), fault.error)).collect();
    assert_eq!(told, [(1, "accounts", RefError::NoRequirement), (2, "a#", RefError::EmptyRequirement)]);
    assert!(
        read_file_tags("a.go", "// Code generated by x. DO NOT EDIT.\n// @spec a#b\n", FileRole::Other)
            .generated
    );
}

#[test]
fn a_reformatted_declaration_keeps_its_hash() {
    for (path, a, b) in [
        (
            "a.rs",
            "fn x(a: u8, b: u8) -> S { S { a, b } }",
            "// more\nfn x(\n    a: u8,\n    b: u8, // why\n) -> S {\n    S { a, b }\n}",
        ),
        (
            "a.rs",
            "fn x() { match a { A => b(1), _ => ((c)) } }",
            "fn x() {\n    match a {\n        A => {\n            b(1)\n        }\n        _ => c,\n    }\n}",
        ),
        (
            "a.ts",
            "const f = x => { return {'a': \"it's\", b: 1} }",
            "const f = (x) => {\n  return { a: 'it\\'s', b: 1 };\n};",
        ),
        (
            "a.tsx",
            "function A() {\n  return <p>x</p>\n}",
            "function A() {\n  return (\n    <p>x</p>\n  );\n}",
        ),
        (
            "a.py",
            "def f(a, b=0XFF):\n    if a: return (1)\n    x = [1,2]\n    for (i) in x:\n        print('a' \"b\")\n",
            "def f(\n  a,\n  b=0xff,\n):\n  '''Doc.'''\n  if a:\n    return 1\n  x = (\n    [1, 2]\n  )\n  for i in x:\n    print(\"a\" 'b')\n",
        ),
        (
            "a.py",
            "def f():\n    return a and \\\n        b\n",
            "def f():\n\treturn (\n\t\ta\n\t\tand b\n\t)\n",
        ),
        ("a.go", "func f() {\nx(a,b)\n}", "func f() {\n\tx(\n\t\ta,\n\t\tb,\n\t)\n}"),
        ("a.java", "void f(){x(1);}", "void f()\n{\n    x( 1 );\n}"),
        ("a.what", "a  b\nc", "a b c"),
    ] {
        let mark = if path.rsplit('.').next() == Some("py") { "#" } else { "//" };
        let tagged = |text: &str| format!("{mark} @spec a#b\n{text}\n");
        assert_eq!(hash(path, &tagged(a)), hash(path, &tagged(b)), "{path}\n{a}\n---\n{b}");
    }
}

#[test]
fn an_edit_changes_the_hash() {
    for (path, a, b) in [
        ("a.rs", "fn x() { a * (b + c) }", "fn x() { a * b + c }"),
        ("a.rs", "fn x() { f(1) }", "fn x() { f(2) }"),
        ("a.rs", "fn x() -> (u8, u8) { (1, 2) }", "fn x() -> (u8, u8) { (2, 1) }"),
        (
            "a.py",
            "def f():\n    if a:\n        b()\n    c()\n",
            "def f():\n    if a:\n        b()\n        c()\n",
        ),
        ("a.py", "def f():\n    x = (1,)\n", "def f():\n    x = (1)\n"),
        ("a.py", "def f():\n    return 'a b'\n", "def f():\n    return 'a  b'\n"),
        ("a.ts", "const f = () => f(a)", "const f = () => f(b)"),
        ("a.ts", "const f = () => ({ a: 1 })", "const f = () => ({ 'a b': 1 })"),
        ("a.go", "func f() { x(\"a\") }", "func f() { x(a) }"),
    ] {
        let mark = if path.rsplit('.').next() == Some("py") { "#" } else { "//" };
        let tagged = |text: &str| format!("{mark} @spec a#b\n{text}\n");
        assert_ne!(hash(path, &tagged(a)), hash(path, &tagged(b)), "{path}\n{a}\n---\n{b}");
    }
}

#[test]
fn a_sidecar_finds_titles_and_lines() {
    let robot = "*** Test Cases ***\nKnown customer\n    Log In    a\n\nOther\n    x\n";
    let anchor = anchor_title("e2e/login.robot", robot, "Known customer").unwrap();
    assert_eq!((anchor.start, anchor.end), (2, 3));
    assert!(anchor_title("e2e/login.robot", robot, "Known").is_none_or(|anchor| anchor.start == 2));
    assert!(anchor_title("e2e/login.robot", robot, "Unknown").is_none());
    let lines = anchor_lines("q.sql", "a\nb\nc\nd\n", 2..=3).unwrap();
    assert_eq!((lines.start, lines.end), (2, 3));
    assert!(anchor_lines("q.sql", "a\n", 5..=9).is_none());
}

proptest! {
    #[test]
    fn any_file_can_be_read(text in "(// @spec a#b\n|# @spec a#b/c\n|[ -~\n{}()\\[\\]'\"é]){0,60}", path in "a\\.(rs|py|ts|go|rb|sh|sql|clj|feature|yml|hs|cs|what)") {
        for link in read_file_tags(&path, &text, FileRole::Other).links {
            let anchor = link.anchor.unwrap();
            prop_assert!(anchor.start >= 1 && anchor.end >= anchor.start);
            prop_assert!(anchor.end as usize <= text.lines().count().max(1) + 1);
        }
    }

    #[test]
    fn blanks_between_tokens_do_not_count(words in prop::collection::vec("[a-z]{1,4}|\\+|==|\"[a-z ]*\"|f\\([a-z]\\)", 1..12), gaps in prop::collection::vec(1_usize..4, 12)) {
        let wide: String = words.iter().zip(&gaps).map(|(word, gap)| format!("{word}{}", " ".repeat(*gap))).collect::<Vec<_>>().concat();
        let tagged = |body: &str| format!("// @spec a#b\nfn x() {{ {body} }}\n");
        prop_assert_eq!(hash("a.rs", &tagged(&words.join(" "))), hash("a.rs", &tagged(&wide)));
    }
}
