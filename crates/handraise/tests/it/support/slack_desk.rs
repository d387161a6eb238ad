//! A server, the fake Slack, and between them what people do: as it comes by Socket Mode.

use std::{sync::Arc, time::Duration};

use domain::{InteractionId, Role};
use secrecy::SecretString;
use serde_json::{Value, json};
use server::slack::{
    actions::{Actions, Timing},
    inbox::SlackInbox,
    recognise::Recogniser,
};
use slack::{
    client::SlackClient,
    socket_mode::{self, SocketStatus, run_with},
};
use store::testing::TestDatabase;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    app::TestApp,
    caller::id_of,
    fake_slack::{ANA, APP, APP_TOKEN, BEN, BOT_TOKEN, FakeSlack, MAIN, Message, TEAM},
    people::invite_linked,
    slack_cards::with_slack,
};

pub(crate) const VERA: &str = "U0VERA";
pub(crate) const STRANGER: &str = "U0STRANGER";
pub(crate) const URL: &str = "https://handraise.example";

/// Slow machines have time, unless a test wants none.
const PATIENT: Timing = Timing {
    recognising: Duration::from_secs(60),
    answering: Duration::from_secs(60),
};

/// Ana and Ben may answer, Vera may look, and a stranger is nobody here.
pub(crate) struct Desk {
    pub(crate) app: TestApp,
    pub(crate) slack: FakeSlack,
    pub(crate) actions: Actions,
    stopping: CancellationToken,
    running: JoinHandle<()>,
}

impl Desk {
    pub(crate) async fn start(database: &TestDatabase) -> Self {
        Self::start_with(database, PATIENT).await
    }

    /// Slack hears of it soon, whether or not it is kept.
    pub(crate) async fn start_hurried(database: &TestDatabase) -> Self {
        let answering = Duration::from_millis(300);
        let timing = Timing {
            answering,
            ..PATIENT
        };
        Self::start_with(database, timing).await
    }

    pub(crate) async fn start_with(database: &TestDatabase, timing: Timing) -> Self {
        let slack = FakeSlack::start().await;
        let app = TestApp::start_with(database, with_slack(&slack)).await;
        slack.join(VERA);
        slack.join(STRANGER);
        for (name, role, user) in [
            ("Ana", Role::Responder, ANA),
            ("Ben", Role::Admin, BEN),
            ("Vera", Role::Viewer, VERA),
        ] {
            invite_linked(&app, name, role, user).await;
        }
        let token = |token: &str| Some(SecretString::from(token));
        let client = SlackClient::new(&slack.api_url(), token(BOT_TOKEN), token(APP_TOKEN));
        let client = client.unwrap();
        let service = app.state.service.clone();
        let recogniser = Recogniser::new(client.clone(), service.clone(), &app.state.config);
        let recogniser = Arc::new(recogniser);
        let actions = Actions::new(service.clone(), client.clone(), recogniser, URL);
        let actions = actions.with_timing(timing);
        let stopping = CancellationToken::new();
        let goodbye = socket_mode::Timing {
            goodbye: Duration::from_millis(200),
            ..socket_mode::Timing::default()
        };
        let (tell, _) = watch::channel(SocketStatus::default());
        let inbox = Arc::new(SlackInbox::new(service, actions.clone()));
        let running = run_with(goodbye, client, inbox, tell, stopping.clone());
        let running = tokio::spawn(running);
        slack.connected(2).await;
        Self {
            app,
            slack,
            actions,
            stopping,
            running,
        }
    }

    /// The card of an interaction, once it is there.
    pub(crate) async fn post(&self, asked: &Value) -> Message {
        self.app.drain().await;
        let interaction = self.interaction(id_of(asked)).await;
        let posted = interaction.card.and_then(|card| card.posted);
        self.shown(&posted.unwrap().ts)
    }

    pub(crate) async fn interaction(&self, id: InteractionId) -> domain::Interaction {
        let store = self.app.state.service.store();
        store.interaction(id).await.unwrap().unwrap()
    }

