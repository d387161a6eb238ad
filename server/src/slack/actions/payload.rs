//! Slack's word on what a user did, as far as it is for us. Other fields in it are not looked at.

use domain::InteractionId;
use secrecy::SecretString;
use serde_json::Value;
use slack::blocks::{Control, HomePress, Origin, Submission, for_all};

/// A user's action.
pub(crate) enum Payload {
    /// They pressed a control of a card.
    Press(Box<Pressed>),
    /// They pressed a control of the app's home.
    AtHome(PressedAtHome),
    /// They sent a modal.
    Sent(Who, Box<Submission>),
    /// They sent a modal that says nothing to us; it must not close, since what was typed is in it.
    Unreadable,
}

/// A user of Slack.
pub(crate) struct Who {
    /// The workspace they belong to.
    pub(super) team: Option<String>,
    pub(super) user: String,
}

/// A control of the app's home that was pressed.
pub(crate) struct PressedAtHome {
    pub(super) who: Who,
    pub(super) press: HomePress,
}

/// A control that was pressed, and where.
pub(crate) struct Pressed {
    pub(super) who: Who,
    pub(super) control: Control,
    /// The equal ones that it decides too: those that the card showed.
    pub(super) also: Vec<InteractionId>,
    pub(super) at: Origin,
    /// The thread that the card is in.
    pub(super) thread: Option<String>,
    /// Opens one modal within three seconds.
    pub(super) trigger_id: Option<String>,
    /// A stranger who has it can write in the channel.
    pub(super) response_url: Option<SecretString>,
}

impl Payload {
    /// `None` when it is not for us.
    pub(crate) fn parse(payload: &Value) -> Option<Self> {
        let own_team = text(payload, "/user/team_id").or(text(payload, "/team/id"));
        let who = Who {
            team: own_team.map(str::to_owned),
            user: text(payload, "/user/id")?.to_owned(),
        };
        match text(payload, "/type")? {
            "block_actions" if text(payload, "/view/type") == Some("home") => {
                pressed_at_home(payload, who).map(Self::AtHome)
            }
            "block_actions" => pressed(payload, who).map(|it| Self::Press(Box::new(it))),
            "view_submission" => Some(match payload.get("view").and_then(Submission::parse) {
                Some(submission) => Self::Sent(who, Box::new(submission)),
                None => Self::Unreadable,
            }),
            _ => None,
        }
    }
}

fn pressed_at_home(payload: &Value, who: Who) -> Option<PressedAtHome> {
    let actions = payload.get("actions")?.as_array()?;
    let press = actions.iter().find_map(|action| {
        let value = text(action, "/selected_option/value").or(text(action, "/value"));
        HomePress::parse(text(action, "/action_id")?, value.unwrap_or_default())
    });
    Some(PressedAtHome { who, press: press? })
}

fn pressed(payload: &Value, who: Who) -> Option<Pressed> {
    // There are no message and no channel where something else than a message was pressed.
    let container = payload.get("container")?;
    let at = Origin {
        channel: text(container, "/channel_id")?.to_owned(),
        ts: text(container, "/message_ts")?.to_owned(),
    };
    let actions = payload.get("actions")?.as_array()?;
    let owned = |pointer| text(payload, pointer).map(str::to_owned);
    let (control, also) = actions.iter().find_map(control)?;
    Some(Pressed {
        who,
        control,
        also,
        at,
        thread: text(container, "/thread_ts").map(str::to_owned),
        trigger_id: owned("/trigger_id"),
        response_url: owned("/response_url").map(SecretString::from),
    })
}

fn control(action: &Value) -> Option<(Control, Vec<InteractionId>)> {
    let value = text(action, "/value").or(text(action, "/selected_option/value"));
    for_all(text(action, "/action_id")?, value.unwrap_or_default())
}

fn text<'a>(json: &'a Value, pointer: &str) -> Option<&'a str> {
    json.pointer(pointer)?.as_str()
}
