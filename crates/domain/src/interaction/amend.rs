//! An approval may let its arguments be changed: the agent says so when it asks, and where.

use std::{borrow::Cow, ops::ControlFlow};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{action, action::Action, flat_schema::FlatSchema};
use crate::{fault::Faults, json::AnyJson, limits};

/// What of an action's arguments a person may change before they approve it. Everything, where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendable {
    /// Only what stands there or below: JSON Pointers (RFC 6901) into the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// The flat JSON Schema that changed arguments have to fit. Without `paths`, only what it names may be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<AnyJson>,
}

/// Changed arguments, and the digest of the action with them: that one is approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amended {
    /// All of them, not only those that differ.
    pub arguments: AnyJson,
    /// See [`Action::digest`].
    pub digest: String,
}

/// How many of the places that may not be changed a refusal names.
const NAMED: usize = 20;

impl Amendable {
    /// Reads `amendable` as it was sent: `true`, `false`, or an object with `paths`, `schema` or both. `None` for `false`,
    /// and where a fault says why.
    pub(super) fn read(sent: AnyJson, action: &Action, faults: &mut Faults) -> Option<Self> {
        let AnyJson(sent) = sent;
        let wrong = "must be true, false, or an object with `paths`, `schema` or both";
        let amendable = match sent {
            Value::Bool(false) => return None,
            Value::Bool(true) => Self::default(),
            Value::Object(fields) if !fields.is_empty() => Self::from_fields(fields, faults)?,
            _ => {
                faults.add("amendable", wrong);
                return None;
            }
        };
        if !action.operands.is_empty() {
            faults.add(
                "amendable",
                "an action with operands cannot be amended: they are what these very arguments refer to",
            );
        }
        amendable.check_asked(action, faults);
        Some(amendable)
    }

    fn from_fields(mut fields: Map<String, Value>, faults: &mut Faults) -> Option<Self> {
        let (paths, schema) = (fields.remove("paths"), fields.remove("schema"));
        if let Some((name, _)) = fields.iter().next() {
            faults.add(&format!("amendable.{name}"), "is not known here");
            return None;
        }
        let paths = match paths {
            None => None,
            Some(paths) => match serde_json::from_value::<Vec<String>>(paths) {
                Ok(paths) => Some(paths),
                Err(_) => {
                    faults.add("amendable.paths", "must be a list of JSON Pointers");
                    return None;
                }
            },
        };
        Some(Self {
            paths,
            schema: schema.map(AnyJson),
        })
    }

    /// The arguments as asked fit what is asked for, so that a person who changes nothing approves nothing that is refused.
    fn check_asked(&self, action: &Action, faults: &mut Faults) {
        let schema = match &self.schema {
            None => None,
            Some(AnyJson(schema)) => match FlatSchema::read(schema, "amendable.schema", faults) {
                Some(schema) => Some(schema),
                None => return,
            },
        };
        if let Some(paths) = &self.paths {
            check_paths(paths, action, schema.as_ref(), faults);
        }
        if let Some(schema) = schema {
            let mut own = Faults::default();
            schema.check(&action.arguments.0, "action.arguments", &mut own);
            for fault in own.into_result(()).err().unwrap_or_default() {
                let message = format!("{}, by the schema of `amendable`", fault.message);
                faults.add(&fault.path, message);
            }
        }
    }

    /// The schema, for a form and for checking. `None` where there is none; one that was stored is readable.
    pub fn flat_schema(&self) -> Option<FlatSchema> {
        let AnyJson(schema) = self.schema.as_ref()?;
        FlatSchema::read(schema, "schema", &mut Faults::default())
    }

    /// As it was sent.
    pub fn as_sent(&self) -> Value {
        match (&self.paths, &self.schema) {
            (None, None) => Value::Bool(true),
            (Some(paths), None) => json!({ "paths": paths }),
            (None, Some(AnyJson(schema))) => json!({ "schema": schema }),
            (Some(paths), Some(AnyJson(schema))) => json!({ "paths": paths, "schema": schema }),
        }
    }

