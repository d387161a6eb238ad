//! What the app is told: clicks and views once, events up to four times.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    APP, FakeSlack, Message, Shared, TEAM, World,
    blocks::{self, Surface},
    requests::Request,
    sockets::Way,
    views,
};

/// How long an answer may take, in milliseconds.
const PATIENCE: i64 = 3_000;
/// The pauses before an event is tried again.
const RETRIES: [i64; 3] = [0, 60_000, 300_000];

pub(super) struct Outgoing {
    pub(super) number: u64,
    /// Another for each try.
    envelope: String,
    is_event: bool,
    is_command: bool,
    payload: Value,
    /// The view that was sent.
    view: Option<String>,
    retries: usize,
    pub(super) state: State,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Due(i64),
    /// Until the test lets it go.
    Held,
    /// By this connection, if by one, and when it has failed.
    Sent(Option<u64>, i64),
    Acked(Value),
    Lost,
}

impl World {
    pub(super) fn is_heard(&self) -> bool {
        self.request_urls.is_some() || self.sockets.has_any()
    }

    fn queue(&mut self, is_event: bool, payload: Value, view: Option<String>, state: State) -> u64 {
        let number = self.next();
        self.outgoing.push(Outgoing {
            number,
            envelope: String::new(),
            is_event,
            is_command: false,
            payload,
            view,
            retries: 0,
            state,
        });
        number
    }

    /// A command, by its fields.
    pub(super) fn command(&mut self, fields: Value) -> u64 {
        let number = self.queue(false, fields, None, State::Due(self.now));
        if let Some(one) = self.outgoing.last_mut() {
            one.is_command = true;
        }
        number
    }

    /// Somebody opens the app.
    pub(super) fn home_opened(&mut self, user: &str, tab: &str) {
        let id = format!("Ev{}", self.next());
        let event = json!({
            "type": "app_home_opened", "user": user, "channel": "D0HOME", "tab": tab,
            "event_ts": self.next_ts(),
        });
        let payload = json!({
            "type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": event, "event_id": id,
            "event_time": self.now / 1_000,
            "authorizations": [{ "team_id": TEAM, "user_id": super::BOT_USER, "is_bot": true }],
        });
        self.queue(true, payload, None, State::Due(self.now));
    }

    /// A click, or a view that is sent.
    pub(super) fn interact(&mut self, payload: Value, view: Option<String>) -> u64 {
        let state = match std::mem::take(&mut self.lose_next_click) {
            true => State::Lost,
            false => State::Due(self.now),
        };
        self.queue(false, payload, view, state)
    }

    /// A message, or that it was changed from what it was before.
    pub(super) fn tell(&mut self, message: &Message, before: Option<&Message>) {
        let ts = self.next_ts();
        let mut event = match before {
            None => message.json(true),
            Some(before) => json!({
                "type": "message", "subtype": "message_changed", "ts": ts, "hidden": true,
                "message": message.json(true), "previous_message": before.json(true),
            }),
        };
        event["channel"] = message.channel.as_str().into();
        event["channel_type"] = "channel".into();
        event["event_ts"] = event["ts"].clone();
        let id = format!("Ev{}", self.next());
        let payload = json!({
            "type": "event_callback", "team_id": TEAM, "api_app_id": APP, "event": event, "event_id": id,
            "event_time": self.now / 1_000, "is_ext_shared_channel": false,
            "authorizations": [{ "team_id": TEAM, "user_id": super::BOT_USER, "is_bot": true }],
        });
        if std::mem::take(&mut self.hold_next_event) {
            self.queue(true, payload, None, State::Held);
            return;
        }
        let copies = if std::mem::take(&mut self.duplicate_next_event) {
            2
        } else {
            1
        };
        for _ in 0..copies {
            self.queue(true, payload.clone(), None, State::Due(self.now));
        }
    }

    pub(super) fn failed(&mut self, index: usize) {
        let now = self.now;
        let one = &mut self.outgoing[index];
        one.state = match RETRIES.get(one.retries) {
            Some(pause) if one.is_event => State::Due(now + pause),
            _ => State::Lost,
        };
        one.retries += 1;
    }

    /// What was on its way through this connection did not arrive.
    pub(super) fn lost_with(&mut self, connection: u64) {
        for index in 0..self.outgoing.len() {
            if matches!(self.outgoing[index].state, State::Sent(Some(by), _) if by == connection) {
                self.failed(index);
            }
        }
    }

    fn send(&mut self, index: usize) -> Option<Request> {
        let envelope = format!("envelope-{}", self.next());
        let until = self.now + PATIENCE;
        let one = &mut self.outgoing[index];
        one.envelope.clone_from(&envelope);
        if let Some((clicks, events)) = &self.request_urls {
            one.state = State::Sent(None, until);
            let url = match (one.is_event, &self.command_url) {
                (true, _) => events,
                (false, Some(commands)) if one.is_command => commands,
                (false, _) => clicks,
            };
            return Some(Request {
                number: one.number,
                url: url.clone(),
                is_event: one.is_event,
                is_command: one.is_command,
                payload: one.payload.to_string(),
                retries: one.retries,
                timestamp: self.now / 1_000,
            });
        }
        let kind = match (one.is_event, one.is_command) {
            (true, _) => "events_api",
            (false, true) => "slash_commands",
            (false, false) => "interactive",
        };
        let mut frame = json!({
            "envelope_id": envelope, "type": kind, "accepts_response_payload": one.view.is_some() || one.is_command,
            "payload": one.payload,
        });
        if one.retries > 0 {
            frame["retry_attempt"] = one.retries.into();
            frame["retry_reason"] = "timeout".into();
        }
        match self.sockets.send(&frame) {
            Way::To(connection) => {
                self.outgoing[index].state = State::Sent(Some(connection), until);
            }
            Way::Ghost => self.outgoing[index].state = State::Sent(None, until),
            Way::Nowhere => self.failed(index),
        }
        None
    }

