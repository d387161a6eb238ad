//! The whole way: an agent asks, people answer in Slack, the agent has the answer. By Socket Mode and by signed
//! requests, on both databases.

use chrono::TimeDelta;
use domain::{Role, SlackId};
use rand::seq::SliceRandom;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::{Caller, id_of, json_of, path_of},
    fake_slack::{ANA, BEN, FakeSlack, MAIN, Message},
    people::{operator, owned},
    slack_desk::{forged, form, plan, typed},
    slack_inbound::{Inbound, WAYS, Way, until},
};

store::on_both_databases!(
    every_kind_is_answered_in_slack_and_the_agent_has_it,
    ten_agents_in_one_channel_each_get_their_own_answer,
    the_dashboard_and_slack_at_the_same_instant_have_one_winner,
    replies_to_open_threads_survive_a_restart,
    a_stranger_links_themselves_and_answers_then,
    a_plan_that_its_card_cuts_is_decided_where_all_of_it_is_shown,
);

/// A server with Slack as it is shipped, and the people who answer there.
struct Team {
    slack: FakeSlack,
    app: TestApp,
}

impl Team {
    async fn start(slack: FakeSlack, database: &TestDatabase, way: Way) -> Self {
        let team = Self {
            app: started(&slack, database, way).await,
            slack,
        };
        for (name, id) in [("Ana", ANA), ("Ben", BEN)] {
            team.link(name, id).await;
        }
        team
    }

    async fn stop(self) -> FakeSlack {
        self.app.stop().await;
        self.slack
    }

    /// Invites somebody and says who they are in Slack.
    async fn link(&self, name: &str, id: &str) {
        let service = &self.app.state.service;
        let by = operator();
        // They stay with the database.
        let _ = service.invite(name, Role::Responder, &by).await;
        let people = service.people(&by).await.unwrap();
        let person = people.into_iter().find(|one| one.person.name == name);
        let id = Some(SlackId::parse(id).unwrap());
        let person = person.unwrap().person;
        if person.slack_id != id {
            service.link_slack(person.id, id, &by).await.unwrap();
        }
    }

    /// The card as it is, when all that was to be sent is sent.
    async fn card(&self, asked: &Value) -> Message {
        self.app.drain().await;
        let store = self.app.state.service.store();
        let interaction = store.interaction(id_of(asked)).await.unwrap().unwrap();
        let posted = interaction.card.and_then(|card| card.posted).unwrap();
        self.slack
            .look(|world| world.message(MAIN, &posted.ts).cloned().unwrap())
    }

    async fn version(&self, asked: &Value) -> i64 {
        let store = self.app.state.service.store();
        let interaction = store.interaction(id_of(asked)).await.unwrap();
        interaction.unwrap().version
    }

    async fn press(&self, user: &str, card: &Message, control: &str) {
        let gesture = self.slack.act(user, card, control, None);
        assert_eq!(
            self.slack.acked(gesture).await,
            Some(json!({})),
            "{control}"
        );
    }

    /// Presses what opens a modal, and sends it.
    async fn fill(&self, user: &str, card: &Message, control: &str, field: &Value) {
        self.press(user, card, control).await;
        let (view, _) = self.slack.open_view(user).await;
        let sent = self.slack.submit(&view, &json!({ "answer": field }));
        assert_eq!(self.slack.acked(sent).await, Some(json!({})), "{control}");
    }

    /// What the agent has when it is closed.
    async fn answered(&self, agent: &Caller<'_>, asked: &Value) -> Value {
        let path = path_of(asked);
        let held = agent.get(&path).header("prefer", "wait=30").send().await;
        let now = json_of(held.unwrap(), StatusCode::OK).await;
        assert_eq!(now["state"], "resolved", "{now}");
        assert_eq!(now["answer"]["responder"]["via"], "slack");
        let closed = self.card(asked).await;
        assert_eq!(closed.controls().count(), 0, "{closed:?}");
        assert!(closed.text.contains("in Slack"), "{}", closed.text);
        now
    }
}

async fn started(slack: &FakeSlack, database: &TestDatabase, way: Way) -> TestApp {
    Inbound::start_for(slack, way, database, &[]).await.app
}

