//! People are reached by mail, where they have shown that they read it, and by topics, whatever the servers of either do.

use chrono::TimeDelta;
use domain::{Audience, Role, delivery::DeliveryState};
use reqwest::StatusCode;
use serde_json::json;
use store::{DeliveryQuery, testing::TestDatabase};

use crate::support::{
    app::TestApp,
    browser::{Browser, place},
    caller::{id_of, json_of},
    mail_server::MailServer,
    people::person_named,
    push::Subscribed,
    reaching::{ana_by, first_way, link, proof, reachable, reached, states, with_mail},
    receiver::Receiver,
};

store::on_both_databases!(
    a_mail_is_sent_only_to_a_mailbox_that_its_person_has_confirmed,
    an_address_is_one_way_however_often_it_is_added,
    a_mail_server_that_fails_gets_the_same_message_again,
    a_person_has_mail_sent_to_five_new_addresses_an_hour,
    a_mail_server_that_hangs_takes_no_place_of_another_way,
    a_mail_server_that_refuses_the_sender_gets_the_messages_later,
    a_topic_is_told_and_its_buttons_only_lead_to_the_question,
);

/// Ana has shown that she reads a mailbox.
async fn with_a_mailbox<'a>(app: &'a TestApp, mails: &MailServer) -> Browser<'a> {
    let mut ana = Browser::signed_in(app, "Ana", Role::Responder).await;
    ana.submit("/settings/reach/mail", &[("address", "ana@example.com")])
        .await;
    app.drain().await;
    let link = link(&mails.got()[0]);
    let (path, form) = proof(&link);
    let proven = ana.submit(path, &form).await;
    assert_eq!(place(&proven), "/settings/reach?done=proven");
    ana
}

async fn a_mail_is_sent_only_to_a_mailbox_that_its_person_has_confirmed(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let refused = ana
        .submit("/settings/reach/mail", &[("address", "a@b.c, d@e.f")])
        .await;
    assert_eq!(place(&refused), "/settings/reach?refused=address");
    let added = ana
        .submit("/settings/reach/mail", &[("address", "ana@example.com")])
        .await;
    assert_eq!(place(&added), "/settings/reach?done=sent");
    agent.ask(json!({})).await;
    app.drain().await;
    let got = mails.got();
    assert_eq!(got.len(), 1, "{got:?}");
    let link = link(&got[0]);
    let (path, form) = proof(&link);
    let [("id", id), ("code", code)] = form[..] else {
        panic!("{link}");
    };
    // Looking at it is nothing; nor is it anything for somebody else, or with another code.
    assert_eq!(ana.follow(&link).await.status(), StatusCode::OK);
    let wrong = ana.submit(path, &[("id", id), ("code", "AAAA")]).await;
    assert_eq!(place(&wrong), "/settings/reach?refused=code");
    let mut ben = Browser::signed_in(&app, "Ben", Role::Responder).await;
    let other = ben.submit(path, &[("id", id), ("code", code)]).await;
    assert_eq!(place(&other), "/settings/reach?refused=gone");
    agent.ask(json!({})).await;
    app.drain().await;
    assert_eq!(mails.got().len(), 0);
    let proven = ana.submit(path, &[("id", id), ("code", code)]).await;
    assert_eq!(place(&proven), "/settings/reach?done=proven");
    let action = json!({"tool": "sql", "arguments": {"statement": "DROP TABLE orders"}});
    let asked = agent
        .ask(json!({"kind": "approval", "prompt": "Drop it?", "title": "Old table", "action": action}))
        .await;
    app.drain().await;
    // What waited before is told too, now that somebody can be.
    let mails = mails.got();
    assert_eq!(mails.len(), 3, "{mails:?}");
    let mail = mails.iter().find(|mail| mail.contains("needs approval"));
    let mail = mail.unwrap();
    for part in [
        "To: ana@example.com",
        "Subject: ",
        "backend needs approval",
        "List-Unsubscribe: <",
        "Auto-Submitted: auto-generated",
        "Drop it?",
        "DROP TABLE orders",
        &format!("/q/{}", asked["id"].as_str().unwrap()),
    ] {
        assert!(mail.contains(part), "{part} is missing in {mail}");
    }
    assert_eq!(reached(&app).await, vec![ana_by("mail"); 3]);
}

