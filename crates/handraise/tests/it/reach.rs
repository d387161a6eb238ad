//! People are reached away from the page: once, who it concerns, with what still waits, whatever push services do.

use app::desk::frames::{ClientFrame, ServerFrame};
use chrono::TimeDelta;
use domain::{Part, Role, delivery::DeliveryState, duty::RotaDraft};
use futures::SinkExt;
use reqwest::StatusCode;
use serde_json::{Value, json};
use store::testing::TestDatabase;
use tokio_tungstenite::tungstenite::Message;

use crate::support::{
    app::TestApp,
    browser::{Browser, place},
    caller::{id_of, json_of, path_of},
    hooks::start,
    people::{operator, person_named},
    push::Subscribed,
    reaching::{ana_by, first_way, reachable, reached, states, with_phone},
    receiver::{Manner, Receiver},
    socket::{next, resumed},
};

store::on_both_databases!(
    a_question_is_told_sealed_and_signed_and_taken_away_when_it_is_answered,
    a_message_that_failed_is_sent_again_with_its_id_and_told_of_once,
    a_browser_that_is_gone_is_told_nothing_more,
    only_a_browser_that_fails_many_times_and_for_days_is_given_up,
    a_browser_that_gets_another_address_goes_on_reaching_whom_it_reached,
    a_question_that_is_over_or_another_s_by_now_is_not_told,
    a_page_that_stays_open_on_the_question_holds_a_message_back_for_a_minute_at_most,
    a_push_service_that_stalls_delays_no_other,
    the_person_on_duty_is_told_first_and_all_where_there_is_no_rota,
    two_nodes_tell_each_person_once,
    a_test_says_when_it_arrived,
    a_person_touches_only_their_own_ways,
    signing_out_of_a_browser_ends_what_it_is_told,
);

async fn a_question_is_told_sealed_and_signed_and_taken_away_when_it_is_answered(
    database: TestDatabase,
) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (_, phone) = with_phone(&app, "Ana", []).await;
    // Viewers answer nothing, and are told nothing.
    let mut vic = Browser::signed_in(&app, "Vic", Role::Viewer).await;
    let other = Subscribed::at([]).await;
    other.add(&mut vic).await;
    let action = json!({"tool": "restart", "arguments": {"worker": 3}});
    let more = json!({"kind": "approval", "mode": "sync", "prompt": "Restart worker 3?", "action": action,
        "timeout_seconds": 1080});
    let asked = agent.ask(more).await;
    app.drain().await;
    let got = phone.service.got().remove(0);
    assert!(phone.is_signed(&got, &app));
    assert_eq!(got.path, "/push/secret");
    assert_eq!(got.headers["content-encoding"], "aes128gcm");
    assert_eq!(got.headers["ttl"], "1080");
    assert_eq!(got.headers["urgency"], "high");
    assert!(!got.body.contains("worker"));
    let told = phone.read(&got);
    assert_eq!(told["web_push"], 8030);
    assert_eq!(
        told["notification"]["title"],
        "backend needs approval · 18 min left"
    );
    assert_eq!(
        told["notification"]["body"],
        "restart {\"worker\":3}\nRestart worker 3?"
    );
    let place = format!("/q/{}", asked["id"].as_str().unwrap());
    assert_eq!(told["notification"]["navigate"], app.page_url(&place));
    assert_eq!(told["handraise"]["interaction"], asked["id"]);
    assert_eq!(told["handraise"]["buttons"][0]["title"], "Approve");
    assert_eq!(other.service.got().len(), 0);
    assert_eq!(reached(&app).await, [ana_by("push")]);
    // An agent learns that somebody was, not who.
    let events = agent.read("/api/v1/events?after=0").await;
    let events = events["items"].as_array().unwrap();
    let heard = events
        .iter()
        .find(|one| one["type"] == "interaction.reached");
    assert_eq!(heard.unwrap()["payload"], json!({"by": "push", "rung": 0}));
    let topic = got.headers["topic"].clone();
    desk.done(&asked, "answer", json!({"approved": false}))
        .await;
    app.drain().await;
    let taken = phone.service.got().remove(0);
    assert_eq!(taken.headers["topic"], topic);
    let told = phone.read(&taken);
    assert_eq!(told["handraise"]["is"], "closed");
    assert_eq!(told["handraise"]["interaction"], asked["id"]);
    assert_eq!(told.get("notification"), None);
    assert_eq!(reached(&app).await.len(), 1);
}

