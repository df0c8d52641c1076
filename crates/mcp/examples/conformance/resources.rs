//! The suite's resources.

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceTemplate};
use serde_json::json;

use crate::tools::PNG;
use crate::{from, result};

pub(crate) fn list() -> Vec<Resource> {
    let resource = |uri: &str, mime_type: &str| -> Resource {
        from(
            json!({ "uri": uri, "name": uri, "description": format!("Fixture `{uri}`"), "mimeType": mime_type }),
        )
    };
    vec![
        resource("test://static-binary", "image/png"),
        resource("test://static-text", "text/plain"),
        resource("test://watched-resource", "text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![from(json!({ "uriTemplate": "test://template/{id}/data", "name": "template",
        "description": "Fixture with a parameter", "mimeType": "application/json" }))]
}

pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let content = match (uri, id) {
        ("test://static-text", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        ("test://watched-resource", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "Watched" })
        }
        (_, Some(id)) => {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
        _ => return Err(ErrorData::resource_not_found("no such resource", Some(json!({ "uri": uri })))),
    };
    Ok(result(json!({ "contents": [content] })))
}
