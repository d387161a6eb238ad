//! From the tree into a type. Serde's own way from a tree accepts a type in every form it may have, which makes
//! code for each of them and each type; the server writes one.

use std::vec;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Unreadable, tree::Node};

impl Error for Unreadable {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Methods for which there is nothing to choose.
macro_rules! by_whole_number {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            match self {
                Self::Whole(number) => visitor.visit_i64(number),
                _ => Err(Unreadable),
            }
        })*
    };
}
macro_rules! by_text {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            match self {
                Self::Text(text) => visitor.visit_string(text),
                _ => Err(Unreadable),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Node {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(is) => visitor.visit_bool(is),
            Self::Whole(number) => visitor.visit_i64(number),
            Self::Text(text) => visitor.visit_string(text),
            Self::List(list) => visitor.visit_seq(List(list.into_iter())),
            Self::Map(map) => visitor.visit_map(Map::of(map)),
        }
    }

    by_whole_number! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    by_text! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::Bool(is) => visitor.visit_bool(is),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::Null => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::Null => visitor.visit_unit(),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::List(list) => visitor.visit_seq(List(list.into_iter())),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self {
            Self::Map(map) => visitor.visit_map(Map::of(map)),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_enum(Chosen::of(self)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { f32 f64 bytes byte_buf }
}

struct List(vec::IntoIter<Node>);

impl<'de> SeqAccess<'de> for List {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Unreadable> {
        match self.0.next() {
            Some(node) => seed.deserialize(node).map(Some),
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Map {
    entries: vec::IntoIter<(String, Node)>,
    value: Node,
}

impl Map {
    fn of(map: Vec<(String, Node)>) -> Self {
        Self {
            entries: map.into_iter(),
            value: Node::Null,
        }
    }

    /// The next key. Not in the generic code around it, of which there is one for each type.
    fn key(&mut self) -> Option<Node> {
        let (key, value) = self.entries.next()?;
        self.value = value;
        Some(Node::Text(key))
    }
}

impl<'de> MapAccess<'de> for Map {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Unreadable> {
        match self.key() {
            Some(key) => seed.deserialize(key).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, Unreadable> {
        seed.deserialize(std::mem::replace(&mut self.value, Node::Null))
    }
}

/// A variant and what it holds.
struct Chosen {
    name: String,
    content: Node,
}

impl Chosen {
    /// As [`Map::key`], this stands once for all types.
    fn of(node: Node) -> Result<Self, Unreadable> {
        match node {
            Node::Text(name) => Ok(Self {
                name,
                content: Node::Null,
            }),
            Node::Map(map) => {
                let mut entries = map.into_iter();
                match (entries.next(), entries.next()) {
                    (Some((name, content)), None) => Ok(Self { name, content }),
                    _ => Err(Unreadable),
                }
            }
            _ => Err(Unreadable),
        }
    }
}

impl<'de> EnumAccess<'de> for Chosen {
    type Error = Unreadable;
    type Variant = Node;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Node), Unreadable> {
        Ok((seed.deserialize(Node::Text(self.name))?, self.content))
    }
}

impl<'de> VariantAccess<'de> for Node {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        match self {
            Self::Null => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, Unreadable> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_map(visitor)
    }
}
