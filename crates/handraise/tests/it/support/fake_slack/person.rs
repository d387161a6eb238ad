//! What people do in Slack.

use serde_json::{Map, Value, json};

use super::{
    ANA, APP, FakeSlack, MAIN, Message, TEAM, World,
    events::State,
    world::{ResponseUrl, View},
};

/// Something that somebody did and the app is told of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gesture(u64);

impl FakeSlack {
    /// Somebody else joins the workspace and the main channel.
    pub(crate) fn join(&self, user: &'static str) {
        self.set(|world| {
            let mut like = world.users[ANA].clone();
            like["id"] = user.into();
            world.users.insert(user.to_owned(), like);
            let main = world.channels.get_mut(MAIN).unwrap();
            main.people.push(user);
        });
    }

    /// Ana presses a button.
    pub(crate) fn click(&self, channel: &str, ts: &str, action_id: &str) -> Gesture {
        self.click_as(ANA, channel, ts, action_id)
    }

    /// Somebody presses a button that is there now.
    pub(crate) fn click_as(&self, user: &str, channel: &str, ts: &str, action_id: &str) -> Gesture {
        let card = self.look(|world| {
            let messages = world.messages.iter();
            let mut messages = messages.filter(|one| one.channel == channel && one.ts == ts);
            messages.next().cloned().expect("there is no such message")
        });
        self.act(user, &card, action_id, None)
    }

    /// Somebody presses a button of a card as they saw it, or chooses a value from its menu; the card may look
    /// different by now.
    pub(crate) fn act(
        &self,
        user: &str,
        card: &Message,
        action_id: &str,
        chosen: Option<&str>,
    ) -> Gesture {
        let mut controls = card.controls();
        let control = controls.find(|(_, control)| control["action_id"] == action_id);
        let (block_id, control) = control.expect("the card has no such control");
        let gesture = {
            let mut world = self.shared.world();
            let payload = world.block_action(user, card, block_id, control, chosen);
            Gesture(world.interact(payload, None))
        };
        self.shared.pump();
        gesture
    }

    /// The person who has this view open sends it, with these values by block and action.
    pub(crate) fn submit(&self, view: &str, values: &Value) -> Gesture {
        let gesture = {
            let mut world = self.shared.world();
            let payload = world.view_submission(view, values);
            Gesture(world.interact(payload, Some(view.to_owned())))
        };
        self.shared.pump();
        gesture
    }

    /// What the app answered to it; `None` when it never will.
    pub(crate) async fn acked(&self, gesture: Gesture) -> Option<Value> {
        self.wait_for(|world| {
            let mut outgoing = world.outgoing.iter();
            match &outgoing.find(|one| one.number == gesture.0)?.state {
                State::Acked(answer) => Some(Some(answer.clone())),
                State::Lost => Some(None),
                State::Due(_) | State::Held | State::Sent(..) => None,
            }
        })
        .await
    }

    /// Somebody writes in a channel, or in the thread of a message. Returns the name of what they wrote.
    pub(crate) fn say(
        &self,
        user: &str,
        channel: &str,
        thread: Option<&str>,
        text: &str,
    ) -> String {
        let ts = {
            let mut world = self.shared.world();
            let id = format!("client-{}", world.next());
            world.said(Message {
                thread_ts: thread.map(str::to_owned),
                client_msg_id: Some(id),
                ..Message::said(channel, user, text)
            })
        };
        self.shared.pump();
        ts
    }

    /// Somebody answers in the thread of a message.
    pub(crate) fn reply_in_thread(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        text: &str,
    ) -> String {
        self.say(user, channel, Some(ts), text)
    }

    /// One gesture becomes a second message, as has happened: another name, the same client's id.
    pub(crate) fn repeat(&self, channel: &str, ts: &str) -> String {
        let again = {
            let mut world = self.shared.world();
            let message = world.message(channel, ts).cloned();
            world.said(message.expect("there is no such message"))
        };
        self.shared.pump();
        again
    }

    /// Somebody changes what they wrote.
    pub(crate) fn edit(&self, channel: &str, ts: &str, text: &str) {
        {
            let mut world = self.shared.world();
            let message = world
                .message_mut(channel, ts)
                .expect("there is no such message");
            let before = message.clone();
            text.clone_into(&mut message.text);
            message.edited = true;
            let after = message.clone();
            world.tell(&after, Some(&before));
        }
        self.shared.pump();
    }

