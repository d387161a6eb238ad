//! Whether a value fits a JSON Schema.

use anyhow::{Context, bail};
use jsonschema::PatternOptions;
use serde_json::Value;

/// Says the first thing that does not.
///
/// # Errors
/// That, or a schema that cannot be read. None is fetched from elsewhere.
pub(super) fn check(schema: &Value, value: &Value) -> anyhow::Result<()> {
    let reading = jsonschema::options()
        .offline()
        .should_validate_formats(true)
        // No pattern of a server's stalls this engine.
        .with_pattern_options(PatternOptions::regex())
        .build(schema);
    let schema = reading.map_err(|error| anyhow::anyhow!("{error}"));
    let schema = schema.context("the schema cannot be checked")?;
    if let Some(fault) = schema.iter_errors(value).next() {
        let path = fault.instance_path().to_string();
        match path.is_empty() {
            true => bail!("{fault}"),
            false => bail!("{path}: {fault}"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {
            "n": {"type": "integer", "maximum": 3}, "mail": {"type": "string", "format": "email"},
        }});
        let fault = |value: Value| check(&schema, &value).unwrap_err().to_string();
        assert!(check(&schema, &json!({"n": 3})).is_ok());
        assert!(fault(json!({"n": 4})).starts_with("/n: "));
        assert!(fault(json!({"n": 1, "mail": "x"})).starts_with("/mail: "));
        assert!(fault(json!({})).contains("required"));
    }

    #[test]
    fn what_cannot_be_checked_does_not_fit() {
        for schema in [
            json!({"$ref": "https://example.com/other.json"}),
            json!({"type": "no such type"}),
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
        ] {
            assert!(check(&schema, &json!({})).is_err(), "{schema}");
        }
    }
}