/// What is done with the card.
enum Do {
    Press(&'static str),
    Fill(&'static str, Value),
    Pick(&'static str, &'static str),
    Reply(&'static str),
}

async fn every_kind_is_answered_in_slack_and_the_agent_has_it(database: TestDatabase) {
    let mut slack = FakeSlack::start().await;
    for way in WAYS {
        let team = Team::start(slack, &database, way).await;
        let agent = team.app.agent(&format!("{way:?}")).await;
        let question = || json!({});
        let choice = || json!({"kind": "choice", "options": ["redis", "lru"]});
        let many: Vec<_> = (0..9).map(|n| format!("option {n}")).collect();
        let approval = || json!({"kind": "approval", "action": {"tool": "ls", "arguments": {}}});
        let picked = json!({"picked": ["1", "2"]});
        let several = json!({"kind": "choice", "options": ["a", "b", "c"], "multiple": true});
        for (more, does, pointer, expected) in [
            (
                question(),
                vec![Do::Fill("answer", typed("80\n\nand 81 & <up>"))],
                "/answer/text",
                json!("80\n\nand 81 & <up>"),
            ),
            (
                question(),
                vec![Do::Reply("8080 &amp; &lt;up&gt;")],
                "/answer/text",
                json!("8080 & <up>"),
            ),
            (
                choice(),
                vec![Do::Press("select_option:1")],
                "/answer/selected",
                json!(["lru"]),
            ),
            (
                json!({"kind": "choice", "options": many}),
                vec![Do::Pick("select_option", "7")],
                "/answer/selected",
                json!(["option 7"]),
            ),
            (
                several,
                vec![Do::Fill("answer", picked)],
                "/answer/selected",
                json!(["b", "c"]),
            ),
            (
                json!({"kind": "acknowledgement"}),
                vec![Do::Press("acknowledge")],
                "/outcome",
                json!("answered"),
            ),
            (
                approval(),
                vec![Do::Press("approve")],
                "/approved",
                json!(true),
            ),
            (
                approval(),
                vec![Do::Fill("deny", typed("not on a Friday"))],
                "/answer/text",
                json!("not on a Friday"),
            ),
            (
                plan(),
                vec![Do::Press("proceed_clean")],
                "/answer/decision",
                json!("proceed_clean"),
            ),
            (
                plan(),
                vec![Do::Fill("adjust", typed("tests first"))],
                "/answer/feedback",
                json!("tests first"),
            ),
            (
                form(),
                vec![
                    Do::Fill("answer_step", typed("80")),
                    Do::Reply("Staging"),
                    Do::Fill("answer_step", json!({"picked": ["0", "2"]})),
                ],
                "/answer/answers",
                json!({"port": "80", "env": "staging", "teams": ["backend", "data"]}),
            ),
        ] {
            let asked = agent.ask(more).await;
            for does in does {
                let card = team.card(&asked).await;
                match does {
                    Do::Press(control) => team.press(ANA, &card, control).await,
                    Do::Fill(control, field) => team.fill(ANA, &card, control, &field).await,
                    Do::Pick(control, number) => {
                        let value = format!("whole:{}:{number}", asked["id"].as_str().unwrap());
                        let gesture = team.slack.act(ANA, &card, control, Some(&value));
                        team.slack.acked(gesture).await.unwrap();
                    }
                    Do::Reply(text) => {
                        let version = team.version(&asked).await;
                        team.slack.advance(TimeDelta::seconds(2));
                        team.slack.reply_in_thread(ANA, MAIN, &card.ts, text);
                        until("the reply", async || team.version(&asked).await != version).await;
                    }
                }
            }
            let now = team.answered(&agent, &asked).await;
            assert_eq!(now.pointer(pointer), Some(&expected), "{now}");
            if now["kind"] == "approval" || now["outcome"] == "answered" {
                assert_eq!(now["answer"]["responder"]["name"], "Ana");
            }
        }
        assert_eq!(team.slack.notes(ANA).len(), 0);
        slack = team.stop().await;
    }
}

async fn ten_agents_in_one_channel_each_get_their_own_answer(database: TestDatabase) {
    let mut slack = FakeSlack::start().await;
    for way in WAYS {
        let team = Team::start(slack, &database, way).await;
        let before = team.slack.messages(MAIN).len();
        let mut agents = Vec::new();
        for n in 0..10 {
            agents.push(team.app.agent(&format!("agent {n} {way:?}")).await);
        }
        let mut asked = Vec::new();
        for agent in &agents {
            asked.push(agent.ask(json!({"session_id": "one for all"})).await);
        }
        team.app.drain().await;
        assert_eq!(team.slack.messages(MAIN).len(), before + 10);
        let mut order: Vec<usize> = (0..10).collect();
        order.shuffle(&mut rand::rng());
        for n in order {
            let card = team.card(&asked[n]).await;
            let text = format!("for agent {n}");
            let user = if n % 3 == 0 { ANA } else { BEN };
            if n % 2 == 0 {
                team.slack.reply_in_thread(user, MAIN, &card.ts, &text);
            } else {
                team.fill(user, &card, "answer", &typed(&text)).await;
            }
        }
        for (n, (agent, asked)) in agents.iter().zip(&asked).enumerate() {
            let now = team.answered(agent, asked).await;
            assert_eq!(now["answer"]["text"], format!("for agent {n}"));
            assert_eq!(now["follow_ups"], json!([]));
        }
        slack = team.stop().await;
    }
}

async fn the_dashboard_and_slack_at_the_same_instant_have_one_winner(database: TestDatabase) {
    const ROUNDS: usize = 200;
    let slack = FakeSlack::start().await;
    let team = Team::start(slack, &database, Way::Http).await;
    let agent = team.app.agent("backend").await;
    let cookie = team.app.sign_in("Vera", Role::Responder).await;
    let (mut by_slack, mut notes) = (0, 0);
    for round in 0..ROUNDS {
        let options = json!(["by the page", "by Slack"]);
        let asked = agent
            .ask(json!({"kind": "choice", "options": options}))
            .await;
        let card = team.card(&asked).await;
        let page = format!("/blockers/{}", asked["id"].as_str().unwrap());
        let id = asked["id"].as_str().unwrap();
        let form = [("id", id), ("selected[0]", "by the page"), ("form", "1")].map(owned);
        let (page_said, ()) = tokio::join!(
            team.app.submit("/ui/answer-blocker", &cookie, &form),
            team.press(ANA, &card, "select_option:1"),
        );
        let page_said = json_of(page_said, StatusCode::OK).await.to_string();
        let now = agent.poll(&asked).await;
        let winner = now["answer"]["selected"][0].as_str().unwrap().to_owned();
        let slack_won = winner == "by Slack";
        by_slack += usize::from(slack_won);
        // Whoever lost is told.
        if slack_won {
            assert!(page_said.contains("too_late"), "{page_said}");
        } else {
            notes += 1;
            let note = team
                .slack
                .wait_for(|world| world.notes_for(ANA).nth(notes - 1).cloned())
                .await;
            assert!(note.text.contains("Vera"), "{}", note.text);
        }
        assert_eq!(team.slack.notes(ANA).len(), notes, "round {round}");
        // Card and page agree.
        let closed = team.card(&asked).await;
        assert_eq!(closed.controls().count(), 0);
        assert!(closed.text.contains(&winner), "{}", closed.text);
        let shown = team.app.get(&page).header("cookie", &cookie).send().await;
        let shown = shown.unwrap().text().await.unwrap();
        let who = if slack_won { "Ana" } else { "Vera" };
        assert!(shown.contains(who) && shown.contains(&winner), "{shown}");
    }
    // Both were there in time, or nothing was tried.
    assert!(
        (1..ROUNDS).contains(&by_slack),
        "Slack was first {by_slack} times"
    );
}

async fn replies_to_open_threads_survive_a_restart(database: TestDatabase) {
    let mut slack = FakeSlack::start().await;
    for way in WAYS {
        let team = Team::start(slack, &database, way).await;
        let agent = team.app.agent(&format!("{way:?}")).await;
        let token = agent.token.clone();
        let mut asked = Vec::new();
        for _ in 0..5 {
            asked.push(agent.ask(json!({})).await);
        }
        let mut cards = Vec::new();
        for asked in &asked {
            cards.push(team.card(asked).await);
        }
        slack = team.stop().await;
        // Nobody listens, and Slack gives up: the events never come.
        for (n, card) in cards.iter().enumerate() {
            slack.hold_next_event();
            slack.reply_in_thread(ANA, MAIN, &card.ts, &format!("answer {n}"));
        }
        let app = started(&slack, &database, way).await;
        for (n, asked) in asked.iter().enumerate() {
            let held = app.get(&path_of(asked)).bearer_auth(&token);
            let held = held.header("prefer", "wait=30").send().await.unwrap();
            let now = json_of(held, StatusCode::OK).await;
            assert_eq!(now["answer"]["text"], format!("answer {n}"));
        }
        app.stop().await;
    }
}

async fn a_stranger_links_themselves_and_answers_then(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&slack, &database, Way::Http).await;
    let team = Team { slack, app };
    let agent = team.app.agent("backend").await;
    let asked = agent
        .ask(json!({"kind": "approval", "action": {"tool": "ls", "arguments": {}}}))
        .await;
    let card = team.card(&asked).await;
    team.press(ANA, &card, "approve").await;
    let note = team
        .slack
        .wait_for(|world| world.notes_for(ANA).next().cloned())
        .await;
    assert_eq!(agent.poll(&asked).await["state"], "pending");
    let link = note
        .text
        .split_whitespace()
        .find(|word| word.contains("/slack/link/"));
    let path = link.unwrap().split_once("/slack/link/").unwrap().1;
    let cookie = team.app.sign_in("Ana", Role::Responder).await;
    let form = [("token", path)].map(owned);
    let linked = team
        .app
        .submit("/ui/accept-slack-link", &cookie, &form)
        .await;
    assert!(
        linked.status().is_redirection() || linked.status().is_success(),
        "{linked:?}"
    );
    team.press(ANA, &card, "approve").await;
    let now = team.answered(&agent, &asked).await;
    assert_eq!(now["approved"], true);
    assert_eq!(now["answer"]["responder"]["name"], "Ana");
}

async fn a_plan_that_its_card_cuts_is_decided_where_all_of_it_is_shown(database: TestDatabase) {
    const LAST: &str = "DROP TABLE customers CASCADE";
    let mut slack = FakeSlack::start().await;
    for way in WAYS {
        let team = Team::start(slack, &database, way).await;
        let agent = team.app.agent(&format!("{way:?}")).await;
        let step = "Look at the next table, and count its rows.\n";
        let mut plan = step.repeat(20_000 / step.len() - 1);
        plan.push_str(LAST);
        let asked = agent
            .ask(json!({"kind": "plan_review", "plan": plan}))
            .await;
        let card = team.card(&asked).await;
        let names: Vec<_> = card.controls().map(|(_, it)| &it["action_id"]).collect();
        assert_eq!(names, ["read_all", "adjust", "open_dashboard"]);
        let blocks = serde_json::to_string(&card.blocks).unwrap();
        assert!(!blocks.contains(LAST) && !card.text.contains(LAST));
        // From before, or from nowhere.
        let version = team.version(&asked).await;
        let old = forged(&card, "proceed", &asked);
        let notes = team.slack.notes(ANA).len();
        team.press(ANA, &old, "proceed").await;
        let note = team
            .slack
            .wait_for(|world| world.notes_for(ANA).nth(notes).cloned())
            .await;
        assert!(note.text.starts_with("This can no longer be pressed."));
        assert_eq!(team.version(&asked).await, version);
        assert_eq!(agent.poll(&asked).await["state"], "pending");
        team.press(ANA, &card, "read_all").await;
        let (view, shown) = team.slack.open_view(ANA).await;
        assert!(shown.to_string().contains(LAST));
        let values = json!({"answer": {"picked": "0"}});
        let sent = team.slack.submit(&view, &values);
        assert_eq!(team.slack.acked(sent).await, Some(json!({})));
        let now = team.answered(&agent, &asked).await;
        assert_eq!(now["outcome"], "proceed");
        slack = team.stop().await;
    }
}