    /// What the app's answer does.
    pub(super) fn answered(&mut self, index: usize, answer: Value) {
        let view = self.outgoing[index].view.clone();
        if self.outgoing[index].is_command && answer != json!({}) {
            let said = answer["blocks"].as_array().cloned().unwrap_or_default();
            let mut faults = blocks::check(&said, Surface::Message);
            if answer["response_type"] != "ephemeral" || answer["text"].as_str().is_none() {
                faults.push("not for one person alone".to_owned());
            }
            if !faults.is_empty() {
                self.violation(format!("the answer to a command: {faults:?}"));
            }
        }
        self.outgoing[index].state = State::Acked(answer.clone());
        let Some(id) = view else { return };
        let Some(position) = self.views.iter().position(|view| view.id == id) else {
            return;
        };
        match answer["response_action"].as_str() {
            None => {
                self.views.remove(position);
            }
            Some("clear") => {
                let user = self.views[position].user.clone();
                self.views.retain(|view| view.user != user);
            }
            Some("errors") => {
                let blocks = self.views[position].body["blocks"].as_array().cloned();
                let named = answer["errors"].as_object().cloned().unwrap_or_default();
                let is_input = |id: &String| {
                    let mut blocks = blocks.iter().flatten();
                    blocks.any(|block| block["type"] == "input" && block["block_id"] == **id)
                };
                if named.is_empty() || !named.keys().all(is_input) {
                    self.violation(format!("errors of fields that are not there: {named:?}"));
                }
                self.views[position].errors = Some(named.into());
            }
            Some("update") => match views::checked(answer.get("view")) {
                Ok(body) => self.views[position].body = body,
                Err(refusal) => self.violation(format!("a view: {:?}", refusal.errors)),
            },
            Some(other) => self.violation(format!("no such response_action: {other}")),
        }
    }
}

impl Shared {
    /// Sends what is due, and gives up what was not answered in time.
    pub(super) fn pump(self: &Arc<Self>) {
        let mut world = self.world();
        for index in 0..world.outgoing.len() {
            if matches!(world.outgoing[index].state, State::Sent(_, until) if until <= world.now) {
                world.failed(index);
            }
        }
        let now = world.now;
        let is_due = |one: &Outgoing| matches!(one.state, State::Due(at) if at <= now);
        while let Some(index) = world.outgoing.iter().position(is_due) {
            if let Some(request) = world.send(index) {
                tokio::spawn(Arc::clone(self).request(request));
            }
        }
        drop(world);
        self.changed();
    }

    /// A frame from the app.
    pub(super) fn acknowledged(self: &Arc<Self>, text: &str) {
        let mut world = self.world();
        let frame: Value = serde_json::from_str(text).unwrap_or_default();
        let id = frame["envelope_id"].as_str().unwrap_or_default();
        let index = world
            .outgoing
            .iter()
            .position(|one| one.envelope == id && !id.is_empty());
        let answer = frame.get("payload").cloned().unwrap_or(json!({}));
        match index.map(|index| (index, world.outgoing[index].state.clone())) {
            Some((index, State::Sent(..))) => {
                let one = &world.outgoing[index];
                if one.view.is_none() && !one.is_command && answer != json!({}) {
                    world.violation("an answer to an envelope that takes none");
                }
                world.answered(index, answer);
            }
            Some((_, State::Acked(_))) => world.violation("acknowledged twice"),
            // Too late.
            Some(_) => {}
            None if id.starts_with("envelope-") => {}
            None => world.violation(format!("not an acknowledgement: {text}")),
        }
        drop(world);
        self.changed();
    }
}

impl FakeSlack {
    /// From now on what happens goes to these addresses, signed: clicks and views to the first, events to the other.
    pub(crate) fn deliver_to(&self, interactivity: &str, events: &str) {
        let urls = (interactivity.to_owned(), events.to_owned());
        self.shared.world().request_urls = Some(urls);
    }

    /// And commands to this one.
    pub(crate) fn deliver_commands_to(&self, commands: &str) {
        self.shared.world().command_url = Some(commands.to_owned());
    }

    /// Sends the events that were held back.
    pub(crate) fn let_go(&self) {
        {
            let mut world = self.shared.world();
            let now = world.now;
            for one in &mut world.outgoing {
                if one.state == State::Held {
                    one.state = State::Due(now);
                }
            }
        }
        self.shared.pump();
    }

    /// How many events the app has acknowledged, and how many it will never hear of.
    pub(crate) fn events(&self) -> (usize, usize) {
        let world = self.shared.world();
        let count = |is: fn(&State) -> bool| {
            let events = world.outgoing.iter().filter(|one| one.is_event);
            events.filter(|one| is(&one.state)).count()
        };
        (
            count(|state| matches!(state, State::Acked(_))),
            count(|state| *state == State::Lost),
        )
    }
}

impl World {
    /// Whether something is on its way to the app.
    pub(crate) fn is_waiting(&self) -> bool {
        let mut outgoing = self.outgoing.iter();
        outgoing.any(|one| matches!(one.state, State::Sent(..)))
    }
}
