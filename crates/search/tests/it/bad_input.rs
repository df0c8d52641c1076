use std::path::{Path, PathBuf};

use hewto_search::{Index, Query, Ranker, Scan};
use tempfile::tempdir;

use crate::stand_in::{fill, found, key, open, spec};

fn filled(folder: &Path) -> Index {
    let index = open(folder);
    fill(&index, vec![spec("a", &[("One", "parcels are returned"), ("Deux", "検索 und שלום 🚢 größe")])]);
    index
}

#[test]
fn odd_queries_are_answered_or_find_nothing() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    let endless = "parcel ".repeat(15_000);
    let wide = "検".repeat(34_000);
    let queries = [
        "",
        " ",
        "\n\t",
        "the of and",
        "?!.,;:",
        "\"\"",
        "\"",
        "[a-z]+(b|c)*",
        "\\",
        "^$",
        "a AND (b OR",
        "*",
        "field:value",
        "NOT",
        "+must -not",
        "~",
        "🚢🎉",
        "👨‍👩‍👧‍👦",
        "שלום עולם",
        "‏عربي",
        "検索の仕様",
        "e\u{301}\u{301}\u{301}",
        "\u{0}\u{1}\u{7f}",
        "\u{feff}",
        "\u{202e}drawkcab",
        &endless,
        &wide,
        "a\"b\"c\"d",
        "____",
        "-.-.-",
        "''''",
    ];
    for text in queries {
        for ranker in Ranker::ALL {
            for threshold in [None, Some(0.0), Some(f32::NAN), Some(-1.0), Some(2.0)] {
                let answer = index.search(&Query { ranker, threshold, ..Query::new(text) }).unwrap();
                for hit in answer.hits {
                    assert!(hit.score > 0.0 && hit.score <= 1.0);
                }
            }
        }
    }
}

#[test]
fn queries_in_other_scripts_find_their_words() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    for text in ["検索", "שלום", "🚢", "GRÖSSE", "größe"] {
        assert_eq!(found(&index, text).first().map(String::as_str), Some("a/Deux"), "{text}");
    }
}

/// Neither words that stand everywhere nor signs rank anything, and the answer says so.
#[test]
fn a_query_without_a_word_that_counts_finds_nothing_and_says_why() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    for (text, mode) in [
        ("the of and", "lexical (the query has only words that are everywhere)"),
        ("what is it for", "lexical (the query has only words that are everywhere)"),
        ("?!.,;:", "lexical (the query has no words)"),
        ("", "lexical (the query has no words)"),
    ] {
        for ranker in Ranker::ALL {
            let answer = index.search(&Query { ranker, ..Query::new(text) }).unwrap();
            assert!(answer.hits.is_empty() && answer.total == 0, "{text}: {:?}", answer.hits);
            assert_eq!((answer.mode.as_str(), answer.confidence), (mode, 0.0), "{text}");
        }
    }
    let insisting = Query { threshold: Some(0.0), ..Query::new("are the") };
    assert!(!index.search(&insisting).unwrap().hits.is_empty());
}

/// The model would place them anywhere.
#[test]
fn signs_and_scripts_that_the_model_cannot_read_are_found_by_words_only() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    for (text, found) in [("🚢", 1), ("🎉", 0), ("検索", 1), ("погода сегодня", 0)] {
        let answer = index.search(&Query::new(text)).unwrap();
        assert_eq!(answer.mode, "lexical (the model reads English only)", "{text}");
        assert_eq!(answer.hits.len(), found, "{text}: {:?}", answer.hits);
    }
}

fn in_language(name: &str, text: &str) -> hewto_search::Document {
    let mut document = spec(name, &[(name, text)]);
    document.entries.iter_mut().for_each(|entry| entry.scenarios.clear());
    document
}

