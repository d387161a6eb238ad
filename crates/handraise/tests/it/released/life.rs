//! A life that leaves something of every kind in every state: what people and agents did with a server before it was stopped.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Part, Role, SlackId};
use machine::clock::Clock as _;
use reqwest::{StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use server::config::Config;
use store::testing::TestDatabase;
use tokio::net::TcpListener;

use crate::support::{
    app::TestApp,
    browser::Browser,
    caller::{Caller, id_of, json_of, path_of},
    fake_slack::{ANA, FakeSlack},
    hooks::hook,
    people::{operator, owned, person_named},
    receiver::{Manner, Receiver},
    slack_cards::with_slack,
};

/// Under this something was asked that may be asked again.
pub(super) const KEY: &str = "asked-once";
/// Two by two pixels.
const PNG: &[u8] = include_bytes!("two_by_two.png");

/// Who lived it, until when, and what they can go on with. Tokens and cookies are good for this database alone.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Lived {
    pub(super) until: DateTime<Utc>,
    pub(super) agent: String,
    pub(super) desk: String,
    pub(super) cookie: String,
    /// An approval that nobody has decided yet.
    pub(super) waits: Value,
    /// An approval that a run has used.
    pub(super) used: Value,
    /// A question that nobody has answered yet.
    pub(super) question: Value,
}

/// What is asked under [`KEY`].
pub(super) fn keyed() -> Value {
    json!({"kind": "question", "prompt": "Asked once, said twice?"})
}

fn command(words: &str) -> Value {
    json!({
        "kind": "approval", "prompt": format!("May `{words}` run?"), "session_id": "run-1", "timeout_seconds": MONTH,
        "action": {"tool": "Bash", "arguments": {"command": words}},
    })
}

/// An ask that a grant covers.
pub(super) fn tests_of(package: &str) -> Value {
    command(&format!("cargo test -p {package}"))
}

const MONTH: i64 = 2_592_000;

/// Leads it from start to stop.
pub(super) async fn lead(database: &TestDatabase, beside: impl FnOnce(&mut Config)) -> Lived {
    let slack = FakeSlack::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let app = TestApp::start_at(listener, database, |config| {
        with_slack(&slack)(config);
        config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
        beside(config);
    })
    .await;
    let life = Life {
        agent: app.agent("backend").await,
        desk: app.responder("desk").await,
        app: &app,
    };
    let mut ana = Browser::signed_in(&app, "Ana", Role::Admin).await;
    let ben = app.sign_in("Ben", Role::Responder).await;
    life.company(&mut ana).await;
    life.receivers().await;
    life.kinds().await;
    let used = life.approvals().await;
    life.several_people(&ana.cookie, &ben).await;
    life.plans().await;
    life.files(&ana.cookie).await;
    life.rules().await;
    life.tasks().await;
    life.ends().await;
    let (waits, question) = life.waiting(&ana.cookie).await;
    app.drain().await;
    app.state.checkpoints.sign_new().await.unwrap();
    let lived = Lived {
        until: app.clock.now(),
        agent: life.agent.token.clone(),
        desk: life.desk.token.clone(),
        cookie: ana.cookie.clone(),
        waits,
        used,
        question,
    };
    app.stop().await;
    lived
}

struct Life<'a> {
    app: &'a TestApp,
    agent: Caller<'a>,
    desk: Caller<'a>,
}

