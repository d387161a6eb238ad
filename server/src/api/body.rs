//! A JSON body, with the place of whatever is wrong with it.

use axum::{
    body::to_bytes,
    extract::{FromRequest, Request},
    http::header,
};
use domain::{Fault, json::values_at_most, limits};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::{body::why_unread, problem::Problem};

/// The body of a request, read as `T`.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(&request) {
            return Err(Problem::unsupported_media_type());
        }
        let bytes = to_bytes(request.into_body(), limits::BODY_BYTES)
            .await
            .map_err(|error| why_unread(&error))?;
        read(&bytes).map(Self)
    }
}

fn is_json(request: &Request) -> bool {
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let essence = content_type
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(|essence| essence.trim().to_ascii_lowercase());
    essence.is_some_and(|essence| {
        essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"))
    })
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // serde would take the fields of an object from an array, in the order of the code.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(bytes).map_err(Problem::unreadable)?;
        return Err(Problem::invalid(vec![Fault::new("$", "must be an object")]));
    }
    // Before any of it is in memory, where it takes far more room.
    if values_at_most(bytes) > limits::BODY_VALUES {
        return Err(Problem::too_many_values());
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = match error.path().to_string() {
            whole if whole == "." => "$".to_owned(),
            path => path,
        };
        let cause = error.into_inner();
        // To serde an object without a member is no JSON where one of several is to be named.
        if cause.is_data() || serde_json::from_slice::<serde_json::Value>(bytes).is_ok() {
            Problem::invalid(vec![Fault::new(path, without_place(&cause))])
        } else {
            Problem::unreadable(cause)
        }
    })?;
    json.end().map_err(Problem::unreadable)?;
    Ok(value)
}

/// The path says where; line and column of a generated body help nobody.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use domain::interaction::Draft;

    use super::*;

    fn fault(json: &str) -> (u16, String) {
        let problem = read::<Draft>(json.as_bytes()).unwrap_err();
        let shown = serde_json::to_value(&problem).unwrap();
        (
            problem.status().as_u16(),
            format!(
                "{}: {}",
                shown["errors"][0]["path"].as_str().unwrap(),
                shown["errors"][0]["message"].as_str().unwrap()
            ),
        )
    }

    #[test]
    fn a_fault_has_its_path() {
        for (json, status, start) in [
            (r#"{"kind": 1}"#, 422, "kind: invalid type"),
            (r#"{"": 1}"#, 422, "$: unknown field ``"),
            (r#"{"colour": 1}"#, 422, "colour: unknown field `colour`"),
            (
                r#"{"task": {"id": "1", "x": 1}}"#,
                422,
                "task.x: unknown field `x`",
            ),
            (r#"{"task": {}}"#, 422, "task: missing field `id`"),
            (r#"{"mode": "maybe"}"#, 422, "mode: unknown variant"),
            (
                r#"{"action": ["t", {}]}"#,
                422,
                "action: invalid type: sequence, expected an object",
            ),
            (
                r#"{"questions": [{"id": "q", "prompt": "?"}, ["q", "?"]]}"#,
                422,
                "questions[1]: invalid type: sequence, expected an object",
            ),
            (
                r#"{"options": ["a", ["b", "B", null]]}"#,
                422,
                "options[1]: invalid type: sequence, expected a string, or an object",
            ),
            (r#"[]"#, 422, "$: must be an object"),
            ("null", 422, "$: must be an object"),
            (r#"{"kind": "#, 400, "$: EOF"),
            (r#"{} {}"#, 400, "$: trailing characters"),
            ("", 400, "$: EOF"),
        ] {
            let (found, text) = fault(json);
            assert_eq!(found, status, "{json}: {text}");
            assert!(text.starts_with(start), "{json}: {text}");
        }
    }

    #[test]
    fn an_object_that_names_nothing_is_json() {
        for (json, status) in [(r#"{"matcher": {}}"#, 422), (r#"{"matcher": {"#, 400)] {
            let refused = read::<domain::grant::GrantDraft>(json.as_bytes()).unwrap_err();
            assert_eq!(refused.status().as_u16(), status, "{json}");
        }
    }
}