async fn an_address_is_one_way_however_often_it_is_added(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let id = person_named(&app, "Ana").await;
    // The second asks for another code.
    for _ in 0..2 {
        let form = [("address", "ana@example.com")];
        let sent = ana.submit("/settings/reach/mail", &form).await;
        assert_eq!(place(&sent), "/settings/reach?done=sent");
        app.drain().await;
    }
    let ways = async || app.state.service.store().reaches_of(id).await.unwrap();
    assert_eq!(ways().await.len(), 1);
    let page = ana.page("/settings/reach").await;
    assert!(page.contains("Send again"), "{page}");
    let link = link(mails.got().last().unwrap());
    // A link that a program has cut is told from a wrong one.
    let cut = ana.page("/settings/reach/prove?id=01").await;
    assert!(cut.contains("This link is not complete."), "{cut}");
    let (path, form) = proof(&link);
    let proven = ana.submit(path, &form).await;
    assert_eq!(place(&proven), "/settings/reach?done=proven");
    let form = [("address", "Ana@Example.com")];
    let again = ana.submit("/settings/reach/mail", &form).await;
    assert_eq!(place(&again), "/settings/reach?done=known");
    assert_eq!(ways().await.len(), 1);
    let refused = ana
        .submit("/settings/reach/ntfy", &[("topic", "ana-phone")])
        .await;
    assert_eq!(place(&refused), "/settings/reach?refused=no-ntfy");
}

async fn a_mail_server_that_fails_gets_the_same_message_again(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    with_a_mailbox(&app, &mails).await;
    mails.says("451 not now");
    agent.ask(json!({})).await;
    app.drain().await;
    let name = |mail: &str| {
        let line = mail.lines().find(|line| line.starts_with("Message-ID: "));
        line.unwrap().to_owned()
    };
    let first = name(&mails.got()[0]);
    app.clock.advance(TimeDelta::seconds(6));
    app.drain().await;
    assert_eq!(name(&mails.got()[0]), first);
    assert_eq!(reached(&app).await, [ana_by("mail")]);
    // What it will never take is not sent again.
    mails.says("550 no such mailbox");
    agent.ask(json!({})).await;
    app.drain().await;
    let refused = mails.got();
    assert_eq!(refused.len(), 1);
    app.clock.advance(TimeDelta::hours(2));
    app.drain().await;
    // Later rungs are other messages.
    let later = mails.got();
    assert!(later.iter().all(|mail| name(mail) != name(&refused[0])));
    assert!(states(&app).await.contains(&DeliveryState::Dead));
}

async fn a_person_has_mail_sent_to_five_new_addresses_an_hour(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Viewer).await;
    let add = async |ana: &mut Browser<'_>, number: i32| {
        let address = format!("somebody{number}@example.com");
        let form = [("address", &*address)];
        place(&ana.submit("/settings/reach/mail", &form).await)
    };
    for number in 0..5 {
        assert_eq!(add(&mut ana, number).await, "/settings/reach?done=sent");
        // Taking it away again changes nothing.
        let which = first_way(&app, "Ana").await;
        app.drain().await;
        ana.submit("/settings/reach/remove", &[("id", &which)])
            .await;
    }
    assert_eq!(add(&mut ana, 5).await, "/settings/reach?refused=proofs");
    app.drain().await;
    assert_eq!(mails.got().len(), 5);
    app.clock.advance(TimeDelta::minutes(61));
    assert_eq!(add(&mut ana, 6).await, "/settings/reach?done=sent");
}

