//! What the description of the API says of a call.

use serde_json::Value;
use server::api::openapi;

pub(crate) fn document() -> Value {
    serde_json::from_str(openapi::json()).unwrap()
}

/// Whether a call may be answered like this, by what the document says. `code` is that of a problem.
pub(crate) fn allows(method: &str, path: &str, status: u16, code: Option<&str>) -> bool {
    let document = document();
    let path = path.split('?').next().unwrap();
    let paths = document["paths"].as_object().unwrap();
    let is_this = |template: &str| {
        let (asked, described) = (path.split('/'), template.split('/'));
        asked.clone().count() == described.clone().count()
            && asked
                .zip(described)
                .all(|(a, d)| a == d || d.starts_with('{'))
    };
    // `/hooks/sample` before `/hooks/{id}`.
    let item = paths.get(path).or_else(|| {
        let mut found = paths.iter().filter(|(template, _)| is_this(template));
        found.next().map(|(_, item)| item)
    });
    let Some(item) = item else { return false };
    let response = &item[method.to_lowercase()]["responses"][status.to_string()];
    let Some(code) = code else {
        return response.is_object();
    };
    let name = response["$ref"].as_str().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap();
    name.split("_or_").any(|described| described == code)
}
