//! What parentheses say and what they do not, in pairs of texts.

use crate::proof::{FileRole, read_file_tags};

fn hash(path: &str, text: &str) -> String {
    read_file_tags(path, text, FileRole::Other).links[0].anchor.as_ref().unwrap().token_hash.clone()
}

fn javascript(code: &str) -> String {
    hash("a.ts", &format!("// @spec a#b\nfunction f() {{\n{code}\n}}\n"))
}

fn python(code: &str) -> String {
    hash("a.py", &format!("# @spec a#b\ndef f():\n    {code}\n"))
}

#[test]
fn parentheses_that_formatters_add_or_take_away_say_nothing() {
    for (one, other) in [
        ("if ((a === b) && !c) d()", "if (a === b && !c) d()"),
        ("x = (a >= 1 && a <= 5) ? a : 9", "x = a >= 1 && a <= 5 ? a : 9;"),
        ("!a && (b = 1) || (c += d)", "(!a && (b = 1)) || (c += d);"),
        ("f((a) => ('h' + (b ? 's' : '') + ':') + a)", "f(a => \"h\" + (b ? \"s\" : \"\") + \":\" + a)"),
        ("x = a % b * c", "x = (a % b) * c"),
        ("x = a << 2 | b", "x = (a << 2) | b"),
        ("x = (a || b)\nconst y = 1", "x = a || b;\nconst y = 1;"),
        ("x = c ? (a && b) : (d || e)", "x = c ? a && b : d || e"),
        ("return ({ a: 1 })", "return { a: 1 };"),
        ("x = (new Foo(1)).bar()", "x = new Foo(1).bar()"),
        ("x = ((a || b)) && c", "x = (a || b) && c"),
        ("x = a && (b && c)", "x = a && b && c"),
        ("x = `${a || ''}/${(b)}`", "x = `${a || \"\"}/${b}`"),
        ("x => a ? b : c", "(x) => (a ? b : c)"),
        ("return (\n<p>x</p>\n)", "return <p>x</p>;"),
    ] {
        assert_eq!(javascript(one), javascript(other), "{one} | {other}");
    }
    for (one, other) in [
        ("return (a or b)", "return a or b"),
        ("if (a and b):\n        pass", "if a and b:\n        pass"),
        ("x = (a + b) + c", "x = a + b + c"),
        ("x = (\n        a or b\n    )", "x = a or b"),
        ("for x in (a or b):\n        pass", "for x in a or b:\n        pass"),
        ("return (a, b)", "return a, b"),
        ("x = not (a in b)", "x = not a in b"),
        ("x = a if (b or c) else d", "x = a if b or c else d"),
    ] {
        assert_eq!(python(one), python(other), "{one} | {other}");
    }
}

#[test]
fn parentheses_that_decide_what_is_meant_are_part_of_it() {
    for (one, other) in [
        ("return await (a || b)", "return await a || b"),
        ("return a in (b || c)", "return a in b || c"),
        ("return a?.(b)", "return a?.b"),
        ("return a == (b || c)", "return a == b || c"),
        ("x = ((a || b)) && c", "x = a || b && c"),
        ("x = a - (b - c)", "x = a - b - c"),
        ("x = a ?? (b ? c : d)", "x = a ?? b ? c : d"),
        ("x = (a ? b : c) ? d : e", "x = a ? b : c ? d : e"),
        ("x = !(a && b)", "x = !a && b"),
        ("x = -(a + b)", "x = -a + b"),
        ("x = (a, b)", "x = a, b"),
        ("x = () => ({ a })", "x = () => { a }"),
        ("x = (a || b).c", "x = a || b.c"),
        ("x = (new Foo).bar()", "x = new Foo.bar()"),
        ("x = typeof (a + b)", "x = typeof a + b"),
        ("x = `${a || b}`", "x = `${a && b}`"),
        ("x = `a${b}`", "x = `${b}a`"),
    ] {
        assert_ne!(javascript(one), javascript(other), "{one} | {other}");
    }
    for (one, other) in [
        ("return not (a or b)", "return not a or b"),
        ("if a and (b or c):\n        pass", "if a and b or c:\n        pass"),
        ("return a in (b or c)", "return a in b or c"),
        ("return [x for x in y if x in (b or c)]", "return [x for x in y if x in b or c]"),
        ("return a == (b == c)", "return a == b == c"),
        ("return (a == b) == c", "return a == b == c"),
        ("return await (a or b)", "return await a or b"),
        ("x = [\n        (a or b)\n        and c\n    ]", "x = [\n        a or b\n        and c\n    ]"),
        ("return -(a + b)", "return -a + b"),
        ("return [(x for x in y)]", "return [x for x in y]"),
    ] {
        assert_ne!(python(one), python(other), "{one} | {other}");
    }
    let c = |code: &str| hash("a.c", &format!("// @spec a#b\nint f(int a) {{\n{code}\n}}\n"));
    assert_ne!(c("return x == (a & b);"), c("return x == a & b;"));
    assert_eq!(c("x = (a & b);"), c("x = a & b;"));
    assert_eq!(c("return (a);"), c("return a;"));
}
