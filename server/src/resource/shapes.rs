//! What the schemas are made of. Sizes come from `domain::limits`, names from the enums: what is enforced is
//! what is said.

use std::ops::RangeInclusive;

use serde_json::Value;
use utoipa::openapi::{
    KnownFormat, ObjectBuilder, Ref, RefOr, Schema, SchemaFormat, Type,
    schema::{
        AdditionalProperties, AllOfBuilder, AnyOfBuilder, ArrayBuilder, OneOfBuilder, SchemaType,
    },
};

/// Of what is not control, white space or invisible, as far as two bytes of UTF-16 reach.
const VISIBLE: &str = r"[^\s\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]";
const NO_CONTROL: &str = r"[^\u0000-\u001f\u007f-\u009f]";

/// Types that stand in the document and nowhere else: the macros of utoipa take types, and `domain` does not
/// know utoipa.
macro_rules! shapes {
    ($($(#[doc = $doc:literal])* $name:ident = $schema:expr;)*) => {$(
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::resource::shapes::described($schema, concat!($($doc, "\n"),*))
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}
pub(crate) use shapes;

/// One field of an object.
pub(crate) struct Field {
    name: &'static str,
    schema: RefOr<Schema>,
    required: bool,
}

/// A field that has to be there.
pub(crate) fn must(name: &'static str, schema: impl Into<RefOr<Schema>>) -> Field {
    Field {
        name,
        schema: schema.into(),
        required: true,
    }
}

/// A field that may be absent, or `null`, which is the same.
pub(crate) fn may(name: &'static str, schema: impl Into<RefOr<Schema>>) -> Field {
    Field {
        required: false,
        ..must(name, or_null(schema))
    }
}

/// A field that may be absent but not `null`.
pub(crate) fn may_not_null(name: &'static str, schema: impl Into<RefOr<Schema>>) -> Field {
    Field {
        required: false,
        ..must(name, schema)
    }
}

/// What clients send: unknown fields are refused.
pub(crate) fn sent(fields: impl IntoIterator<Item = Field>) -> ObjectBuilder {
    returned(fields).additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)))
}

/// What the server returns, which may have more fields one day.
pub(crate) fn returned(fields: impl IntoIterator<Item = Field>) -> ObjectBuilder {
    fields
        .into_iter()
        .fold(ObjectBuilder::new(), |object, field| {
            let object = object.property(field.name, field.schema);
            match field.required {
                true => object.required(field.name),
                false => object,
            }
        })
}

/// The same object, which may also have the fields of its siblings as long as they are `null`: that is as good as
/// absent, and what typed clients send.
pub(crate) fn with_nulls(object: ObjectBuilder, fields: &[&str]) -> ObjectBuilder {
    let mut object = object.build();
    for name in fields {
        let field = object.properties.entry((*name).to_owned());
        field.or_insert_with(|| null().into());
    }
    object.into()
}

/// An object of any content.
pub(crate) fn any_object() -> ObjectBuilder {
    ObjectBuilder::new().additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
}

/// An object of any keys, with values of one schema.
pub(crate) fn map_of(values: impl Into<RefOr<Schema>>) -> ObjectBuilder {
    ObjectBuilder::new().additional_properties(Some(AdditionalProperties::RefOr(values.into())))
}

pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

pub(crate) fn boolean() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

pub(crate) fn null() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Null)
}

pub(crate) fn whole(range: RangeInclusive<i64>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(*range.start()))
        .maximum(Some(*range.end()))
}

pub(crate) fn id() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
}

pub(crate) fn time() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

pub(crate) fn uri() -> ObjectBuilder {
    string().format(Some(SchemaFormat::Custom("uri".to_owned())))
}

/// One of these strings.
pub(crate) fn one_of(names: impl IntoIterator<Item = impl Into<Value>>) -> ObjectBuilder {
    string().enum_values(Some(names))
}

/// Text that may have many lines, or none.
pub(crate) fn text(max: usize) -> ObjectBuilder {
    string().max_length(Some(max))
}

/// `Faults::text`: there is something to see.
pub(crate) fn visible_text(max: usize) -> ObjectBuilder {
    text(max).min_length(Some(1)).pattern(Some(VISIBLE))
}

