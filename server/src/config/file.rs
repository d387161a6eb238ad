//! Settings in TOML, each with its line.

use std::{path::PathBuf, sync::Arc};

use serde::Deserialize;
use toml::{
    Spanned, Value,
    de::{DeTable, DeValue, ValueDeserializer},
};

use super::fault::{Fault, Origin};

/// One setting as one place says it.
#[derive(Clone)]
pub(super) struct Entry {
    /// Sections and name, joined by dots.
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// Every setting in the text, in its order.
///
/// # Errors
/// When it is not TOML. The fault never repeats the line, which may hold a secret.
pub(super) fn read(text: &str, file: PathBuf) -> Result<Vec<Entry>, Fault> {
    let file = Arc::new(file);
    let at = |position: usize| {
        let line = text
            .bytes()
            .take(position)
            .filter(|byte| *byte == b'\n')
            .count()
            + 1;
        Origin::File(Arc::clone(&file), line)
    };
    let unreadable = |error: toml::de::Error| Fault {
        origin: at(error.span().map_or(0, |span| span.start)),
        what: format!("this is not TOML: {}", error.message().replace('\n', ", ")),
    };
    let mut found = Vec::new();
    let table = DeTable::parse(text).map_err(unreadable)?;
    collect("", table.into_inner(), &mut found);
    found.sort_by_key(|(_, position, _)| *position);
    found
        .into_iter()
        .map(|(key, position, value)| {
            let value = Value::deserialize(ValueDeserializer::from(value)).map_err(unreadable)?;
            let origin = at(position);
            Ok(Entry { key, value, origin })
        })
        .collect()
}

type Found<'a> = (String, usize, Spanned<DeValue<'a>>);

/// A key in a section comes out by itself; an empty section comes out as one.
fn collect<'a>(section: &str, table: DeTable<'a>, found: &mut Vec<Found<'a>>) {
    for (name, value) in table {
        let position = name.span().start;
        let key = match section {
            "" => name.into_inner().into_owned(),
            section => format!("{section}.{}", name.get_ref()),
        };
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(inner) if !inner.is_empty() => collect(&key, inner, found),
            value => found.push((key, position, Spanned::new(span, value))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_line() {
        let text =
            "# first\naddr = 'a'\n\ntimeout.form = 5\n[more]\n[log]\n\nlevel = [\n1]\nname = 2\n";
        let found: Vec<String> = read(text, "h.toml".into())
            .unwrap_or_default()
            .iter()
            .map(|entry| format!("{} {} {}", entry.origin, entry.key, entry.value))
            .collect();
        assert_eq!(
            found,
            [
                "h.toml:2 addr \"a\"",
                "h.toml:4 timeout.form 5",
                "h.toml:5 more {}",
                "h.toml:8 log.level [1]",
                "h.toml:10 log.name 2",
            ]
        );
    }

    #[test]
    fn what_is_not_toml_is_named_by_its_line_and_not_repeated() {
        for (text, line) in [
            ("addr = 'a'\ndatabase_url = postgres://u:secret@h/d\n", 2),
            ("\n\ndatabase_url = 'postgres://u:secret@h/d\n", 3),
            ("secret\n", 1),
            ("a = 1\nsecret = 1\nsecret = 1\n", 3),
            ("a = 'secret' secret\n", 1),
            ("a = \"\"\"secret", 1),
            ("a = 99999999999999999999\n", 1),
            ("[secret\n", 1),
        ] {
            let fault = read(text, "h.toml".into()).err().expect(text);
            let said = fault.to_string();
            assert!(
                said.starts_with(&format!("h.toml:{line}: this is not TOML: ")),
                "{said}"
            );
            assert!(!said.contains("secret"), "{said}");
            assert!(!said.contains('\n'), "{said}");
        }
    }
}