impl Life<'_> {
    async fn answered(&self, asked: Value, answer: Value) -> Value {
        let asked = self.agent.ask(asked).await;
        self.desk.done(&asked, "answer", answer).await
    }

    fn later(&self) {
        self.app.clock.advance(TimeDelta::minutes(7));
    }

    async fn company(&self, ana: &mut Browser<'_>) {
        let (service, by) = (&self.app.state.service, operator());
        let payments = self.app.team("Payments").await;
        self.app.join(payments, "Ana", Part::Answers).await;
        self.app.join(payments, "Ben", Part::Answers).await;
        self.app.agent("billing").await;
        self.app.home(payments, "billing").await;
        let cleo = {
            self.app.sign_in("Cleo", Role::Viewer).await;
            person_named(self.app, "Cleo").await
        };
        service.disable_person(cleo, true, true, &by).await.unwrap();
        let person = person_named(self.app, "Ana").await;
        let id = Some(SlackId::parse(ANA).unwrap());
        service.link_slack(person, id, &by).await.unwrap();
        ana.submit("/settings/reach/slack", &[]).await;
        let rungs = serde_json::from_value(json!({
            "urgent": ["0 team"], "sync": ["0 team", "30m admins"], "async": ["0 team", "1h team"],
        }));
        service
            .set_ladder(Some(payments), &rungs.unwrap(), &by)
            .await
            .unwrap();
        self.later();
    }

    /// One gets everything, one gets nothing.
    async fn receivers(&self) {
        let well = Receiver::start((0..200).map(|_| Manner::Answers(200, "", "thanks"))).await;
        hook(
            &self.desk,
            &well,
            json!({"name": "Well", "events": ["interaction.resolved"]}),
        )
        .await;
        let ill = Receiver::start((0..200).map(|_| Manner::Answers(500, "", "no"))).await;
        hook(
            &self.desk,
            &ill,
            json!({"name": "Ill", "events": ["interaction.cancelled"]}),
        )
        .await;
        let called = json!({"callback_url": well.url(), "prompt": "Shall I be called back?"});
        self.answered(called, json!({"text": "yes"})).await;
        let taken_back = self.agent.ask(json!({"prompt": "Never mind?"})).await;
        self.agent
            .done(&taken_back, "cancel", json!({"reason": "found it"}))
            .await;
        self.app.drain().await;
        self.later();
    }

    async fn kinds(&self) {
        let port = self
            .answered(
                json!({"prompt": "Which <port>?", "title": "Ports & 港"}),
                json!({"text": "6380"}),
            )
            .await;
        self.agent.done(&port, "collect", json!({})).await;
        self.desk
            .done(&port, "follow_up", json!({"text": "Or 6381."}))
            .await;
        self.answered(
            json!({"kind": "choice", "options": ["lru", "lfu"]}),
            json!({"selected": ["lfu"]}),
        )
        .await;
        let several = json!({"kind": "choice", "options": ["a", "b", "c"], "multiple": true, "priority": "urgent"});
        self.answered(several, json!({"selected": ["a", "c"]}))
            .await;
        self.answered(json!({"kind": "acknowledgement"}), json!({}))
            .await;
        self.agent.ask(json!({"kind": "notification", "level": "warning", "prompt": "The disk is nearly full"})).await;
        let form = self
            .agent
            .ask(
                json!({"kind": "form", "timeout_seconds": MONTH, "questions": [
                    {"id": "port", "prompt": "Which port?"},
                    {"id": "env", "prompt": "Where?", "options": ["staging", "production"]},
                ]}),
            )
            .await;
        self.desk
            .done(&form, "answer", json!({"answers": {"port": "1"}}))
            .await;
        let whole = self
            .agent
            .ask(json!({"kind": "form", "questions": [{"id": "q", "prompt": "Why?"}]}))
            .await;
        self.desk
            .done(&whole, "answer", json!({"answers": {"q": "Because."}}))
            .await;
        let keyed_once = self
            .agent
            .post("/api/v1/interactions")
            .header("idempotency-key", KEY)
            .json(&keyed());
        json_of(keyed_once.send().await.unwrap(), StatusCode::CREATED).await;
        let memory = self
            .answered(
                json!({"prompt": "Which cache?"}),
                json!({"text": "the old one"}),
            )
            .await;
        let stands = self
            .desk
            .post("/api/v1/memories")
            .json(&json!({"from": memory["id"], "days": 20}));
        json_of(stands.send().await.unwrap(), StatusCode::CREATED).await;
        self.agent.ask(json!({"prompt": "Which cache?"})).await;
        self.later();
    }

    /// The one that was used is returned.
    async fn approvals(&self) -> Value {
        let yes = json!({"approved": true, "text": "go on"});
        let used = self.answered(command("make deploy"), yes.clone()).await;
        self.agent
            .done(&used, "consume", json!({"run": "run-1"}))
            .await;
        self.agent
            .done(
                &used,
                "report",
                json!({"outcome": "failed", "text": "exit code 2"}),
            )
            .await;
        self.answered(command("make clean"), yes.clone()).await;
        self.answered(
            command("rm -r /"),
            json!({"approved": false, "text": "never"}),
        )
        .await;
        let mut deploy = command("scale");
        deploy["action"] =
            json!({"tool": "deploy", "arguments": {"replicas": 3, "service": "api"}});
        deploy["amendable"] = json!({"paths": ["/replicas"]});
        let amended = json!({"approved": true, "arguments": {"replicas": 1, "service": "api"}});
        self.answered(deploy, amended).await;
        let first = self.answered(tests_of("store"), yes).await;
        let offers = self.desk.read(&format!("{}/grants", path_of(&first))).await;
        let words = |offer: &&Value| offer["in_words"].as_str().unwrap().contains("`cargo test`");
        let offer = offers.as_array().unwrap().iter().find(words).unwrap();
        let expires_at = self.app.clock.now() + TimeDelta::days(20);
        for (body, is_revoked) in [
            (
                json!({"from": first["id"], "matcher": offer["matcher"], "expires_at": expires_at}),
                false,
            ),
            (
                json!({"from": first["id"], "uses": 3, "expires_at": expires_at}),
                true,
            ),
        ] {
            let made = self
                .desk
                .post("/api/v1/grants")
                .json(&body)
                .send()
                .await
                .unwrap();
            let made = json_of(made, StatusCode::CREATED).await;
            if is_revoked {
                let path = format!("/api/v1/grants/{}", made["id"].as_str().unwrap());
                self.desk.delete(&path).send().await.unwrap();
            }
        }
        self.agent.ask(tests_of("service")).await;
        self.later();
        used
    }

    async fn press(&self, cookie: &str, asked: &Value, approved: &str) {
        let form = [
            ("id", asked["id"].as_str().unwrap()),
            ("approved", approved),
        ]
        .map(owned);
        let pressed = self.app.submit("/ui/answer-blocker", cookie, &form).await;
        assert_eq!(pressed.status(), StatusCode::OK);
    }

    async fn several_people(&self, ana: &str, ben: &str) {
        let mut both = command("terraform apply");
        both["approvals"] = json!({"needed": 2});
        let whole = self.agent.ask(both.clone()).await;
        self.press(ana, &whole, "true").await;
        self.press(ben, &whole, "true").await;
        let half = self.agent.ask(both.clone()).await;
        self.press(ana, &half, "true").await;
        let denied = self.agent.ask(both).await;
        self.press(ana, &denied, "true").await;
        self.press(ben, &denied, "false").await;
        self.later();
    }

    async fn plans(&self) {
        let plan = json!({"kind": "plan_review", "plan": "1. Read\n2. Write\n3. Test", "timeout_seconds": MONTH});
        let adjust = json!({"decision": "adjust", "feedback": "Test first.", "comments": [{"line": 2, "text": "Later."}]});
        let first = self.answered(plan.clone(), adjust).await;
        let mut second = plan.clone();
        second["plan"] = json!("1. Read\n2. Test\n3. Write");
        second["revises"] = first["id"].clone();
        self.answered(second, json!({"decision": "proceed_clean"}))
            .await;
        self.agent.ask(plan).await;
        self.later();
    }

    async fn files(&self, ana: &str) {
        let send = self.agent.post("/api/v1/attachments?name=screen.png");
        let sent = send
            .header(header::CONTENT_TYPE, "image/png")
            .body(PNG)
            .send()
            .await;
        let file = json_of(sent.unwrap(), StatusCode::CREATED).await;
        let mut asked = command("publish the picture");
        asked["attachments"] = json!([file["id"]]);
        let asked = self.agent.ask(asked).await;
        self.press(ana, &asked, "true").await;
        self.later();
    }

    async fn rules(&self) {
        let policies = serde_json::from_value(json!({"rules": [
            {
                "name": "no-drop", "then": "forbid", "reason": "It cannot be taken back.",
                "when": {"tools": ["Bash"], "arguments": [{"has": {"words": ["drop", "database"]}}]},
                "match": [{"tool": "Bash", "arguments": {"command": "drop database x"}}],
                "not_match": [{"tool": "Bash", "arguments": {"command": "ls"}}],
            },
            {
                "name": "look", "then": "allow",
                "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
                    {"at": ["command"], "by": {"words": {"begin": ["git", "status"]}}},
                ]}},
                "match": [{"tool": "Bash", "arguments": {"command": "git status"}}],
                "not_match": [{"tool": "Bash", "arguments": {"command": "git push"}}],
            },
        ]}));
        let (service, by) = (&self.app.state.service, operator());
        service
            .set_policies(policies.unwrap(), None, &by)
            .await
            .unwrap();
        for (words, outcome) in [("drop database x", "denied"), ("git status", "approved")] {
            assert_eq!(self.agent.ask(command(words)).await["outcome"], outcome);
        }
        self.later();
    }

    async fn tasks(&self) {
        for (id, status) in [("T-1", "running"), ("T-2", "done")] {
            let task = self.agent.put(&format!("/api/v1/tasks/{id}"));
            let task = task.json(&json!({"title": format!("Task {id}"), "status": status}));
            assert!(task.send().await.unwrap().status().is_success());
        }
        self.agent
            .ask(json!({"prompt": "How on?", "task": {"id": "T-1"}, "timeout_seconds": MONTH}))
            .await;
    }

    async fn ends(&self) {
        let short = self
            .agent
            .ask(json!({"prompt": "In a minute?", "timeout_seconds": 60}))
            .await;
        let with_fallback =
            json!({"prompt": "Or else?", "timeout_seconds": 60, "fallback": "else"});
        let fallback = self.agent.ask(with_fallback).await;
        self.later();
        self.app.state.service.expire_due().await.unwrap();
        assert_eq!(self.agent.poll(&short).await["outcome"], "expired");
        assert_eq!(self.agent.poll(&fallback).await["answer"]["text"], "else");
        let forgotten = self
            .answered(
                json!({"prompt": "To be forgotten?"}),
                json!({"text": "please"}),
            )
            .await;
        self.app.drain().await;
        let id = id_of(&forgotten);
        self.app.state.service.erase(id, &operator()).await.unwrap();
        self.later();
    }

    /// What nobody has decided yet: an approval, and a question that one is on and another has put off.
    async fn waiting(&self, ana: &str) -> (Value, Value) {
        let waits = self.agent.ask(command("make release")).await;
        let question = self
            .agent
            .ask(json!({"prompt": "Which month?", "timeout_seconds": MONTH}))
            .await;
        self.desk
            .done(&question, "claim", json!({"minutes": 200}))
            .await;
        let form = [("id", waits["id"].as_str().unwrap()), ("minutes", "60")].map(owned);
        let put_off = self.app.submit("/ui/snooze-blocker", ana, &form).await;
        assert_eq!(put_off.status(), StatusCode::OK);
        (waits, question)
    }
}

/// Files that a life leaves beside its database, by their places in its folder.
pub(super) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let place = path.strip_prefix(folder).unwrap().display().to_string();
                    found.push((place, std::fs::read(&path).unwrap()));
                }
            }
        }
    }
    found.sort();
    found
}