/// `Faults::line`: one line with something to see.
pub(crate) fn line(max: usize) -> ObjectBuilder {
    let pattern = format!("^{NO_CONTROL}*{VISIBLE}{NO_CONTROL}*$");
    text(max).min_length(Some(1)).pattern(Some(pattern))
}

pub(crate) fn list_of(items: impl Into<RefOr<Schema>>) -> ArrayBuilder {
    ArrayBuilder::new().items(items.into())
}

pub(crate) fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

/// Exactly one of these.
pub(crate) fn either(schemas: impl IntoIterator<Item = RefOr<Schema>>) -> OneOfBuilder {
    schemas
        .into_iter()
        .fold(OneOfBuilder::new(), OneOfBuilder::item)
}

/// At least one of these.
pub(crate) fn any_of(schemas: impl IntoIterator<Item = RefOr<Schema>>) -> AnyOfBuilder {
    schemas
        .into_iter()
        .fold(AnyOfBuilder::new(), AnyOfBuilder::item)
}

/// All of these at once.
pub(crate) fn all_of(schemas: impl IntoIterator<Item = RefOr<Schema>>) -> AllOfBuilder {
    schemas
        .into_iter()
        .fold(AllOfBuilder::new(), AllOfBuilder::item)
}

/// Or `null`.
pub(crate) fn or_null(schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let or_null = |kind: &mut SchemaType| {
        if let SchemaType::Type(only) = kind {
            *kind = SchemaType::from_iter([only.clone(), Type::Null]);
        }
    };
    let mut schema = schema.into();
    match &mut schema {
        RefOr::T(Schema::Object(object)) => {
            or_null(&mut object.schema_type);
            if let Some(values) = &mut object.enum_values {
                values.push(Value::Null);
            }
            schema
        }
        RefOr::T(Schema::Array(array)) => {
            or_null(&mut array.schema_type);
            schema
        }
        RefOr::T(Schema::OneOf(one_of)) => {
            one_of.items.push(null().into());
            schema
        }
        RefOr::T(_) | RefOr::Ref(_) => either([schema, null().into()]).into(),
    }
}

/// With a description, unless it has one.
pub(crate) fn described(schema: impl Into<RefOr<Schema>>, text: &str) -> RefOr<Schema> {
    let mut schema = schema.into();
    let place = match &mut schema {
        RefOr::T(Schema::Object(object)) => &mut object.description,
        RefOr::T(Schema::Array(array)) => &mut array.description,
        RefOr::T(Schema::OneOf(one_of)) => &mut one_of.description,
        RefOr::T(Schema::AnyOf(any_of)) => &mut any_of.description,
        RefOr::T(Schema::AllOf(all_of)) => &mut all_of.description,
        RefOr::T(_) | RefOr::Ref(_) => return schema,
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    place.get_or_insert_with(|| lines.join(" ").trim().to_owned());
    schema
}

/// Whether it takes `null` by itself.
pub(crate) fn may_be_null(schema: &RefOr<Schema>) -> bool {
    let is_null = |kind: &SchemaType| match kind {
        SchemaType::Type(only) => *only == Type::Null,
        SchemaType::Array(several) => several.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match schema {
        RefOr::T(Schema::Object(object)) => is_null(&object.schema_type),
        RefOr::T(Schema::Array(array)) => is_null(&array.schema_type),
        RefOr::T(Schema::OneOf(one_of)) => one_of.items.iter().any(may_be_null),
        RefOr::T(_) | RefOr::Ref(_) => false,
    }
}

/// The same without `null`.
pub(crate) fn without_null(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            if let SchemaType::Array(several) = &mut object.schema_type {
                several.retain(|one| *one != Type::Null);
                if let [only] = &several[..] {
                    object.schema_type = SchemaType::Type(only.clone());
                }
            }
        }
        RefOr::T(Schema::OneOf(one_of)) => {
            one_of.items.retain(|item| !may_be_null(item));
            if one_of.items.len() == 1
                && let Some(only) = one_of.items.pop()
            {
                *schema = only;
            }
        }
        RefOr::T(_) | RefOr::Ref(_) => {}
    }
}
