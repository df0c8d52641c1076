//! Texts with secrets in them, and texts that only look so.

use proptest::prelude::*;

use super::*;

#[test]
fn no_key_is_shorter_than_the_shortest() {
    let shortest = KEY_PREFIXES.iter().map(|(prefix, least)| prefix.len() + least).min();
    assert_eq!(shortest, Some(SHORTEST_KEY));
}

#[test]
fn every_name_is_shorter_than_what_is_compared() {
    assert!(SECRET_NAMES.iter().chain(&HARMLESS_NAMES).all(|name| name.len() < LONGEST_NAME));
    let long = "x".repeat(LONGEST_NAME);
    for (key, is_secret) in [
        (format!("{long}_password"), true),
        (format!("{long}_p-a-s-s-w-o-r-d"), true),
        (format!("password_{long}"), false),
        (long, false),
        ("Pass_Word".to_owned(), true),
        (String::new(), false),
    ] {
        assert_eq!(is_secret_key(&key), is_secret, "{key}");
    }
}

fn scrubbed(text: &str) -> String {
    scrub(text, Looks::Matter, |_| "***".to_owned()).unwrap_or_else(|| text.to_owned())
}

#[test]
fn markup_and_other_languages_hide_no_secret() {
    for (text, expected) in [
        ("password: |\n  hunter24x\n  more\nuser: bob", "password: |\n  ***\n  ***\nuser: bob"),
        ("mot de passe : hunter32x", "mot de passe : ***"),
        ("contraseña: hunter33x", "contraseña: ***"),
        ("my PIN is 482913", "my PIN is ***"),
        ("'password' => 'hunter44x',", "'password' => '***',"),
        ("credentials: admin / hunter47x", "credentials: ***"),
        ("<password>hunter49x</password>", "<password>***</password>"),
        ("<db pw=\"a\"><pw>hunter50x</pw>", "<db pw=\"***\"><pw>***</pw>"),
        ("&lt;password&gt;hunter48x&lt;/password&gt;", "&lt;password&gt;***&lt;/password&gt;"),
        ("<add key=\"password\" value=\"hunter51x\"/>", "<add key=\"password\" value=\"***\"/>"),
        ("пароль: hunter52x", "пароль: ***"),
        ("Мой Пароль = hunter53x", "Мой Пароль = ***"),
        ("密码: hunter54x", "密码: ***"),
        ("senha: hunter55x", "senha: ***"),
        ("psk=\"hunter56x\"", "psk=\"***\""),
        ("openssl enc -k hunter57x -in a", "openssl enc -k *** -in a"),
        ("Private-Lines: 1\nAAAAB3Nz\nPrivate-MAC: x", "***Private-MAC: x"),
    ] {
        assert_eq!(scrubbed(text), expected, "{text}");
    }
    for text in [
        "notes: |\n  plain\n",
        "<title>Reset</title>",
        "a => b",
        "the pin code is short",
        "<a key=\"name\" value=\"Bob\"/>",
    ] {
        assert_eq!(scrubbed(text), text);
    }
}

