//! The bundled model, and files that are none.

use super::plain_file::{plain_file, with_another_vocabulary};
use super::*;
use crate::tokens::AskedTokens;

fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    vectors(Model::bundled().embed(texts).expect("the bundled model runs"))
}

fn vectors(embeddings: Vec<Embedding>) -> Vec<Vec<f32>> {
    embeddings.into_iter().map(|embedding| embedding.vector).collect()
}

fn in_a_file(bytes: &[u8]) -> Result<Model, ModelError> {
    let folder = tempfile::tempdir().expect("a folder for tests");
    let path = folder.path().join("model.onnx");
    fs_err::write(&path, bytes).expect("the model is written");
    Model::from_file(&path)
}

/// First three components, as onnxruntime gives them for the same graph (`scripts/model/check.py`).
#[test]
fn vectors_equal_those_of_the_reference_runtime() {
    let table: [(&str, [f32; 3]); 3] = REFERENCE;
    let floats = bundled::load_for(Arithmetic::Floats).unwrap();
    let found = vectors(floats.embed(&table.map(|(text, _)| text)).unwrap());
    for ((text, expected), vector) in table.iter().zip(&found) {
        for (x, y) in expected.iter().zip(vector) {
            assert!((x - y).abs() < 2e-4, "{text}: {:?} is not {expected:?}", &vector[..3]);
        }
    }
}

#[test]
fn a_question_has_a_place_of_its_own_and_equals_that_of_the_reference_runtime() {
    let question = "how long do buyers have to send something back";
    let expected = [-0.044_754, 0.014_345, 0.027_364_f32];
    let [floats, integers] = [Arithmetic::Floats, Arithmetic::Integers].map(|arithmetic| {
        bundled::question_for(arithmetic).unwrap().embed(&[question]).unwrap().remove(0).vector
    });
    for (x, y) in expected.iter().zip(&floats) {
        assert!((x - y).abs() < 2e-4, "{:?} is not {expected:?}", &floats[..3]);
    }
    assert!(cosine(&floats, &integers) > 0.99, "{}", cosine(&floats, &integers));
    let model = Model::bundled();
    let (asked, text) = (model.embed_question(question).unwrap(), embed(&[question]).remove(0));
    let alike = cosine(&asked.vector, &text);
    assert!(alike > 0.9 && alike < 0.99, "{alike}");
    assert_eq!(asked.tokens.map(|tokens| tokens.width), Some(48));
}

#[test]
fn a_question_is_nearest_to_the_text_that_answers_it() {
    let model = Model::bundled();
    let texts = embed(&[
        "Plugins: Sandbox\nA plugin SHALL have a limit on its time, and SHALL be ended once that is used up.",
        "Statements: Export\nAn owner SHALL be able to hand all bookings of a year to a bookkeeper as a file.",
        "Returns: Window\nA customer SHALL have thirty days to return goods.",
    ]);
    let questions = [
        "extension hangs forever",
        "tax adviser wants my transactions",
        "how long do buyers have to send something back",
    ];
    for (question, answer) in questions.iter().zip(&texts) {
        let asked = model.embed_question(question).unwrap().vector;
        let nearest = texts.iter().max_by(|a, b| cosine(&asked, a).total_cmp(&cosine(&asked, b)));
        assert_eq!(nearest, Some(answer), "{question}");
    }
}

#[test]
fn a_model_that_somebody_names_takes_questions_as_texts() {
    let model = in_a_file(&plain_file()).unwrap();
    let text = "extension hangs forever";
    assert_eq!(model.embed_question(text).unwrap(), model.embed(&[text]).unwrap().remove(0));
}

#[test]
fn meaning_is_nearer_than_spelling() {
    let vectors =
        embed(&["the cat sat on the mat", "a kitten rested on a rug", "the bat sat on the net income"]);
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
}

#[test]
fn a_text_has_the_same_vector_alone_and_in_company() {
    let company = [
        "short",
        "one more",
        "and another",
        &"a rather long sentence that goes on ".repeat(12),
        "of middling length, this one",
    ];
    let together = embed(&company);
    for (text, vector) in company.iter().zip(&together) {
        let alone = embed(&[text]).remove(0);
        assert_eq!(*vector, alone, "{text}");
        let length = cosine(vector, vector);
        assert!((length - 1.0).abs() < 1e-4, "{length}");
    }
}

#[test]
fn odd_texts_have_vectors_too() {
    let huge = "word ".repeat(50_000);
    for text in ["", " \n\t", "\u{0}", "🚢", "שלום", "検索", huge.as_str()] {
        for vector in [embed(&[text]).remove(0), Model::bundled().embed_question(text).unwrap().vector] {
            assert_eq!(vector.len(), 384);
            assert!(vector.iter().all(|x| x.is_finite()));
        }
    }
    assert!(embed(&[]).is_empty());
}

#[test]
fn the_plain_onnx_file_gives_the_same_vectors_as_the_bundled_graph() {
    let from_file = in_a_file(&plain_file()).unwrap();
    assert_eq!(from_file.dimensions(), 384);
    let text = "A session ends after thirty minutes without any request";
    let own = from_file.embed(&[text]).unwrap().remove(0).vector;
    let floats = Model::bundled_in_floats().embed(&[text]).unwrap().remove(0).vector;
    assert!(cosine(&own, &floats) > 0.99999);
}

#[test]
fn integers_give_nearly_the_same_vectors_as_floats() {
    let floats = bundled::load_for(Arithmetic::Floats).unwrap();
    let integers = bundled::load_for(Arithmetic::Integers).unwrap();
    for (text, _) in REFERENCE {
        let [floats, integers] =
            [&floats, &integers].map(|session| session.embed(&[text]).unwrap().remove(0).vector);
        assert!(cosine(&floats, &integers) > 0.98, "{text}: {}", cosine(&floats, &integers));
    }
}