async fn a_message_that_failed_is_sent_again_with_its_id_and_told_of_once(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let (_, phone) = with_phone(
        &app,
        "Ana",
        [Manner::Answers(503, "", "later"), Manner::DropsTheReply],
    )
    .await;
    agent.ask(json!({})).await;
    app.drain().await;
    let first = phone.got().remove(0);
    assert_eq!(reached(&app).await, []);
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    let second = phone.got().remove(0);
    assert_eq!(reached(&app).await, []);
    app.clock.advance(TimeDelta::seconds(12));
    app.drain().await;
    let third = phone.got().remove(0);
    for again in [&second, &third] {
        assert_eq!(again["handraise"]["message"], first["handraise"]["message"]);
    }
    assert_eq!(reached(&app).await, [ana_by("push")]);
    assert_eq!(states(&app).await, [DeliveryState::Delivered]);
}

async fn a_browser_that_is_gone_is_told_nothing_more(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    for status in [404, 410] {
        let phone = Subscribed::at([Manner::Answers(status, "", "gone")]).await;
        phone.add(&mut ana).await;
        agent.ask(json!({})).await;
        app.drain().await;
        assert_eq!(phone.got().len(), 1);
        agent.ask(json!({})).await;
        app.clock.advance(TimeDelta::hours(1));
        app.drain().await;
        assert_eq!(phone.got().len(), 0);
    }
    let told = app.told().await;
    let ended = told.iter().filter(|one| one.starts_with("reach.ended"));
    assert_eq!(ended.count(), 2);
    let page = ana.page("/settings/reach").await;
    assert!(page.contains("You have no way to be reached yet"), "{page}");
    let why = "its push service knows it no more";
    assert_eq!(page.matches(why).count(), 2, "{page}");
    // Once it is added again there is nothing to tell.
    app.clock.advance(TimeDelta::seconds(1));
    Subscribed::at([]).await.add(&mut ana).await;
    let page = ana.page("/settings/reach").await;
    assert!(!page.contains(why), "{page}");
}

async fn a_browser_that_gets_another_address_goes_on_reaching_whom_it_reached(
    database: TestDatabase,
) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let (first, second, third) = (
        Subscribed::at([]).await,
        Subscribed::at([Manner::Answers(410, "", "gone")]).await,
        Subscribed::at([]).await,
    );
    first.add(&mut ana).await;
    // Whoever else is signed in there by now does not get it.
    let refused = second.renew(&mut ben, &first).await;
    assert_eq!(refused, "/settings/reach?refused=gone");
    let added = second.renew(&mut ana, &first).await;
    assert_eq!(added, "/settings/reach?done=added");
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!((first.got().len(), second.got().len()), (0, 1));
    // Also when the push service said first that the former is gone.
    let added = third.renew(&mut ana, &second).await;
    assert_eq!(added, "/settings/reach?done=added");
    agent.ask(json!({"prompt": "And which host?"})).await;
    app.drain().await;
    let told = third.got();
    let is_it = |one: &Value| one["notification"]["body"] == "And which host?";
    assert!(told.iter().any(is_it), "{told:?}");
    let page = ana.page("/settings/reach").await;
    assert!(!page.contains("Reaches you no more"), "{page}");
}