#[test]
fn names_of_two_words_pairs_and_other_signs_hide_no_secret() {
    for (text, expected) in [
        ("api key: hunter60x", "api key: ***"),
        ("my api key is hunter61x now", "my api key is *** now"),
        ("seed phrase: abandon ability able", "seed phrase: ***"),
        ("passphrase: open sesame quickly", "passphrase: ***"),
        ("- name: DB_PASSWORD\n  value: hunter62x", "- name: DB_PASSWORD\n  value: ***"),
        ("{name: API_TOKEN, value: 'hunter63x'}", "{name: API_TOKEN, value: '***'}"),
        (
            "variable \"db_password\" {\n  default = \"hunter64x\"\n}",
            "variable \"db_password\" {\n  default = \"***\"\n}",
        ),
        ("app.config['SECRET_KEY'] = 'hunter65x'", "app.config['SECRET_KEY'] = '***'"),
        ("password＝hunter66x", "password＝***"),
        ("密码：hunter67x", "密码：***"),
        ("https://x/?q=password%3Dhunter68x", "https://x/?q=password%3D***"),
        ("https://maps.example/?key=hunter69x&v=2", "https://maps.example/?key=***&v=2"),
        ("CREATE USER a IDENTIFIED BY 'hunter70x'", "CREATE USER a IDENTIFIED BY '***'"),
        ("set the password to hunter71x", "set the password to ***"),
        ("password (hunter72x)", "password (***)"),
        ("la password è hunter73x", "la password è ***"),
        ("| password | hunter74x |", "| password | *** |"),
        ("zip -P hunter75x a.zip b", "zip -P *** a.zip b"),
        ("use dp.pt.abcdefghijklmnopqrstuvwxyz", "use ***"),
    ] {
        assert_eq!(scrubbed(text), expected, "{text}");
    }
    for text in [
        "value: 12345678x",
        "the key: of all things",
        "name: title, value: Reset2Default",
        "a key phrase: well known",
        "?key=name",
        "identified by the person",
    ] {
        assert_eq!(scrubbed(text), text);
    }
}

#[test]
fn tables_headers_escapes_and_further_options_hide_no_secret() {
    let hash = "0a1b2c3d".repeat(8);
    let airtable = format!("patAbCdEfGhIjKlMn.{hash}");
    for (text, expected) in [
        (
            "| user | password |\n|---|---|\n| bob | hunter80x |",
            "| user | password |\n|---|---|\n| bob | *** |",
        ),
        ("user,password,age\nbob,sesame,12\nann,open,9", "user,password,age\nbob,***,12\nann,***,9"),
        ("Cookie: a=1; sid=hunter81x; b=2", "Cookie: ***"),
        ("Authorization: Digest username=\"u\", response=\"6629fae4\"\nrest", "Authorization: ***\nrest"),
        ("curl --user=admin:hunter82x https://x", "curl --user=admin:*** https://x"),
        ("keytool -storepass hunter83x -keypass hunter84x", "keytool -storepass *** -keypass ***"),
        ("dbpass=hunter85x", "dbpass=***"),
        ("the passphrase for the old vault is hunter86x now", "the passphrase for the old vault is *** now"),
        ("https://x/cb?code=hunter87x&state=1", "https://x/cb?code=***&state=1"),
        ("password\\u003dhunter88x", "password\\u003d***"),
        ("password&#61;hunter89x", "password&#61;***"),
        ("p\\u0061ssword: hunter90x", "p\\u0061ssword: ***"),
        ("use HRKU-AAxx12345678-1234-1234-1234", "use ***"),
        (&airtable, "***"),
    ] {
        assert_eq!(scrubbed(text), expected, "{text}");
    }
    for text in [
        "one, password, two\nthree of them, and four, and five",
        "| step | state |\n|---|---|\n| 1 | done |",
        "the password is checked. The limit is Level2Access",
        "see ?code=name and pages/12?session=on",
        "authorization: asked for by everybody, and given by few",
        "R&#38;D has &#8364;5",
        "part.0a1b2c3d",
    ] {
        assert_eq!(scrubbed(text), text);
    }
}

#[test]
fn numbers_of_cards_and_lines_of_password_files_do_not_stay() {
    for (text, expected) in [
        ("pay with 4111 1111 1111 1111 today", "pay with *** today"),
        ("card 5500-0055-5555-5559.", "card ***."),
        ("amex:378282246310005", "amex:***"),
        ("6011000990139424", "***"),
        ("a 30569309025904 b", "a *** b"),
        ("db.example.org:5432:shop:bob:sesame", "db.example.org:5432:shop:bob:***"),
        ("# mine\n*:*:*:bob:se\\:same\nend", "# mine\n*:*:*:bob:***\nend"),
        ("machine h login bob password sesame", "machine h login bob password ***"),
        ("bob:$2y$10$abcdefghijklmnopqrstuv0123456789", "bob:***"),
        ("bob:$6$salt$abcdefghijklmnop/qrst:19000:", "bob:***:19000:"),
    ] {
        assert_eq!(scrubbed(text), expected, "{text}");
    }
    for text in [
        "4111 1111 1111 1112 has another sum",
        "at 1794915563123 and 20261117113904123",
        "4444444444444448x",
        "id 0000000000000000",
        "src/main.rs:12:5: error: expected",
        "fe80:0:0:1:2",
        "10:20:30:40:50",
        "a:b:c:d:e",
        "costs $5$ and $6$",
        "login is a password thing",
    ] {
        assert_eq!(scrubbed(text), text);
    }
}