#[test]
fn vectors_made_in_bulk_lie_near_the_exact_ones() {
    let model = Model::bundled();
    if !model.has_bulk() {
        return;
    }
    let texts = REFERENCE.map(|(text, _)| text);
    let (exact, bulk) = (embed(&texts), vectors(model.embed_in_bulk(&texts).unwrap()));
    for (at, other) in [(0, 1), (1, 0)] {
        let own = cosine(&exact[at], &bulk[at]);
        assert!(own > 0.7, "{}: {own}", texts[at]);
        assert!(own > cosine(&exact[at], &bulk[other]) + 0.3);
    }
}

#[test]
fn a_text_is_near_to_a_query_when_it_says_what_each_of_its_tokens_means() {
    let model = Model::bundled();
    let tokens = |text: &str| model.embed(&[text]).unwrap().remove(0).tokens.unwrap();
    let near =
        |query: &str, text: &str| AskedTokens::of(&tokens(query)).unwrap().nearness(&tokens(text).packed());
    let query = "renting an automobile";
    let [hire, money, nothing] =
        ["The hire of a car for some days", "Money goes back to the card within some days", "?!"]
            .map(|text| near(query, text));
    assert!(hire > money + 0.1 && money > nothing, "{hire} {money} {nothing}");
    assert!(near(query, query) > 0.98, "{}", near(query, query));
    assert!(AskedTokens::of(&tokens("?!")).is_none());
}

#[test]
fn tokens_of_a_text_are_its_pieces_without_marks_and_signs() {
    let embedding = Model::bundled().embed(&["Rerouting, again!"]).unwrap().remove(0);
    let tokens = embedding.tokens.unwrap();
    assert_eq!((tokens.width, tokens.weights.len()), (48, 4));
    assert!(tokens.vectors.chunks_exact(48).all(|vector| (cosine(vector, vector) - 1.0).abs() < 1e-4));
    assert!(tokens.weights.iter().all(|weight| *weight > 0.0));
}

/// Log odds as onnxruntime gives them for the same graph.
#[test]
fn a_reading_of_two_texts_equals_that_of_the_reference_runtime() {
    let floats = bundled::reader_for(Arithmetic::Floats).unwrap();
    let integers = bundled::reader_for(Arithmetic::Integers).unwrap();
    let text = "Seats: Reserving a seat\nA visitor SHALL hold a seat of a concert for ten minutes before it is paid for.";
    let questions = READ.map(|(question, _)| question);
    for (question, expected) in READ {
        let [exactly, nearly] =
            [&floats, &integers].map(|session| session.read(question, &[text]).unwrap()[0]);
        assert!((exactly - expected).abs() < 0.01, "{question}: {exactly} is not {expected}");
        assert!((nearly - expected).abs() < 0.5, "{question}: {nearly} is far from {expected}");
    }
    let told = Model::bundled().read(questions[0], &[text, "Money goes back to the card.", text]).unwrap();
    assert_eq!(told[0].to_bits(), told[2].to_bits());
    assert!(told.len() == 3 && told[0] > told[1] + 1.0, "{told:?}");
}

#[test]
fn odd_pairs_are_read_too() {
    let huge = "word ".repeat(50_000);
    for (question, text) in [("", ""), ("\u{0}", "🚢"), (huge.as_str(), huge.as_str())] {
        let told = Model::bundled().read(question, &[text, text]).unwrap();
        assert!(told.iter().all(|odds| odds.is_finite()), "{told:?}");
    }
}

#[test]
fn a_model_with_another_vocabulary_is_refused() {
    let Err(ModelError::Unusable { reason }) = in_a_file(&with_another_vocabulary()) else {
        panic!("it was taken")
    };
    assert_eq!(reason, "it does not tell sentences that mean the same from others");
}

#[test]
fn a_file_that_is_no_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    assert!(matches!(Model::from_file(&path), Err(ModelError::Read { .. })));
    for bytes in [&b""[..], b"not a model", &[0x08; 64]] {
        fs_err::write(&path, bytes).unwrap();
        assert!(matches!(Model::from_file(&path), Err(ModelError::Unusable { .. })), "{bytes:?}");
    }
}

/// The bundled weights under other names: whole, and not what is asked for.
#[test]
fn a_model_of_another_shape_is_refused_and_told_of() {
    let mut bytes = plain_file();
    let (known, other) = (b"attention_mask", b"attention_mist");
    for at in 0..bytes.len() - known.len() {
        if &bytes[at..at + known.len()] == known {
            bytes[at..at + known.len()].copy_from_slice(other);
        }
    }
    let Err(ModelError::Unusable { reason }) = in_a_file(&bytes) else { panic!("it was taken") };
    assert_eq!(reason, "it has no input `attention_mask`");
}

const READ: [(&str, f32); 3] = [
    ("how long is a seat kept for somebody who has not paid", -2.3512),
    ("train seat reservation for bicycles", -4.6941),
    ("refund to a card", -4.6965),
];

const REFERENCE: [(&str, [f32; 3]); 3] = [
    (
        "A session SHALL end after `session_ttl` minutes without any request.",
        [0.058_519, 0.097_509, -0.044_736],
    ),
    ("how long do buyers have to send something back", [-0.027_683, 0.035_713, 0.014_806]),
    ("検索 naïve 🚢", [0.023_612, 0.110_593, -0.028_278]),
];