/// Inflected forms meet in each language, also where the query is one word that tells nothing of its language.
#[test]
fn requirements_in_other_languages_are_found_by_their_words() {
    let folder = tempdir().unwrap();
    let index = Index::open(folder.path(), None).unwrap();
    let documents = vec![
        in_language("de", "Der Kunde MUSS alle Rechnungen der letzten Jahre herunterladen können."),
        in_language(
            "fr",
            "Le client DOIT pouvoir télécharger les factures, même si l'abonnement est annulé.",
        ),
        in_language("es", "El cliente DEBE poder descargar los recibos de cada pedido durante un año."),
        in_language("zh", "用户必须能够下载过去一年的发票。"),
        in_language("ja", "利用者は請求書をダウンロードできなければならない。"),
        in_language("en", "Customers SHALL be able to print statements."),
    ];
    index.apply(documents, &[]).unwrap();
    for (query, expected) in [
        ("Rechnung", "de"),
        ("wie lade ich eine Rechnung herunter", "de"),
        ("abonnements annulés", "fr"),
        ("facture", "fr"),
        ("recibo", "es"),
        ("descargas del recibo", "es"),
        ("发票", "zh"),
        ("下载发票", "zh"),
        ("請求書", "ja"),
        ("printing a statement", "en"),
    ] {
        assert_eq!(found(&index, query).first(), Some(&format!("{expected}/{expected}")), "{query}");
    }
}

/// Its vector would point anywhere, so that a question in English would find it beside what answers.
#[test]
fn what_the_model_does_not_read_is_not_embedded_and_found_by_its_words_alone() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    let documents = vec![
        in_language("zh", "用户必须能够下载过去一年的发票，系统必须在会话过期之前提醒他们 session_ttl。"),
        in_language("en", "Customers SHALL be able to print statements."),
    ];
    fill(&index, documents);
    assert_eq!(index.progress().unwrap().total, 3, "both heads and the English requirement");
    let whatever = Query { threshold: Some(0.0), limit: 10, ..Query::new("print statements") };
    let hits = index.search(&whatever).unwrap().hits;
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit.requirement.as_deref() != Some("zh")), "{hits:?}");
    assert_eq!(found(&index, "session_ttl").first().map(String::as_str), Some("zh/zh"));
}

#[test]
fn ten_thousand_words_are_answered_by_those_that_count() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    let long = format!("parcels are returned {}", "and the of ".repeat(3_334));
    let answer = index.search(&Query { ranker: Ranker::Lexical, ..Query::new(&long) }).unwrap();
    assert_eq!(answer.hits[0].requirement.as_deref(), Some("One"));
}

/// What finds words without an index says the same as the index does.
#[test]
fn a_scan_of_the_documents_finds_what_the_index_finds_by_words() {
    let folder = tempdir().unwrap();
    let index = Index::open(folder.path(), None).unwrap();
    let documents: Vec<_> = (0..40)
        .map(|n| {
            spec(
                &format!("s{n:02}"),
                &[("Only", &format!("parcel number{n} {}", "is returned ".repeat(n % 5)))],
            )
        })
        .collect();
    index.apply(documents.clone(), &[]).unwrap();
    for text in ["parcel returned", "number7", "returned parcels of number12", "nothing of this", ""] {
        let query = Query { ranker: Ranker::Lexical, limit: 100, ..Query::new(text) };
        let mut scan = Scan::new(&query);
        for document in &documents {
            scan.take(document);
        }
        let (scanned, indexed) = (scan.answer("lexical"), index.search(&query).unwrap());
        let names = |answer: &hewto_search::Answer| -> Vec<String> {
            answer.hits.iter().take(1).map(|hit| hit.document.id.clone()).collect()
        };
        assert_eq!((scanned.total, names(&scanned)), (indexed.total, names(&indexed)), "{text}");
    }
}

#[test]
fn enormous_limits_are_harmless() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    let query = Query { limit: usize::MAX, skip: usize::MAX, ..Query::new("parcels") };
    assert!(index.search(&query).unwrap().hits.is_empty());
    assert_eq!(index.search(&Query { skip: 0, ..query }).unwrap().hits[0].document, key("a"));
}