#[test]
fn secrets_in_prose_are_replaced_and_the_prose_stays() {
    for (text, expected) in [
        ("use ghp_0123456789abcdefghijklmnopqrstuvwxyz now", "use *** now"),
        ("Authorization: Bearer abc.DEF-123", "Authorization: Bearer ***"),
        ("curl -H 'authorization: basic dXNlcjpwYXNz'", "curl -H 'authorization: basic ***'"),
        ("DB_PASSWORD=hunter DEBUG=1", "DB_PASSWORD=*** DEBUG=1"),
        ("api_key: \"a1b2c3d4e5\", user: bob", "api_key: \"***\", user: bob"),
        ("clone https://bob:s3cret@example.com/x.git", "clone https://bob:***@example.com/x.git"),
        ("AKIAIOSFODNN7EXAMPLE", "***"),
        ("basic 1234567a", "basic ***"),
        ("pwd=x", "pwd=***"),
        ("a://b:c@d", "a://b:***@d"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", "***\nrest"),
    ] {
        assert_eq!(scrubbed(text), expected, "{text}");
    }
    let token = format!("eyJ{}.eyJ{}.{}", "a".repeat(20), "b".repeat(20), "c".repeat(20));
    assert_eq!(scrubbed(&format!("jwt {token}!")), "jwt ***!");
}

#[test]
fn shapes_that_once_stayed_in_the_clear_are_replaced() {
    for (text, needle) in [
        ("aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
        ("{\"SecretAccessKey\": \"wJalrXUtnFEMI2K7MDENG5bPx\"", "wJalrXUtnFEMI2K7"),
        ("use 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", "a1b2c3d4"),
        ("xapp-1-A02ABCDEF-1234567890-abcdef0123456789", "A02ABCDEF"),
        ("https://hooks.slack.com/services/T00000000/B00000000/Zk8sq1w2e3r4t5y6", "Zk8sq1w2e3"),
        ("https://discord.com/api/webhooks/123456789/abcDEF123-xyz_TOKENTOKEN", "abcDEF123-xyz"),
        ("https://x.blob.core.windows.net/c?sv=2020&sig=Zm9vYmFyYmF6cXV4%2BQQ%3D", "Zm9vYmFyYmF6"),
        ("DefaultEndpointsProtocol=https;AccountKey=QWJjZGVmZ2hpamtsbW5vcA==;", "QWJjZGVmZ2hp"),
        ("dckr_pat_abcDEF123456789012345678901", "abcDEF12"),
        ("GR1348941abcDEFGHIJKLMNOPQRST", "abcDEF"),
        ("whsec_abcdEFGH12345678abcdEFGH12345678", "abcdEFGH"),
        ("bot 123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "AAHdqTcvCH1v"),
        ("AGE-SECRET-KEY-1QQPQZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPQZRY9X8GF2TVD", "1QQPQZRY9X8G"),
        ("hvs.CAESIJabcdefGHIJK1234567890lmnop", "CAESIJabcdef"),
        ("dapi0123456789abcdef0123456789abcdef", "dapi0123456789"),
        ("twilio SK0123456789abcdef0123456789abcdef here", "SK0123456789"),
        ("{\"sid\":\"SKABCDEF0123456789ABCDEF0123456789\"}", "SKABCDEF0123"),
        ("the password is hunter2-Zebra99", "hunter2"),
        ("password: correcthorse", "correcthorse"),
        ("password = \"correct horse battery staple\"", "horse battery"),
        ("Passwort=geheim12345", "geheim12345"),
        ("DB_PASS=Sup3rGeheim", "Sup3rGeheim"),
        ("mysql -u root -pSup3rGeheim1 db", "Sup3rGeheim1"),
        ("tool --password Sup3rGeheim2 run", "Sup3rGeheim2"),
        ("tool --api-key='Sup3rGeheim2' run", "Sup3rGeheim2"),
        ("curl -u admin:Sup3rGeheim3 http://x", "Sup3rGeheim3"),
        ("sshpass -p geheim ssh root@x", "geheim"),
        ("X-Auth: Token 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b", "9944b09199c62b"),
        ("https://x.y/?access_token=qwzDEF998877", "qwzDEF998877"),
        ("https://ghtokenabcDEF123@github.com/x.git", "ghtokenabcDEF123"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0 rest", "eyJzdWIiOiIxMjM0"),
        ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP"),
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF1abc\n-----END PGP PRIVATE KEY BLOCK-----",
            "lQOYBF1abc",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAA", "b3BlbnNzaC1rZXkt"),
        ("gh\u{200b}p_0123456789abcdefghijklmnopqrstuvwxyz", "0123456789abcdefghij"),
        ("https://x/ghp_ABCDEFghij0123456789abcdefghijklmnop", "ABCDEFghij0123456789"),
        ("//registry.example/:_authToken=00000000-aaaa-bbbb", "00000000-aaaa-bbbb"),
        ("data: {pw: c3VwZXJzZWNyZXQxMjM=}", "c3VwZXJzZWNy"),
        ("the db pass is Sup3rGeheim and more", "Sup3rGeheim"),
        ("a \\\"password\\\":\\\"hunter2\\\" within", "hunter2"),
        ("key material Zk7pQ2mX9vLr4TnB8wYc here", "Zk7pQ2mX9vLr"),
    ] {
        let clean = scrubbed(text);
        assert!(!clean.contains(needle), "{text} became {clean}");
    }
}

#[test]
fn prose_about_secrets_stays() {
    for text in [
        "Bearer authentication and basic functionality",
        "password: must be changed on first login",
        "if token == expected",
        "see https://example.com:8080/path@2",
        "the task-force and the sk-learn library",
        "Ünïcode: größe=1",
        "the token is renewed every hour, and the password is never shown",
        "see 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b and 9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b",
        "run `hewto spec list -p 2` or `mkdir -p specs/a`",
        "git@github.com:x/y.git and ssh://git@example.com/x",
        "a pin of the map, a sig file and the auth flow: see the guide",
    ] {
        assert_eq!(scrubbed(text), text);
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        "[ -~]{0,12}",
        prop::sample::select(vec![
            "password",
            "api_key",
            "Pw",
            "pass",
            "pin",
            " is ",
            "=",
            ": ",
            "://",
            "<",
            ">",
            "&lt;",
            "&gt;",
            " -p",
            "mysql",
            "curl",
            "\t-p",
            " -u ",
            "--token ",
            "|\n  ",
            "hunter22x",
            "482913",
            "bearer ",
            "Basic ",
            "dXNlcjpwYXNz",
            "u:p@h",
            "sk-",
            "eyJ",
            "0123456789abcdef",
            "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
            "123456789:",
            "SK",
            "contraseña",
            "\u{200b}",
            "@",
            "\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn a_text_that_is_let_through_at_a_glance_has_no_secret(text in any_text()) {
        let (seen, _) = visible(&text);
        for looks in [Looks::Matter, Looks::Pass] {
            if !seen.contains('\\') && !may_hold_secret(seen.as_bytes(), looks) {
                prop_assert_eq!(spans(&seen, looks), Vec::<Range<usize>>::new());
            }
        }
    }
}
