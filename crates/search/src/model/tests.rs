//! The bundled model, and files that are none.

use super::*;

fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    Model::bundled().embed(texts).expect("the bundled model runs")
}

/// First three components, as onnxruntime 1.31 gives them for the same file.
#[test]
fn vectors_equal_those_of_the_reference_runtime() {
    let table: [(&str, [f32; 3]); 3] = REFERENCE;
    let floats = bundled::load_for(Arithmetic::Floats).unwrap();
    let found = floats.embed(&table.map(|(text, _)| text)).unwrap();
    for ((text, expected), vector) in table.iter().zip(&found) {
        for (x, y) in expected.iter().zip(vector) {
            assert!((x - y).abs() < 2e-4, "{text}: {:?} is not {expected:?}", &vector[..3]);
        }
    }
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
        let vector = embed(&[text]).remove(0);
        assert_eq!(vector.len(), 384);
        assert!(vector.iter().all(|x| x.is_finite()));
    }
    assert!(embed(&[]).is_empty());
}

#[test]
fn the_plain_onnx_file_gives_the_same_vectors_as_the_bundled_graph() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/model.onnx");
    let from_file = Model::from_file(&path).unwrap();
    assert_eq!(from_file.dimensions(), 384);
    let text = "A session ends after thirty minutes without any request";
    let vector = from_file.embed(&[text]).unwrap().remove(0);
    let floats = bundled::load_for(Arithmetic::Floats).unwrap().embed(&[text]).unwrap().remove(0);
    assert!(cosine(&vector, &floats) > 0.99999);
}

#[test]
fn integers_give_nearly_the_same_vectors_as_floats() {
    let floats = bundled::load_for(Arithmetic::Floats).unwrap();
    let integers = bundled::load_for(Arithmetic::Integers).unwrap();
    for (text, _) in REFERENCE {
        let [floats, integers] =
            [&floats, &integers].map(|session| session.embed(&[text]).unwrap().remove(0));
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
    let (exact, bulk) = (model.embed(&texts).unwrap(), model.embed_in_bulk(&texts).unwrap());
    for (at, other) in [(0, 1), (1, 0)] {
        let own = cosine(&exact[at], &bulk[at]);
        assert!(own > 0.75, "{}: {own}", texts[at]);
        assert!(own > cosine(&exact[at], &bulk[other]) + 0.3);
    }
}

#[test]
fn a_text_is_near_to_a_query_when_it_says_what_each_of_its_words_means() {
    let texts = ["The hire of a car for some days", "Money goes back to the card within some days", "?!"];
    let near = Model::bundled().nearness("renting an automobile", &texts).unwrap().unwrap();
    assert!(near[0] > near[1] + 0.1 && near[1] > near[2], "{near:?}");
    let small = Model::bundled().nearness("the of", &["the of"]).unwrap().unwrap();
    assert!(small[0] > 0.9, "{small:?}");
    assert_eq!(Model::bundled().nearness("", &["a text"]).unwrap(), Some(vec![0.0]));
}

/// The bundled weights with the rows of the word table in another order: it runs, and every word means something else.
#[test]
fn a_model_with_another_vocabulary_is_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/model.onnx");
    let mut bytes = fs_err::read(path).unwrap();
    let (rows, row) = (30_522, 192);
    // The field of raw bytes, and their number in groups of seven bits.
    let field = [0x4a, 0x80, 0xd7, 0xe5, 0x02];
    let table = bytes.windows(field.len()).position(|window| window == field).unwrap() + field.len();
    bytes[table..table + rows * row].rotate_left(1_000 * row);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    fs_err::write(&path, bytes).unwrap();
    let Err(ModelError::Unusable { reason }) = Model::from_file(&path) else { panic!("it was taken") };
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
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/model.onnx");
    let mut bytes = fs_err::read(path).unwrap();
    let (known, other) = (b"attention_mask", b"attention_mist");
    for at in 0..bytes.len() - known.len() {
        if &bytes[at..at + known.len()] == known {
            bytes[at..at + known.len()].copy_from_slice(other);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    fs_err::write(&path, bytes).unwrap();
    let Err(ModelError::Unusable { reason }) = Model::from_file(&path) else { panic!("it was taken") };
    assert_eq!(reason, "it has no input `attention_mask`");
}

const REFERENCE: [(&str, [f32; 3]); 3] = [
    (
        "A session SHALL end after `session_ttl` minutes without any request.",
        [0.046_392, 0.102_685, -0.069_088],
    ),
    ("how long do buyers have to send something back", [-0.025_149, 0.049_430, 0.000_883]),
    ("検索 naïve 🚢", [0.022_522, 0.109_176, -0.046_430]),
];