    /// The amendment of an action by these arguments. `None` when they are as asked, or a fault says why not.
    pub(super) fn amend(
        &self,
        action: &Action,
        arguments: AnyJson,
        faults: &mut Faults,
    ) -> Option<Amended> {
        let mut own = Faults::default();
        action::check_arguments(&arguments, "arguments", &mut own);
        let bytes = arguments.0.to_string().len();
        if bytes > limits::BODY_BYTES {
            let most = limits::BODY_BYTES;
            own.add(
                "arguments",
                format!("has {bytes} bytes, at most {most} are allowed"),
            );
        }
        let schema = match &self.schema {
            None => None,
            Some(AnyJson(schema)) => match FlatSchema::read(schema, "schema", &mut own) {
                Some(schema) => Some(schema),
                None => {
                    faults.add("arguments", "the schema they have to fit cannot be read");
                    return None;
                }
            },
        };
        let changes = changes(&action.arguments.0, &arguments.0);
        if changes.more {
            let most = limits::AMENDED_PLACES;
            let why = format!(
                "differ at more places than can be shown: at most {most}, with short names"
            );
            own.add("arguments", why);
        }
        let paths = self.paths.as_ref().map(|paths| {
            let paths = paths.iter().filter_map(|path| names(path));
            paths.collect::<Vec<_>>()
        });
        let foreign = changes
            .places
            .iter()
            .filter(|change| !allows(paths.as_deref(), schema.as_ref(), &change.place));
        for change in foreign.take(NAMED) {
            own.add(
                &place("arguments", &change.place),
                "may not be changed: the agent said what of its action may be",
            );
        }
        if let Some(schema) = &schema {
            schema.check(&arguments.0, "arguments", &mut own);
        }
        if let Err(found) = own.into_result(()) {
            for fault in found {
                faults.add(&fault.path, fault.message);
            }
            return None;
        }
        let amended = Action {
            arguments,
            ..action.clone()
        };
        match (amended.digest(), action.digest()) {
            (Ok(digest), Ok(asked)) if digest == asked => None,
            (Ok(digest), Ok(_)) => Some(Amended {
                arguments: amended.arguments,
                digest,
            }),
            (Err(error), _) | (_, Err(error)) => {
                faults.add("arguments", error.to_string());
                None
            }
        }
    }
}