async fn only_a_browser_that_fails_many_times_and_for_days_is_given_up(database: TestDatabase) {
    let fails = || std::iter::repeat_n(Manner::Answers(500, "", "no"), 60);
    let ntfy = Receiver::start(fails()).await;
    let app = TestApp::start_with(&database, |config| {
        reachable(config);
        config.ntfy.url = Some(format!("http://{}", ntfy.addr));
    })
    .await;
    let (mut ana, _phone) = with_phone(&app, "Ana", fails()).await;
    ana.submit("/settings/reach/ntfy", &[("topic", "ana-phone")])
        .await;
    let id = person_named(&app, "Ana").await;
    let store = app.state.service.store();
    let ways = async || store.reaches_of(id).await.unwrap();
    // One failure today, and one days later: that is bad luck.
    for _ in 0..2 {
        for way in ways().await {
            let which = way.reach.id.to_string();
            ana.submit("/settings/reach/test", &[("id", &which)]).await;
        }
        app.drain().await;
        assert_eq!(ways().await.len(), 2);
        app.clock.advance(TimeDelta::days(3));
        app.drain().await;
    }
    for _ in 0..8 {
        for way in ways().await {
            let which = way.reach.id.to_string();
            ana.submit("/settings/reach/test", &[("id", &which)]).await;
        }
        app.drain().await;
        // Longer than any pause between two tries.
        app.clock.advance(TimeDelta::hours(2));
        app.drain().await;
    }
    // The topic is still there, and so is why the browser is not.
    let left = ways().await;
    let left: Vec<_> = left.iter().map(|way| way.reach.kind.name()).collect();
    assert_eq!(left, ["ntfy"]);
    let page = ana.page("/settings/reach").await;
    assert!(
        page.contains("nothing arrived there for five days"),
        "{page}"
    );
}

async fn a_question_that_is_over_or_another_s_by_now_is_not_told(database: TestDatabase) {
    let app = start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let (_, phone) = with_phone(&app, "Ana", []).await;
    let busy = || Manner::Answers(503, "", "later");
    // It is answered before the second try.
    phone.service.behave([busy()]);
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 1);
    desk.answer(&asked, "8080").await;
    app.clock.advance(TimeDelta::minutes(1));
    app.drain().await;
    let told = phone.got();
    assert!(
        told.iter().all(|one| one["handraise"]["is"] == "closed"),
        "{told:?}"
    );
    // Its deadline passes.
    phone.service.behave([busy()]);
    let asked = agent.ask(json!({"timeout_seconds": 60})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 1);
    app.clock.advance(TimeDelta::seconds(61));
    let held = agent.get(&path_of(&asked)).header("prefer", "wait=30");
    let expired = json_of(held.send().await.unwrap(), StatusCode::OK).await;
    assert_eq!(expired["state"], "expired");
    app.drain().await;
    let told = phone.got();
    assert!(
        told.iter().all(|one| one["handraise"]["is"] == "closed"),
        "{told:?}"
    );
    // She leaves the team that was asked.
    let team = app.team("Payments").await;
    app.join(team, "Ana", Part::Answers).await;
    app.home(team, "backend").await;
    phone.service.behave([busy()]);
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 1);
    app.part(team, "Ana").await;
    app.clock.advance(TimeDelta::minutes(1));
    app.drain().await;
    assert_eq!(phone.got(), Vec::<Value>::new());
    // She is kept out.
    app.join(team, "Ana", Part::Answers).await;
    phone.service.behave([busy()]);
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 1);
    let id = person_named(&app, "Ana").await;
    app.state
        .service
        .disable_person(id, true, false, &operator())
        .await
        .unwrap();
    app.clock.advance(TimeDelta::minutes(1));
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got(), Vec::<Value>::new());
    assert_eq!(reached(&app).await, []);
}