async fn a_mail_server_that_hangs_takes_no_place_of_another_way(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    let mut dan = Browser::signed_in(&app, "Dan", Role::Responder).await;
    let phone = Subscribed::at([]).await;
    phone.add(&mut dan).await;
    mails.hold();
    for name in ["Ana", "Ben", "Cleo"] {
        let mut browser = Browser::signed_in(&app, name, Role::Responder).await;
        for number in 0..4 {
            let address = format!("{name}{number}@example.com");
            let form = [("address", &*address)];
            let added = browser.submit("/settings/reach/mail", &form).await;
            assert_eq!(place(&added), "/settings/reach?done=sent");
        }
    }
    assert_eq!(mails.holds(8).await, 8);
    agent.ask(json!({})).await;
    let told = phone.read(&phone.service.wait().await);
    assert_eq!(told["handraise"]["is"], "question");
    assert_eq!(mails.holds(8).await, 8);
    mails.release();
    app.drain().await;
    assert_eq!(mails.got().len(), 12);
}

async fn a_mail_server_that_refuses_the_sender_gets_the_messages_later(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    let mut ana = with_a_mailbox(&app, &mails).await;
    for (command, says) in [
        ("MAIL", "530 authenticate first"),
        ("MAIL", "550 5.4.5 quota of <ana@example.com> used up"),
        ("RCPT", "554 5.7.1 <ana@example.com>: not today"),
    ] {
        mails.says_to(command, says);
    }
    let asked = agent.ask(json!({})).await;
    for seconds in [0, 7, 13] {
        app.clock.advance(TimeDelta::seconds(seconds));
        app.drain().await;
        assert_eq!(mails.got(), Vec::<String>::new());
        assert!(states(&app).await.contains(&DeliveryState::Due));
        let page = ana.page("/settings/reach").await;
        assert!(page.contains("The last message did not arrive"), "{page}");
        let state = page.split("The last message did not arrive").nth(1);
        let state = state.unwrap().split("Test").next().unwrap();
        assert!(!state.contains("ana@example.com"), "{state}");
    }
    app.clock.advance(TimeDelta::minutes(6));
    app.drain().await;
    let got = mails.got();
    let place = format!("/q/{}", id_of(&asked));
    assert!(got.iter().any(|mail| mail.contains(&place)), "{got:?}");
    assert!(!states(&app).await.contains(&DeliveryState::Dead));
}

async fn a_topic_is_told_and_its_buttons_only_lead_to_the_question(database: TestDatabase) {
    let ntfy = Receiver::start([]).await;
    let app = TestApp::start_with(&database, |config| {
        reachable(config);
        config.ntfy.url = Some(format!("http://{}", ntfy.addr));
        config.ntfy.token = Some("tk_secret".to_owned().into());
    })
    .await;
    let agent = app.agent("backend").await;
    let mut ana = Browser::signed_in(&app, "Ana", Role::Responder).await;
    let refused = ana
        .submit("/settings/reach/ntfy", &[("topic", "../x")])
        .await;
    assert_eq!(place(&refused), "/settings/reach?refused=topic");
    let added = ana
        .submit("/settings/reach/ntfy", &[("topic", "ana-phone")])
        .await;
    assert_eq!(place(&added), "/settings/reach?done=added");
    let asked = agent.ask(json!({"priority": "urgent"})).await;
    app.drain().await;
    let got = ntfy.got().remove(0);
    assert_eq!(got.headers["authorization"], "Bearer tk_secret");
    let told = got.json();
    assert_eq!(
        (&told["topic"], &told["priority"]),
        (&json!("ana-phone"), &json!(5))
    );
    let place = app.page_url(&format!("/q/{}", id_of(&asked)));
    assert_eq!(told["click"], place);
    let only = json!([{"action": "view", "label": "Open", "url": place, "clear": true}]);
    assert_eq!(told["actions"], only);
    assert_eq!(reached(&app).await, [ana_by("ntfy")]);
    // What the server answered, which repeats topic and message, is not kept.
    let store = app.state.service.store();
    let query = DeliveryQuery {
        audience: Audience::All,
        limit: 200,
        ..DeliveryQuery::default()
    };
    for one in store.deliveries(&query).await.unwrap() {
        for tried in store.attempts(one.delivery.id).await.unwrap() {
            assert_eq!(tried.end.unwrap().body, "");
        }
    }
    // It takes nothing away, so nothing is sent when it is answered.
    let desk = app.responder("desk").await;
    json_of(desk.answer(&asked, "8080").await, StatusCode::OK).await;
    app.drain().await;
    assert_eq!(ntfy.got().len(), 0);
}
