//! Modals.

use serde_json::{Map, Value, json};

use super::{
    Shared, World,
    arguments::{required, text},
    blocks::{self, Surface},
    call::Refusal,
    world::View,
};

/// Titles and buttons.
const SHORT: usize = 24;
const PRIVATE: usize = 3_000;
const WHOLE: usize = 250_000;
/// How many may lie on each other.
const STACK: usize = 3;

type Arguments = Map<String, Value>;

pub(super) fn open(_: &Shared, world: &mut World, arguments: &Arguments) -> Result<Value, Refusal> {
    let trigger = required(arguments, "trigger_id")?;
    let view = checked(arguments.get("view"))?;
    let user = world.use_trigger(trigger)?;
    let id = world.open_view(&user, view)?;
    Ok(shown(world, &id))
}

pub(super) fn update(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let id = required(arguments, "view_id")?;
    let body = checked(arguments.get("view"))?;
    let hash = format!("hash{}", world.next());
    let view = world
        .views
        .iter_mut()
        .find(|view| view.id == id)
        .ok_or("not_found")?;
    if text(arguments, "hash").is_some_and(|known| known != view.hash) {
        return Err("hash_conflict".into());
    }
    (view.body, view.hash) = (body, hash);
    Ok(shown(world, id))
}

/// The app's home of one person, in place of the one before.
pub(super) fn publish(
    _: &Shared,
    world: &mut World,
    arguments: &Arguments,
) -> Result<Value, Refusal> {
    let user = required(arguments, "user_id")?;
    if !world.has_home {
        return Err("not_enabled".into());
    }
    if !world.users.contains_key(user) {
        return Err("user_not_found".into());
    }
    let view = arguments.get("view").filter(|view| view.is_object());
    let view = view.ok_or("invalid_arguments")?;
    if view.to_string().len() > WHOLE {
        return Err("view_too_large".into());
    }
    let blocks = view["blocks"].as_array().cloned().unwrap_or_default();
    let mut errors = blocks::check(&blocks, Surface::Modal);
    if view["type"] != "home" {
        errors.push("must be home [json-pointer:/view/type]".to_owned());
    }
    if blocks.is_empty() {
        errors.push("missing required field [json-pointer:/view/blocks]".to_owned());
    }
    if !errors.is_empty() {
        return Err(Refusal {
            errors,
            ..Refusal::from("invalid_arguments")
        });
    }
    let homes = world.homes.entry(user.to_owned()).or_default();
    homes.push(view.clone());
    Ok(json!({ "view": view }))
}

fn shown(world: &World, id: &str) -> Value {
    let view = world.views.iter().find(|view| view.id == id);
    json!({ "view": view.map(View::json) })
}

/// The view, if it is one.
pub(super) fn checked(view: Option<&Value>) -> Result<Value, Refusal> {
    let Some(view) = view.filter(|view| view.is_object()) else {
        return Err("invalid_arguments".into());
    };
    if view.to_string().len() > WHOLE {
        return Err("view_too_large".into());
    }
    let mut errors = Vec::new();
    let mut wrong = |what: &str, at: &str| errors.push(format!("{what} [json-pointer:/view/{at}]"));
    if view["type"] != "modal" {
        wrong("must be modal", "type");
    }
    for name in ["title", "submit", "close"] {
        let Some(text) = view.get(name) else {
            if name == "title" {
                wrong("missing required field", "title");
            }
            continue;
        };
        let length = text["text"]
            .as_str()
            .map_or(0, |text| text.encode_utf16().count());
        if text["type"] != "plain_text" || length == 0 || length > SHORT {
            wrong("must be plain_text of 1 to 24 characters", name);
        }
    }
    let private = view["private_metadata"].as_str().unwrap_or_default();
    if private.chars().count() > PRIVATE {
        wrong("must be less than 3001 characters", "private_metadata");
    }
    let callback = view["callback_id"].as_str().unwrap_or_default();
    if callback.chars().count() > 255 {
        wrong("must be less than 256 characters", "callback_id");
    }
    let blocks = view["blocks"].as_array().cloned().unwrap_or_default();
    if blocks.is_empty() {
        wrong("missing required field", "blocks");
    }
    if blocks.iter().any(|block| block["type"] == "input") && view.get("submit").is_none() {
        wrong("required when the view has inputs", "submit");
    }
    errors.extend(blocks::check(&blocks, Surface::Modal));
    match errors.is_empty() {
        true => Ok(view.clone()),
        false => Err(Refusal {
            errors,
            ..Refusal::from("invalid_arguments")
        }),
    }
}

impl View {
    /// As the API returns it.
    pub(super) fn json(&self) -> Value {
        let mut json = self.body.clone();
        json["id"] = self.id.as_str().into();
        json["hash"] = self.hash.as_str().into();
        json
    }
}

impl World {
    /// Lays a view on those that this person has open.
    pub(super) fn open_view(&mut self, user: &str, body: Value) -> Result<String, Refusal> {
        if self.views.iter().filter(|view| view.user == user).count() >= STACK {
            return Err("push_limit_reached".into());
        }
        let number = self.next();
        let id = format!("V{number}");
        self.views.push(View {
            id: id.clone(),
            hash: format!("hash{number}"),
            user: user.to_owned(),
            body,
            errors: None,
        });
        Ok(id)
    }
}
