//! How data comes from the server to the page: as JSON that is read into a tree, and from the tree into its
//! type. For every type serde makes code for each kind of input it is read from, and leptos and its server
//! functions read from two; with the tree alone the page is a fifth smaller.

mod nodes;
mod tree;

use leptos::{
    server::codee::{Decoder, Encoder},
    server_fn::{
        Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post,
        error::ServerFnErrorErr,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

/// JSON, read by way of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree;

/// The output of server functions: give it as their `output`.
pub type TreeJson = Post<Tree>;

/// It is no JSON, or of another type. Where and why would be more code than all that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the server's answer is not what this page reads")]
pub struct Unreadable;

/// Reads a value.
///
/// # Errors
/// When it is none of this type.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, Unreadable> {
    T::deserialize(tree::parse(json)?)
}

impl<T: Serialize> Encoder<T> for Tree {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Tree {
    type Error = Unreadable;
    type Encoded = str;

    fn decode(json: &str) -> Result<T, Unreadable> {
        read(json)
    }
}

impl ContentType for Tree {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for Tree {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for Tree {
    type Error = serde_json::Error;

    fn encode(value: &T) -> Result<Bytes, serde_json::Error> {
        serde_json::to_vec(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for Tree {
    type Error = ServerFnErrorErr;

    fn decode(json: Bytes) -> Result<T, ServerFnErrorErr> {
        let unreadable = |why: String| ServerFnErrorErr::Deserialization(why);
        let json = std::str::from_utf8(&json).map_err(|error| unreadable(error.to_string()))?;
        read(json).map_err(|error| unreadable(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::{Unreadable, read};

    #[derive(Debug, PartialEq, Deserialize)]
    enum Shape {
        Point,
        Circle(u32),
        Box { wide: i64, high: Option<i64> },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Asked { id: u64, yes: bool },
    }

    #[test]
    fn what_serde_writes_is_read() {
        let shapes =
            r#" ["Point", {"Circle": 7}, {"Box": {"high": null, "wide": -2, "deep": [1]}}] "#;
        let read_shapes: Vec<Shape> = read(shapes).unwrap();
        let boxed = Shape::Box {
            wide: -2,
            high: None,
        };
        assert_eq!(read_shapes, [Shape::Point, Shape::Circle(7), boxed]);
        let asked = Tagged::Asked { id: 3, yes: true };
        assert_eq!(read(r#"{"yes":true,"id":3,"kind":"Asked"}"#), Ok(asked));
        assert_eq!(read("{}"), Ok(BTreeMap::<String, ()>::new()));
        assert_eq!(read("[]"), Ok(Vec::<u8>::new()));
        assert_eq!(
            read(r#"[[1,"a"],[2,"b"]]"#),
            Ok(vec![(1_u8, 'a'), (2, 'b')])
        );
    }

    #[test]
    fn texts_come_through_unharmed() {
        for text in [
            "",
            "\"\\/\u{8}\u{c}\n\r\t",
            "\u{0}\u{1f}",
            "Zoë 🙋 \u{202e}",
        ] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(read(&json), Ok(text.to_owned()), "{json}");
        }
        assert_eq!(read(r#""\ud83d\ude4b\u00eb""#), Ok("🙋ë".to_owned()));
    }

    #[test]
    fn what_is_none_is_refused() {
        for json in [
            "",
            "nul",
            "1 2",
            "[1,]",
            "[1",
            "{\"a\"}",
            "{,}",
            "\"",
            r#""\ud83d""#,
            r#""\x""#,
            "1.5",
            "-",
            "+",
            "99999999999999999999",
        ] {
            assert_eq!(
                read::<serde::de::IgnoredAny>(json).err(),
                Some(Unreadable),
                "{json}"
            );
        }
        assert_eq!(read::<u8>("256"), Err(Unreadable));
        assert_eq!(read::<String>("null"), Err(Unreadable));
        let deep = "[".repeat(100_000);
        assert!(read::<serde::de::IgnoredAny>(&deep).is_err());
    }
}
