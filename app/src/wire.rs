//! How data comes from the server to the page: as JSON that is read into a tree, and from the tree into its
//! type. For every type serde makes code for each kind of input it is read from, and leptos and its server
//! functions read from two; with the tree alone the page is a fifth smaller.

use leptos::{
    server::codee::{Decoder, Encoder},
    server_fn::{
        Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post,
        error::ServerFnErrorErr,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// JSON, read by way of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree;

/// The output of server functions: give it as their `output`.
pub type TreeJson = Post<Tree>;

/// Reads a value.
///
/// # Errors
/// When it is none of this type.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, serde_json::Error> {
    let tree: Value = serde_json::from_str(json)?;
    serde_json::from_value(tree)
}

impl<T: Serialize> Encoder<T> for Tree {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Tree {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(json: &str) -> Result<T, serde_json::Error> {
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