    /// Somebody opens a tab of the app.
    pub(crate) fn open_tab(&self, user: &str, tab: &str) {
        self.shared.world().home_opened(user, tab);
        self.shared.pump();
    }

    /// The home that somebody sees, once it is as it should be.
    pub(crate) async fn home(&self, user: &str, is_right: impl Fn(&Value) -> bool) -> Value {
        self.wait_for(|world| {
            let home = world.homes.get(user)?.last()?;
            is_right(home).then(|| home.clone())
        })
        .await
    }

    /// Somebody presses a control of the home that they see, or picks from its menu.
    pub(crate) fn press_home(&self, user: &str, action_id: &str, chosen: Option<&str>) -> Gesture {
        let gesture = {
            let mut world = self.shared.world();
            let view = world.homes[user].last().unwrap().clone();
            let payload = world.home_action(user, &view, action_id, chosen);
            Gesture(world.interact(payload, None))
        };
        self.shared.pump();
        gesture
    }

    /// Somebody types `/handraise` and this.
    pub(crate) fn command(&self, user: &str, text: &str) -> Gesture {
        let gesture = {
            let mut world = self.shared.world();
            let card = Message::said(MAIN, user, text);
            let response_url = world.response_url(user, &card);
            let fields = json!({
                "token": "deprecated", "team_id": TEAM, "team_domain": "fake", "channel_id": MAIN,
                "channel_name": "agents", "user_id": user, "user_name": "somebody", "command": "/handraise",
                "text": text, "api_app_id": APP, "is_enterprise_install": "false",
                "response_url": response_url, "trigger_id": world.trigger(user),
            });
            Gesture(world.command(fields))
        };
        self.shared.pump();
        gesture
    }

    /// What people see in a channel, threads too.
    pub(crate) fn messages(&self, channel: &str) -> Vec<Message> {
        self.look(|world| world.in_channel(channel).cloned().collect())
    }

    /// What only this person sees.
    pub(crate) fn notes(&self, user: &str) -> Vec<Message> {
        self.look(|world| world.notes_for(user).cloned().collect())
    }

    /// The view that this person sees, once there is one: its name and content.
    pub(crate) async fn open_view(&self, user: &str) -> (String, Value) {
        self.wait_for(|world| {
            let view = world.views.iter().rev().find(|view| view.user == user)?;
            Some((view.id.clone(), view.body.clone()))
        })
        .await
    }

    /// Waits until the messages of a channel are as they should be.
    pub(crate) async fn wait_for_messages(
        &self,
        channel: &str,
        mut are_right: impl FnMut(&[Message]) -> bool,
    ) -> Vec<Message> {
        self.wait_for(|world| {
            let messages: Vec<_> = world.in_channel(channel).cloned().collect();
            are_right(&messages).then_some(messages)
        })
        .await
    }
}

impl World {
    fn said(&mut self, message: Message) -> String {
        let channel = message.channel.clone();
        let ts = self.post(message);
        if let Some(message) = self.message(&channel, &ts).cloned() {
            self.tell(&message, None);
        }
        ts
    }

    fn user(&self, id: &str) -> Value {
        let name = &self.users[id]["name"];
        json!({ "id": id, "username": name, "name": name, "team_id": self.users[id]["team_id"] })
    }

    fn response_url(&mut self, user: &str, card: &Message) -> String {
        let id = format!("r{}", self.next());
        let url = format!("{}/response/{id}", self.base);
        self.response_urls.insert(
            id,
            ResponseUrl {
                made_at: self.now,
                uses: 0,
                channel: card.channel.clone(),
                user: user.to_owned(),
                ts: card.ts.clone(),
            },
        );
        url
    }