/// Each file of the index cut in several places: it opens, as what it was or as empty, and takes the documents in
/// again. (That no cut at any byte makes a panic is shown where the files are read.)
#[test]
fn a_torn_index_is_made_anew_without_a_word() {
    let folder = tempdir().unwrap();
    drop(filled(folder.path()));
    for path in files(folder.path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains("lock") {
            continue;
        }
        let length = fs_err::metadata(&path).unwrap().len();
        for cut in [0, 1, 7, length / 2, length - 1] {
            let copy = tempdir().unwrap();
            copy_folder(folder.path(), copy.path());
            let victim = copy.path().join(path.strip_prefix(folder.path()).unwrap());
            std::fs::File::options().write(true).open(&victim).unwrap().set_len(cut).unwrap();
            let index = filled(copy.path());
            assert_eq!(found(&index, "parcels are returned")[0], "a/One", "{name} cut at {cut}");
            assert_eq!(index.progress().unwrap().done, 3, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_header_cut_at_any_byte_is_made_anew() {
    let folder = tempdir().unwrap();
    drop(filled(folder.path()));
    let header = folder.path().join("index.json");
    for cut in 0..fs_err::metadata(&header).unwrap().len() {
        std::fs::File::options().write(true).open(&header).unwrap().set_len(cut).unwrap();
        let index = filled(folder.path());
        assert_eq!(found(&index, "parcels are returned")[0], "a/One", "cut at {cut}");
    }
}

#[test]
fn an_index_of_another_version_or_none_at_all_is_made_anew() {
    for header in [
        r#"{"format":0,"words":3,"folder":"words-1"}"#,
        r#"{"format":99,"words":3,"folder":"words-1","more":[1]}"#,
        r#"{"format":1,"words":999,"folder":"words-1"}"#,
        r#"{"format":1,"words":3,"folder":"../../etc"}"#,
        r#"{"format":1,"words":3,"folder":"words-7"}"#,
        "null",
        "",
        "\u{0}",
    ] {
        let folder = tempdir().unwrap();
        drop(filled(folder.path()));
        fs_err::write(folder.path().join("index.json"), header).unwrap();
        let index = open(folder.path());
        let stale = index.stale([(key("a"), spec("a", &[]).fingerprint)]).unwrap();
        assert_eq!(stale.changed, [key("a")], "{header}");
        let index = filled(folder.path());
        assert_eq!(found(&index, "parcels are returned")[0], "a/One", "{header}");
    }
}

#[test]
fn a_folder_that_vanishes_and_comes_back_is_followed() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("search");
    let index = filled(&place);
    fs_err::remove_dir_all(&place).unwrap();
    assert!(index.search(&Query::new("parcels")).is_err());
    assert!(index.apply([spec("b", &[])], &[]).is_err());
    let other = filled(&place);
    assert_eq!(found(&other, "parcels are returned")[0], "a/One");
    assert_eq!(found(&index, "parcels are returned")[0], "a/One");
}

#[test]
fn files_where_folders_should_be_are_errors_not_panics() {
    let folder = tempdir().unwrap();
    let place = folder.path().join("search");
    fs_err::write(&place, "a file").unwrap();
    assert!(Index::open(&place, None).is_err());
    fs_err::remove_file(&place).unwrap();
    fs_err::create_dir_all(place.join("lock")).unwrap();
    assert!(Index::open(&place, None).is_err());
}

#[test]
fn a_file_cut_off_while_the_index_is_open_is_made_anew() {
    let folder = tempdir().unwrap();
    let index = filled(folder.path());
    for path in files(folder.path()) {
        if path.extension().is_some_and(|ending| ending == "store" || ending == "idx") {
            std::fs::File::options().write(true).open(path).unwrap().set_len(3).unwrap();
        }
    }
    assert!(index.search(&Query::new("parcels are returned")).is_err());
    fill(&index, vec![spec("a", &[("One", "parcels are returned")])]);
    assert_eq!(found(&index, "parcels are returned")[0], "a/One");
}

/// Vectors that cannot be written: words go on serving, nothing is lost when there is room again.
#[test]
fn a_disk_that_refuses_the_vectors_keeps_the_words() {
    let folder = tempdir().unwrap();
    let index = open(folder.path());
    index.apply([spec("a", &[("One", "parcels are returned")])], &[]).unwrap();
    // A folder in the file's place refuses every write to it.
    let blocked = folder.path().join("vectors-0000000000000000.bin");
    fs_err::create_dir(&blocked).unwrap();
    assert!(index.embed_all(|_| true).is_err());
    let answer = index.search(&Query { ranker: Ranker::Lexical, ..Query::new("parcels") }).unwrap();
    assert_eq!(answer.hits[0].requirement.as_deref(), Some("One"));
    fs_err::remove_dir(&blocked).unwrap();
    index.embed_all(|_| true).unwrap();
    assert_eq!(index.search(&Query::new("parcels are returned")).unwrap().mode, "fused");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in fs_err::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn copy_folder(from: &Path, to: &Path) {
    for path in files(from) {
        let place = to.join(path.strip_prefix(from).unwrap());
        fs_err::create_dir_all(place.parent().unwrap()).unwrap();
        fs_err::copy(path, place).unwrap();
    }
}