async fn a_page_that_stays_open_on_the_question_holds_a_message_back_for_a_minute_at_most(
    database: TestDatabase,
) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let phone = Subscribed::at([Manner::Answers(503, "", "later")]).await;
    phone.add(&mut ana).await;
    let asked = agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 1);
    let mut page = resumed(&app, &ana.cookie, app.last_seq().await).await;
    let mut other = resumed(&app, &ben.cookie, app.last_seq().await).await;
    let here = Some(format!("/blockers/{}", id_of(&asked)));
    for (page, place) in [(&mut page, here), (&mut other, None)] {
        let frame = serde_json::to_string(&ClientFrame::At { place }).unwrap();
        page.send(Message::text(frame)).await.unwrap();
    }
    // Once others hear that she is there, the server knows it.
    loop {
        match next(&mut other).await {
            ServerFrame::Present { people } if !people.is_empty() => break,
            _ => {}
        }
    }
    for _ in 0..3 {
        app.clock.advance(TimeDelta::seconds(15));
        app.drain().await;
        assert_eq!(phone.got(), Vec::<Value>::new());
    }
    app.clock.advance(TimeDelta::seconds(16));
    app.drain().await;
    assert_eq!(phone.got()[0]["handraise"]["is"], "question");
    drop(page);
}

async fn a_push_service_that_stalls_delays_no_other(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let (slow, quick) = (
        Subscribed::at([Manner::Hangs]).await,
        Subscribed::at([]).await,
    );
    slow.add(&mut ana).await;
    quick.add(&mut ben).await;
    agent.ask(json!({})).await;
    let told = quick.read(&quick.service.wait().await);
    assert_eq!(told["handraise"]["is"], "question");
    let stalled = slow.read(&slow.service.wait().await);
    agent.ask(json!({"prompt": "And which host?"})).await;
    let told = quick.read(&quick.service.wait().await);
    assert_eq!(told["notification"]["body"], "And which host?");
    // What comes after is told when that has ended, in order.
    slow.service.release();
    let next = slow.read(&slow.service.wait().await);
    assert_ne!(
        next["handraise"]["message"],
        stalled["handraise"]["message"]
    );
}

async fn the_person_on_duty_is_told_first_and_all_where_there_is_no_rota(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let team = app.team("Payments").await;
    app.home(team, "backend").await;
    let mut phones = Vec::new();
    for name in ["Ana", "Ben"] {
        let mut browser = Browser::signed_in(&app, name, Role::Responder).await;
        app.join(team, name, Part::Answers).await;
        let phone = Subscribed::at([]).await;
        phone.add(&mut browser).await;
        phones.push(phone);
    }
    let mut eve = Browser::signed_in(&app, "Eve", Role::Responder).await;
    let stranger = Subscribed::at([]).await;
    stranger.add(&mut eve).await;
    agent.ask(json!({})).await;
    app.drain().await;
    let counts = |phones: &[Subscribed]| -> Vec<usize> {
        phones
            .iter()
            .map(|phone| phone.service.got().len())
            .collect()
    };
    assert_eq!(counts(&phones), [1, 1]);
    let rota = RotaDraft {
        people: vec!["Ben".to_owned()],
        every: "day".into(),
        at: "09:00".into(),
        zone: "UTC".into(),
        starts: Some("2027-01-11".into()),
    };
    app.state
        .service
        .set_rota(team, &rota, &operator())
        .await
        .unwrap();
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(counts(&phones), [0, 1]);
    assert_eq!(stranger.service.got().len(), 0);
}

async fn two_nodes_tell_each_person_once(database: TestDatabase) {
    let folder = tempfile::tempdir().unwrap();
    let node = async || {
        TestApp::start_with(&database, |config| {
            reachable(config);
            config.key_file = Some(folder.path().join("key"));
        })
        .await
    };
    let (one, two) = (node().await, node().await);
    let agent = one.agent("backend").await;
    let mut ana = Browser::signed_in(&one, "Ana", Role::Responder).await;
    let phone = Subscribed::at([]).await;
    phone.add(&mut ana).await;
    // No more than a person is told one by one.
    for _ in 0..12 {
        agent.ask(json!({})).await;
    }
    loop {
        futures::join!(one.drain(), two.drain());
        let states = states(&one).await;
        if states.len() == 12
            && states
                .iter()
                .all(|state| *state == DeliveryState::Delivered)
        {
            break;
        }
    }
    assert_eq!(phone.service.got().len(), 12);
    assert_eq!(reached(&one).await.len(), 12);
}