    fn block_action(
        &mut self,
        user: &str,
        card: &Message,
        block_id: &str,
        control: &Value,
        chosen: Option<&str>,
    ) -> Value {
        let number = self.next();
        let mut action = json!({
            "action_id": control["action_id"], "block_id": block_id, "type": control["type"],
            "action_ts": format!("{}.{number:06}", self.now / 1_000),
        });
        match chosen {
            None => {
                action["value"] = control["value"].clone();
                action["text"] = control["text"].clone();
            }
            Some(value) => {
                let options = control["options"].as_array();
                let mut options = options.into_iter().flatten();
                let option = options.find(|option| option["value"] == value);
                let option = option.expect("the menu has no such option").clone();
                match control["type"] == "multi_static_select" {
                    true => action["selected_options"] = json!([option]),
                    false => action["selected_option"] = option,
                }
            }
        }
        let response_url = self.response_url(user, card);
        let mut container = json!({
            "type": "message", "message_ts": card.ts, "channel_id": card.channel,
            "is_ephemeral": card.only_for.is_some(),
        });
        if let Some(thread) = &card.thread_ts {
            container["thread_ts"] = thread.as_str().into();
        }
        json!({
            "type": "block_actions", "team": { "id": TEAM, "domain": "fake" }, "enterprise": null,
            "is_enterprise_install": false, "user": self.user(user), "api_app_id": APP, "token": "deprecated",
            "container": container, "trigger_id": self.trigger(user),
            "channel": { "id": card.channel, "name": self.channels[&card.channel].name },
            "message": card.json(true), "response_url": response_url, "state": { "values": {} },
            "actions": [action],
        })
    }

    fn home_action(
        &mut self,
        user: &str,
        view: &Value,
        action_id: &str,
        chosen: Option<&str>,
    ) -> Value {
        let number = self.next();
        let blocks = view["blocks"].as_array().into_iter().flatten();
        let controls = blocks.flat_map(|block| {
            let elements = block["elements"].as_array().into_iter().flatten();
            elements.map(move |element| (block, element))
        });
        let mut named = controls.filter(|(_, element)| element["action_id"] == action_id);
        let (block, control) = named.next().expect("the home has no such control");
        let mut action = json!({
            "action_id": action_id, "block_id": block["block_id"], "type": control["type"],
            "action_ts": format!("{}.{number:06}", self.now / 1_000),
        });
        match chosen {
            None => action["value"] = control["value"].clone(),
            Some(value) => {
                let mut options = control["options"].as_array().into_iter().flatten();
                let option = options.find(|option| option["value"] == value);
                action["selected_option"] = option.expect("no such option").clone();
            }
        }
        // No channel, no message, no response_url.
        json!({
            "type": "block_actions", "team": { "id": TEAM, "domain": "fake" }, "enterprise": null,
            "is_enterprise_install": false, "user": self.user(user), "api_app_id": APP, "token": "deprecated",
            "container": { "type": "view", "view_id": "V0HOME" }, "trigger_id": self.trigger(user),
            "view": { "id": "V0HOME", "type": "home", "hash": "h", "blocks": view["blocks"], "private_metadata": "" },
            "actions": [action],
        })
    }

    fn view_submission(&mut self, id: &str, values: &Value) -> Value {
        let view = self
            .views
            .iter()
            .find(|view| view.id == id)
            .expect("there is no such view");
        let (user, mut body) = (view.user.clone(), View::json(view));
        let mut state = Map::new();
        let blocks = body["blocks"].as_array().cloned().unwrap_or_default();
        for block in blocks.iter().filter(|block| block["type"] == "input") {
            let element = &block["element"];
            let (block_id, action_id) = (text(&block["block_id"]), text(&element["action_id"]));
            let kind = text(&element["type"]);
            let value = &values[block_id][action_id];
            let options = |value: &Value| -> Vec<Value> {
                let all = element["options"].as_array().into_iter().flatten();
                let chosen = |option: &&Value| match value {
                    Value::Array(values) => values.contains(&option["value"]),
                    value => option["value"] == *value,
                };
                all.filter(chosen).cloned().collect()
            };
            let said = match kind {
                "plain_text_input" => json!({ "type": kind, "value": value }),
                "static_select" | "radio_buttons" => {
                    json!({ "type": kind, "selected_option": options(value).first() })
                }
                _ => json!({ "type": kind, "selected_options": options(value) }),
            };
            state.insert(block_id.to_owned(), json!({ action_id: said }));
        }
        body["state"] = json!({ "values": state });
        json!({
            "type": "view_submission", "team": { "id": TEAM, "domain": "fake" }, "user": self.user(&user),
            "api_app_id": APP, "token": "deprecated", "trigger_id": self.trigger(&user), "view": body,
            "response_urls": [], "is_enterprise_install": false,
        })
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
