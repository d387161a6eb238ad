//! Who is on duty is mentioned beside the card, once, and nobody else is.

use chrono::TimeDelta;
use domain::{
    Event, InteractionEvent, Part, Parts, Payload, Principal, Role, TeamId, duty::RotaDraft,
    team::Profile,
};
use serde_json::{Value, json};
use service::Address;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    caller::id_of,
    fake_slack::{ANA, Channel, FakeSlack, Fault, MAIN},
    pages::{holds, read},
    people::{invite_linked, operator, person_named},
    slack_cards::{pass, started},
};

store::on_both_databases!(
    whoever_is_on_duty_is_mentioned_once_and_nobody_else,
    nobody_is_mentioned_who_is_not_known_in_slack,
    a_mention_that_may_have_arrived_is_looked_for,
    after_a_claim_nobody_is_mentioned,
    whoever_is_off_duty_by_then_is_not_mentioned,
    of_equal_ones_on_one_card_one_is_mentioned,
    what_is_too_much_for_one_person_holds_up_no_question,
);

/// A team with a channel, of which this person is on duty all day.
async fn team(app: &TestApp, on_duty: &str) -> TeamId {
    let team = app.team("Payments").await;
    app.join(team, on_duty, Part::Answers).await;
    let (service, by) = (&app.state.service, operator());
    put_on_duty(app, team, on_duty).await;
    let profile = Profile {
        name: "Payments".to_owned(),
        slack_channel: Some(MAIN.to_owned()),
        ..Profile::default()
    };
    service.change_team(team, profile, &by).await.unwrap();
    team
}

/// Everything is sent, also what is put off by some minutes. What a team is owed is in no list that everybody may see.
async fn all_sent(app: &TestApp, slack: &FakeSlack) {
    // The first rung is told by a job beside the asking.
    app.state.service.climb_due().await.unwrap();
    app.drain().await;
    for _ in 0..10 {
        pass(app, slack, TimeDelta::seconds(30));
        app.drain().await;
    }
}

async fn put_on_duty(app: &TestApp, team: TeamId, on_duty: &str) {
    let rota = RotaDraft {
        people: vec![on_duty.to_owned()],
        every: "day".into(),
        at: "09:00".into(),
        zone: "UTC".into(),
        starts: Some("2027-01-11".into()),
    };
    let service = &app.state.service;
    service.set_rota(team, &rota, &operator()).await.unwrap();
}

/// The messages of the channel and its threads that mention anybody.
fn mentions(slack: &FakeSlack) -> Vec<(String, Option<String>)> {
    // In other parts of a block a word of an agent's is no call, whatever it looks like.
    let calls = ["<@", "<!channel", "<!here", "<!everyone", "<!subteam"];
    let messages = slack.messages(MAIN).into_iter();
    let mentions = messages.filter(|one| calls.iter().any(|call| one.text.contains(call)));
    mentions.map(|one| (one.text, one.thread_ts)).collect()
}

async fn history(app: &TestApp, asked: &Value) -> Vec<Event> {
    let store = app.state.service.store();
    store
        .events_of(id_of(asked), 0, 1_000)
        .await
        .unwrap()
        .collect()
}

const HERS: &str = "<@U0ANA> You are on duty, and this waits for an answer.";

async fn whoever_is_on_duty_is_mentioned_once_and_nobody_else(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    let payments = team(&app, "Ana").await;
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    let asked = agent
        .ask(json!({"prompt": "Which <!channel> or @here?", "timeout_seconds": 3600}))
        .await;
    all_sent(&app, &slack).await;
    let store = app.state.service.store();
    let card = store
        .interaction(id_of(&asked))
        .await
        .unwrap()
        .unwrap()
        .card;
    let ts = card.unwrap().posted.unwrap().ts;
    let once = [(HERS.to_owned(), Some(ts))];
    assert_eq!(mentions(&slack), once);
    // Silence climbs, and the channel hears nothing more of it.
    pass(&app, &slack, TimeDelta::minutes(20));
    all_sent(&app, &slack).await;
    assert_eq!(mentions(&slack), once);
    let reached = history(&app, &asked).await.into_iter().filter(|event| {
        matches!(&event.payload, Payload::Interaction(InteractionEvent::Reached { person, rung: 0, .. }) if person.name == "Ana")
    });
    assert_eq!(reached.count(), 1);
    let cookie = app.sign_in("Ada", Role::Admin).await;
    let story = format!("/interactions/{}", asked["id"].as_str().unwrap());
    let html = read(&app, &cookie, &story).await;
    holds(
        &html,
        &[
            "Told at once",
            "Ana: a mention in Slack",
            "was reached by a message in Slack",
        ],
    );
    assert_eq!(slack.take_violations(), [""; 0]);
}

