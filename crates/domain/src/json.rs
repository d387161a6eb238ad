//! JSON from outside: of any shape but bounded depth, or an object and nothing else.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor,
        value::MapAccessDeserializer,
    },
};
use serde_json::{Map, Number, Value};

use crate::limits;

/// A value an agent sent. Reading it stops at [`limits::JSON_DEPTH`], so that a value that wraps it
/// later (an event, a page) can still be read back; and it reads every key as a key, where
/// [`serde_json::Value`] gives some keys a meaning of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct AnyJson(pub Value);

impl AnyJson {
    /// How many values it holds, itself, each element and each member counted.
    pub fn values(&self) -> usize {
        values(&self.0)
    }
}

fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(elements) => elements.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// How many values a JSON text holds at most, before anything of it is read: characters inside its texts do not
/// count.
pub fn values_at_most(json: &[u8]) -> usize {
    let mut count = 1;
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}

impl<'de> Deserialize<'de> for AnyJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Bounded {
            left: limits::JSON_DEPTH,
        }
        .deserialize(deserializer)
        .map(Self)
    }
}

#[derive(Clone, Copy)]
struct Bounded {
    left: usize,
}

impl Bounded {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left }),
            None => Err(E::custom(format_args!(
                "nested more than {} levels deep",
                limits::JSON_DEPTH
            ))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Bounded {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(inner)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut values = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(inner)?;
            if values.contains_key(&key) {
                return Err(stands_twice(&key));
            }
            values.insert(key, value);
        }
        Ok(Value::Object(values))
    }
}

/// A value with fields, read from an object only. By itself serde takes the fields from an array as well,
/// in the order of the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Object)
    }
}

/// A whole number, however it is written: in JSON `60` and `60.0` are the same, and some languages write
/// the second.
pub(crate) struct Whole(pub(crate) i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

/// A whole number, `60` or `60.0`.
///
/// # Errors
/// When it is none.
pub fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let Whole(number) = Whole::deserialize(from)?;
    Ok(number)
}

/// The same where it may be absent, or `null`.
///
/// # Errors
/// When it is something else.
pub fn some_whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let number: Option<Whole> = Option::deserialize(from)?;
    Ok(number.map(|Whole(number)| number))
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E>(self, value: i64) -> Result<Whole, E> {
        Ok(Whole(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
        let whole = i64::try_from(value);
        let unexpected = |_| E::invalid_value(Unexpected::Unsigned(value), &self);
        whole.map(Whole).map_err(unexpected)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
        // A double without a fraction is written as an integer is.
        let whole = format!("{value}").parse();
        let unexpected = |_| E::invalid_value(Unexpected::Float(value), &self);
        whole.map(Whole).map_err(unexpected)
    }
}

/// Reads a map in which every key stands once.
///
/// # Errors
/// When a key stands twice: parsers disagree on which of the two counts.
pub fn each_key_once<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(OnceVisitor(PhantomData))
}

struct OnceVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for OnceVisitor<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut values = BTreeMap::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value()?;
            if values.contains_key(&key) {
                return Err(stands_twice(&key));
            }
            values.insert(key, value);
        }
        Ok(values)
    }
}

fn stands_twice<E: Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` stands twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_before_and_after_reading() {
        for (text, count) in [
            ("0", 1),
            ("[]", 1),
            ("[0,0]", 3),
            (r#"{"a":{"b":[1,"x,[{"]}}"#, 5),
            (r#"{"a\",":"\\","b":null}"#, 3),
        ] {
            let read: AnyJson = serde_json::from_str(text).unwrap();
            assert_eq!(read.values(), count, "{text}");
            let most = values_at_most(text.as_bytes());
            assert!((count..=2 * count).contains(&most), "{text}: {most}");
        }
    }

    #[test]
    fn values_come_back_as_they_are() {
        let text = r#"{"a":[1,-2,2.5,null,true,"x"],"b":{}}"#;
        let read: AnyJson = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        for (written, whole) in [
            ("60", Some(60)),
            ("60.0", Some(60)),
            ("6e1", Some(60)),
            ("-0.0", Some(0)),
            ("60.5", None),
            ("1e300", None),
            ("18446744073709551615", None),
            ("\"60\"", None),
            ("true", None),
        ] {
            let read = serde_json::from_str(written).ok();
            assert_eq!(read.map(|Whole(read)| read), whole, "{written}");
        }
    }

    #[test]
    fn a_key_stands_once() {
        assert!(serde_json::from_str::<AnyJson>(r#"{"a":{"b":1,"b":1}}"#).is_err());
    }

    #[test]
    fn depth_is_bounded_however_it_is_written() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(serde_json::from_str::<AnyJson>(&nested(limits::JSON_DEPTH)).is_ok());
        assert!(serde_json::from_str::<AnyJson>(&nested(limits::JSON_DEPTH + 1)).is_err());
        // serde_json reads the string under this key as JSON, from scratch, when asked for a `Value`.
        let hidden = format!(
            r#"{{"$serde_json::private::RawValue":"{}"}}"#,
            nested(limits::JSON_DEPTH)
        );
        let read: AnyJson = serde_json::from_str(&hidden).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), hidden);
    }
}