    /// A message as people see it now.
    pub(crate) fn shown(&self, ts: &str) -> Message {
        self.slack
            .look(|world| world.message(MAIN, ts).cloned().unwrap())
    }

    /// Somebody presses a control; everything that follows from it is done, and Slack has heard.
    pub(crate) async fn press(&self, user: &str, card: &Message, control: &str) {
        self.choose(user, card, control, None).await;
    }

    /// The same, with what was picked from a menu.
    pub(crate) async fn choose(
        &self,
        user: &str,
        card: &Message,
        control: &str,
        chosen: Option<&str>,
    ) {
        let gesture = self.slack.act(user, card, control, chosen);
        assert_eq!(self.slack.acked(gesture).await, Some(json!({})));
        self.actions.finish().await;
    }

    /// Somebody sends the modal that they have open. Returns what it says is wrong.
    pub(crate) async fn send(&self, user: &str, field: &Value) -> Option<String> {
        let said = self.send_without_end(user, field).await;
        self.actions.finish().await;
        said
    }

    /// The same, while it still goes on.
    pub(crate) async fn send_without_end(&self, user: &str, field: &Value) -> Option<String> {
        let (view, _) = self.slack.open_view(user).await;
        let gesture = self.slack.submit(&view, &json!({ "answer": field }));
        let answer = self.slack.acked(gesture).await.unwrap();
        let is_open = self
            .slack
            .look(|world| world.views.iter().any(|one| one.id == view));
        assert_eq!(is_open, answer != json!({}));
        let said = answer["errors"]["answer"].as_str();
        assert_eq!(said.is_some(), is_open, "{answer}");
        said.map(str::to_owned)
    }

    /// The notes that this person has got.
    pub(crate) fn notes(&self, user: &str) -> Vec<String> {
        let notes = self.slack.notes(user).into_iter();
        notes.map(|note| note.text).collect()
    }

    pub(crate) async fn stop(self) {
        self.stopping.cancel();
        self.running.await.unwrap();
        self.actions.finish().await;
    }
}

/// The card as somebody has it who sends what stands on it no longer, or never did.
pub(crate) fn forged(card: &Message, control: &str, asked: &Value) -> Message {
    let mut forged = card.clone();
    let value = value_of(control, asked);
    let button = json!({ "type": "button", "action_id": control, "value": value, "text": {} });
    let block = json!({ "type": "actions", "block_id": "forged", "elements": [button] });
    forged.blocks = vec![block];
    forged
}

/// What a button says when it is pressed.
fn value_of(control: &str, asked: &Value) -> String {
    let id = asked["id"].as_str().unwrap();
    match control {
        "approve" | "acknowledge" | "proceed" | "proceed_clean" | "proceed_default" => {
            format!("whole:{id}")
        }
        _ => id.to_owned(),
    }
}

/// What is typed into a modal.
pub(crate) fn typed(text: &str) -> Value {
    json!({ "typed": text })
}

pub(crate) fn approval() -> Value {
    json!({"kind": "approval", "prompt": "May I?", "action": {"tool": "psql", "arguments": {}}})
}

pub(crate) fn plan() -> Value {
    json!({"kind": "plan_review", "prompt": "So?", "plan": "1. Test"})
}

pub(crate) fn form() -> Value {
    json!({"kind": "form", "prompt": "Three things.", "questions": [
        {"id": "port", "prompt": "Which port?"},
        {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
        {"id": "teams", "prompt": "Who?", "options": ["backend", "web", "data"], "multiple": true},
    ]})
}

/// Ana presses, in as few words as Slack may use.
pub(crate) fn pressed(ts: &str, control: &str, asked: &Value) -> Value {
    json!({
        "type": "block_actions", "team": { "id": TEAM }, "user": { "id": ANA }, "api_app_id": APP,
        "container": { "type": "message", "channel_id": MAIN, "message_ts": ts },
        "actions": [{ "action_id": control, "value": value_of(control, asked) }],
    })
}