async fn a_test_says_when_it_arrived(database: TestDatabase) {
    let app = start(&database).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Viewer).await;
    let phone = Subscribed::at([]).await;
    phone.add(&mut ana).await;
    let which = first_way(&app, "Ana").await;
    assert!(
        ana.page("/settings/reach")
            .await
            .contains("Nothing has been sent there yet.")
    );
    let sent = ana.submit("/settings/reach/test", &[("id", &which)]).await;
    assert_eq!(place(&sent), "/settings/reach?done=tested");
    app.drain().await;
    assert_eq!(phone.got()[0]["handraise"]["is"], "test");
    let page = ana.page("/settings/reach").await;
    assert!(page.contains("Last arrived 08:00:00 UTC."), "{page}");
    phone.service.behave([Manner::Answers(500, "", "no")]);
    ana.submit("/settings/reach/test", &[("id", &which)]).await;
    app.drain().await;
    let page = ana.page("/settings/reach").await;
    assert!(
        page.contains("The last message did not arrive: answered 500."),
        "{page}"
    );
    let removed = ana
        .submit("/settings/reach/remove", &[("id", &which)])
        .await;
    assert_eq!(place(&removed), "/settings/reach?done=removed");
    assert!(
        ana.page("/settings/reach")
            .await
            .contains("You have no way to be reached yet")
    );
}

async fn a_person_touches_only_their_own_ways(database: TestDatabase) {
    let app = start(&database).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let (mut ana, phone) = with_phone(&app, "Ana", []).await;
    let which = first_way(&app, "Ana").await;
    for path in ["/settings/reach/test", "/settings/reach/remove"] {
        let refused = ben.submit(path, &[("id", &which)]).await;
        assert_eq!(place(&refused), "/settings/reach?refused=gone");
    }
    let form = [("id".to_owned(), which)];
    let stranger = app.submit("/settings/reach/remove", "", &form).await;
    assert!(place(&stranger).starts_with("/sign-in"));
    app.drain().await;
    assert_eq!(phone.got().len(), 0);
    // A browser that another signs in with tells that one from then on.
    phone.add(&mut ben).await;
    let page = ana.page("/settings/reach").await;
    assert!(page.contains("You have no way to be reached yet"), "{page}");
    assert!(
        page.contains("another person is told in this browser now"),
        "{page}"
    );
    // An address that leads into this server's own network is none, and neither is a key that is too short.
    for (endpoint, fault) in [
        ("http://10.0.0.1/push", "endpoint"),
        ("https://push.example/x", "p256dh"),
    ] {
        let form = [("endpoint", endpoint), ("p256dh", "AAAA"), ("auth", "AAAA")];
        let refused = ana.submit("/settings/reach/push", &form).await;
        assert_eq!(place(&refused), format!("/settings/reach?refused={fault}"));
    }
}

async fn signing_out_of_a_browser_ends_what_it_is_told(database: TestDatabase) {
    let app = start(&database).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let (desk, phone) = (Subscribed::at([]).await, Subscribed::at([]).await);
    desk.add(&mut ana).await;
    // Her phone is the browser that signs out.
    phone.add(&mut ana).await;
    // What the cookie names ends for its person alone.
    let mut ben = Browser::signed_in(&app, "Ben", Role::Admin).await;
    let own = ben.cookie.clone();
    let (_, of_ana) = ana.cookie.rsplit_once("handraise-push=").unwrap();
    ben.cookie = format!("{own}; handraise-push={of_ana}");
    ben.submit("/sign-out", &[]).await;
    let told = app.told().await;
    assert!(!told.iter().any(|one| one.starts_with("reach.ended")));
    ana.submit("/sign-out", &[]).await;
    assert!(!ana.is_in().await);
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(phone.got().len(), 0);
    assert_eq!(desk.got().len(), 1);
    let told = app.told().await;
    assert!(told.contains(&"reach.ended by Ana".to_owned()), "{told:?}");
}
