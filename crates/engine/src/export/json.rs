//! Everything as data.

use serde_json::{Value, json};

use super::Shape;
use super::collect::Collected;

pub(super) fn render(all: &Collected, shape: Shape) -> Vec<(String, String)> {
    let documents: Value =
        all.documents.iter().map(|(path, text)| (path.clone(), Value::from(text.as_str()))).collect();
    let parts: [(&str, Value); 5] = [
        ("specs", json!(all.specs)),
        ("changes", json!(all.changes)),
        ("decisions", json!(all.decisions)),
        ("documents", documents),
        ("coverage", json!(all.coverage)),
    ];
    let text = |value: &Value| serde_json::to_string_pretty(value).expect("a value is always JSON") + "\n";
    match shape {
        Shape::Tree => parts.iter().map(|(name, value)| (format!("{name}.json"), text(value))).collect(),
        Shape::One => {
            let mut whole = json!({ "version": 1, "project": all.name, "exported_at": all.at });
            for (name, value) in parts {
                whole[name] = value;
            }
            vec![("hewto.json".to_owned(), text(&whole))]
        }
    }
}