/// Whether what stands at this place may be another than was asked.
fn allows(
    paths: Option<&[Vec<String>]>,
    schema: Option<&FlatSchema>,
    place: &[Cow<'_, str>],
) -> bool {
    let is_below = |path: &Vec<String>| {
        path.len() <= place.len() && path.iter().zip(place).all(|(name, at)| name == at)
    };
    match (paths, schema) {
        (Some(paths), _) => paths.iter().any(is_below),
        (None, Some(schema)) => place.first().is_some_and(|name| schema.names(name)),
        (None, None) => true,
    }
}

fn check_paths(
    paths: &[String],
    action: &Action,
    schema: Option<&FlatSchema>,
    faults: &mut Faults,
) {
    let most = limits::AMENDABLE_PATHS;
    if paths.is_empty() || paths.len() > most {
        let why = format!("must name 1 to {most} places; for all of them say true");
        faults.add("amendable.paths", why);
    }
    for (n, path) in paths.iter().take(most).enumerate() {
        let at = format!("amendable.paths[{n}]");
        let Some(names) = names(path).filter(|names| !names.is_empty()) else {
            faults.add(
                &at,
                "must be a JSON Pointer into the arguments, as `/command`",
            );
            continue;
        };
        let is_there = action.arguments.0.pointer(path).is_some();
        let is_named = matches!(&names[..], [name] if schema.is_some_and(|it| it.names(name)));
        if !is_there && !is_named {
            faults.add(&at, "leads to nothing in the arguments of the action");
        }
        if paths.iter().take(n).any(|other| other == path) {
            faults.add(&at, "stands twice");
        }
    }
}

/// The names that a JSON Pointer leads by; `None` if it is none.
fn names(pointer: &str) -> Option<Vec<String>> {
    let mut names = pointer.split('/');
    if !names.next()?.is_empty() {
        return None;
    }
    names.map(unescaped).collect()
}

fn unescaped(name: &str) -> Option<String> {
    let mut plain = String::with_capacity(name.len());
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        match c {
            '~' => plain.push(match rest.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// A place at which two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'a> {
    /// The names that lead there, from the outermost in.
    pub place: Vec<Cow<'a, str>>,
    /// What was there, if anything was.
    pub was: Option<&'a Value>,
    /// What is, if anything is.
    pub is: Option<&'a Value>,
}

/// Where two values differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences<'a> {
    /// The first of the places.
    pub places: Vec<Difference<'a>>,
    /// Whether there are more than one may read.
    pub more: bool,
}

/// The places at which two values differ, each as deep as both go: a list counts as one value where its length differs. Only
/// so many as an amendment may have: there may be thousands, each as deep as its names are long.
pub fn changes<'a>(asked: &'a Value, amended: &'a Value) -> Differences<'a> {
    let mut search = Search {
        at: Vec::new(),
        names: 0,
        found: Differences::default(),
    };
    let _ = search.differ(asked, amended);
    search.found
}

struct Search<'a> {
    at: Vec<Cow<'a, str>>,
    /// How long the names of all places are that were found.
    names: usize,
    found: Differences<'a>,
}

impl<'a> Search<'a> {
    fn differ(&mut self, asked: &'a Value, amended: &'a Value) -> ControlFlow<()> {
        match (asked, amended) {
            (Value::Object(was), Value::Object(is)) => {
                let added = is.keys().filter(|name| !was.contains_key(*name));
                for name in was.keys().chain(added) {
                    self.below(Cow::Borrowed(name), was.get(name), is.get(name))?;
                }
                ControlFlow::Continue(())
            }
            (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
                for (n, (was, is)) in was.iter().zip(is).enumerate() {
                    self.below(Cow::Owned(n.to_string()), Some(was), Some(is))?;
                }
                ControlFlow::Continue(())
            }
            // However they are written.
            (Value::Number(was), Value::Number(is)) if was.as_f64() == is.as_f64() => {
                ControlFlow::Continue(())
            }
            _ if asked == amended => ControlFlow::Continue(()),
            _ => self.find(Some(asked), Some(amended)),
        }
    }

    fn below(
        &mut self,
        name: Cow<'a, str>,
        was: Option<&'a Value>,
        is: Option<&'a Value>,
    ) -> ControlFlow<()> {
        self.at.push(name);
        let goes_on = match (was, is) {
            (Some(was), Some(is)) => self.differ(was, is),
            (was, is) => self.find(was, is),
        };
        self.at.pop();
        goes_on
    }

    fn find(&mut self, was: Option<&'a Value>, is: Option<&'a Value>) -> ControlFlow<()> {
        self.names += self.at.iter().map(|name| name.len()).sum::<usize>();
        let is_full = self.found.places.len() == limits::AMENDED_PLACES;
        if is_full || self.names > limits::AMENDED_NAMES_BYTES {
            self.found.more = true;
            return ControlFlow::Break(());
        }
        self.found.places.push(Difference {
            place: self.at.clone(),
            was,
            is,
        });
        ControlFlow::Continue(())
    }
}

/// The differences of two values in words, place by place: `replicas: 2 → 1`.
pub fn differences(asked: &Value, amended: &Value) -> Vec<String> {
    let found = changes(asked, amended);
    let lines = found.places.iter().map(|difference| {
        let name = difference.place.join(".");
        match (difference.was, difference.is) {
            (Some(was), Some(is)) => format!("{name}: {was} → {is}"),
            (None, Some(is)) => format!("{name} added: {is}"),
            (was, None) => format!("{name} taken away: {}", was.unwrap_or(&Value::Null)),
        }
    });
    let more = found.more.then(|| "and more".to_owned());
    lines.chain(more).collect()
}

fn place(root: &str, names: &[Cow<'_, str>]) -> String {
    let mut place = root.to_owned();
    for name in names {
        place.push('.');
        place.push_str(name);
    }
    place
}