async fn nobody_is_mentioned_who_is_not_known_in_slack(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    // Ben is, and is not on duty.
    invite_linked(&app, "Ben", Role::Admin, "U0BEN").await;
    let (service, by) = (&app.state.service, operator());
    service.invite("Cem", Role::Responder, &by).await.unwrap();
    let payments = team(&app, "Cem").await;
    app.join(payments, "Ben", Part::Answers).await;
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    agent.ask(json!({"timeout_seconds": 3600})).await;
    all_sent(&app, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    assert!(mentions(&slack).is_empty());
}

async fn a_mention_that_may_have_arrived_is_looked_for(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    let payments = team(&app, "Ana").await;
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    // Of both Slack does not say that it has them: the channel is read, and then the thread.
    slack.fail("chat.postMessage", [Fault::DoneThen500, Fault::DoneThen500]);
    agent.ask(json!({"timeout_seconds": 3600})).await;
    all_sent(&app, &slack).await;
    assert_eq!(mentions(&slack).len(), 1);
    assert_eq!(slack.messages(MAIN).len(), 2, "and one card");
}

async fn after_a_claim_nobody_is_mentioned(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    let payments = team(&app, "Ana").await;
    let agent = app.agent("backend").await;
    let desk = app.responder_of("desk", payments).await;
    app.home(payments, "backend").await;
    // Slack takes nothing for a while, in which somebody is on it.
    slack.fail("chat.postMessage", [Fault::Limited(60)]);
    let asked = agent.ask(json!({"timeout_seconds": 7200})).await;
    app.drain().await;
    desk.done(&asked, "claim", json!({"minutes": 15})).await;
    all_sent(&app, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1, "the card");
    assert!(mentions(&slack).is_empty());
}

async fn whoever_is_off_duty_by_then_is_not_mentioned(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    invite_linked(&app, "Ben", Role::Responder, "U0BEN").await;
    let payments = team(&app, "Ana").await;
    app.join(payments, "Ben", Part::Answers).await;
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    // Slack takes nothing for a while, in which somebody else takes over.
    slack.fail("chat.postMessage", [Fault::Limited(60)]);
    agent.ask(json!({"timeout_seconds": 7200})).await;
    app.drain().await;
    put_on_duty(&app, payments, "Ben").await;
    all_sent(&app, &slack).await;
    assert_eq!(slack.messages(MAIN).len(), 1, "the card");
    assert!(mentions(&slack).is_empty());
}

async fn of_equal_ones_on_one_card_one_is_mentioned(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    let payments = team(&app, "Ana").await;
    let agent = app.agent("backend").await;
    app.home(payments, "backend").await;
    let approval = json!({
        "kind": "approval", "prompt": "May I?", "action": {"tool": "psql", "arguments": {}},
        "timeout_seconds": 7200,
    });
    // Two that come together, and one that joins them when the person was told.
    slack.fail("chat.postMessage", [Fault::Limited(5)]);
    for _ in 0..2 {
        agent.ask(approval.clone()).await;
        app.drain().await;
    }
    all_sent(&app, &slack).await;
    agent.ask(approval).await;
    all_sent(&app, &slack).await;
    assert_eq!(mentions(&slack).len(), 1);
    assert_eq!(slack.messages(MAIN).len(), 2, "and one card");
}

async fn what_is_too_much_for_one_person_holds_up_no_question(database: TestDatabase) {
    let slack = FakeSlack::start().await;
    slack.set(|world| {
        // What Slack opens for a user's id.
        let channel = Channel {
            name: "ana",
            is_member: true,
            is_archived: false,
            people: vec![ANA],
        };
        world.channels.insert(ANA.to_owned(), channel);
    });
    let app = started(&database, &slack).await;
    invite_linked(&app, "Ana", Role::Responder, ANA).await;
    let agent = app.agent("backend").await;
    agent.ask(json!({"timeout_seconds": 7200})).await;
    app.drain().await;
    assert_eq!(slack.messages(MAIN).len(), 1);
    let ana = person_named(&app, "Ana").await;
    let by = Principal::Person {
        id: ana,
        name: "Ana".to_owned(),
        role: Role::Responder,
        proven_at: chrono::DateTime::UNIX_EPOCH,
        teams: Parts::default(),
    };
    let service = &app.state.service;
    service
        .add_reach(&Address::Slack {}, "", &by)
        .await
        .unwrap();
    slack.fail("chat.postMessage", [Fault::Limited(60)]);
    // Whoever reaches nobody looks again after a minute.
    pass(&app, &slack, TimeDelta::minutes(2));
    app.drain().await;
    assert!(slack.messages(ANA).is_empty(), "refused");
    agent
        .ask(json!({"prompt": "And this?", "timeout_seconds": 7200}))
        .await;
    app.drain().await;
    assert_eq!(slack.messages(MAIN).len(), 2);
    assert!(slack.messages(ANA).is_empty(), "their conversation rests");
    // Not so long that the next rungs come.
    for _ in 0..4 {
        pass(&app, &slack, TimeDelta::seconds(30));
        app.drain().await;
    }
    assert_eq!(slack.messages(MAIN).len(), 2);
    assert_eq!(slack.messages(ANA).len(), 2);
    assert_eq!(slack.take_violations(), [""; 0]);
}
