//! `/ws`: the feed of a page.

use std::{pin::pin, sync::Arc, time::Duration};

use app::desk::{
    frames::{Change, ClientFrame, Present, ServerFrame},
    place::Place,
};
use domain::Role;
use futures::SinkExt;
use reqwest::StatusCode;
use serde_json::json;
use server::hub::{Hub, relay};
use store::testing::TestDatabase;
use tokio::{sync::watch, time::timeout};
use tokio_tungstenite::tungstenite::{Error, Message, protocol::frame::coding::CloseCode};
use tokio_util::sync::CancellationToken;

use crate::support::{
    app::TestApp,
    caller::id_of,
    people::owned,
    socket::{Socket, closed_with, connect, next, resumed},
};

store::on_both_databases!(
    a_page_sees_every_change_once,
    a_page_resumes_without_gap_or_duplicate,
    the_feed_goes_on_from_where_it_first_looked,
    a_page_from_another_journal_is_told_to_resync,
    only_our_own_signed_in_pages_get_in,
    sockets_get_a_close_frame_when_the_server_stops,
    a_socket_that_says_nothing_sensible_is_closed,
    pages_hear_where_others_are_on_all_nodes,
    a_page_hears_what_its_person_puts_off_whatever_else_comes,
);

async fn next_event(socket: &mut Socket) -> (i64, Change) {
    match next(socket).await {
        ServerFrame::Event { seq, change } => (seq, *change),
        other => panic!("not an event: {other:?}"),
    }
}

async fn a_page_sees_every_change_once(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let cookie = app.sign_in("Ana", Role::Viewer).await;
    let start = app.last_seq().await;
    let mut socket = resumed(&app, &cookie, start).await;
    let asked = agent.ask(json!({"session_id": "p11"})).await;
    let (seq, change) = next_event(&mut socket).await;
    let Change::Asked { row } = change else {
        panic!("{change:?}");
    };
    assert_eq!(seq, start + 1);
    assert_eq!(
        (row.id, &*row.agent, &*row.preview),
        (id_of(&asked), "backend", "Which port?")
    );
    desk.answer(&asked, "80").await;
    let (seq, change) = next_event(&mut socket).await;
    let Change::Closed { id, closure } = change else {
        panic!("{change:?}");
    };
    assert_eq!((seq, id), (start + 2, id_of(&asked)));
    assert_eq!(closure.by.as_deref(), Some("desk"));
    assert_eq!(closure.answer.as_deref(), Some("80"));
}

async fn a_page_resumes_without_gap_or_duplicate(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let agent = app.agent("backend").await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let start = app.last_seq().await;
    for _ in 0..5 {
        agent.ask(json!({})).await;
    }
    let mut socket = resumed(&app, &cookie, start + 2).await;
    // Some of these come as backlog, some live: nobody can tell.
    for _ in 0..5 {
        agent.ask(json!({})).await;
    }
    for expected in start + 3..=start + 10 {
        assert_eq!(next_event(&mut socket).await.0, expected);
    }
}

/// A server looks before it takes its first connection: who comes in then misses nothing.
async fn the_feed_goes_on_from_where_it_first_looked(database: TestDatabase) {
    let elsewhere = TestApp::start(&database).await;
    assert_eq!(elsewhere.get("/readyz").send().await.unwrap().status(), 200);
    let agent = elsewhere.agent("backend").await;
    let store = elsewhere.state.service.store().clone();
    let (hub, stopping) = (Arc::new(Hub::default()), CancellationToken::new());
    let begun = relay::begin(&*store, &hub, &stopping).await.unwrap();
    let mut feed = hub.feed();
    agent.ask(json!({})).await;
    let (access_ended, stops) = (watch::Sender::new(()), stopping.clone());
    let running = tokio::spawn(relay::run(store, hub, access_ended, stops, begun));
    assert_eq!(feed.recv().await.unwrap().seq, begun + 1);
    stopping.cancel();
    running.await.unwrap();
}

async fn a_page_from_another_journal_is_told_to_resync(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let mut socket = resumed(&app, &cookie, 99).await;
    assert_eq!(next(&mut socket).await, ServerFrame::Resync);
    // And follows this journal from here.
    app.agent("backend").await.ask(json!({})).await;
    let asked = app.last_seq().await;
    // The server may not have told of the signing in by then.
    let mut seq = next_event(&mut socket).await.0;
    while seq < asked {
        let next = next_event(&mut socket).await.0;
        assert_eq!(next, seq + 1);
        seq = next;
    }
}

async fn only_our_own_signed_in_pages_get_in(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Admin).await;
    let own = app.url("");
    for (cookie, origin, status) in [
        ("", own.as_str(), 401),
        ("handraise_session=guess", &own, 401),
        (&cookie, "http://evil.example", 403),
    ] {
        let refused = connect(&app, cookie, origin).await.unwrap_err();
        let Error::Http(response) = refused else {
            panic!("{refused}");
        };
        assert_eq!(response.status(), status, "{origin}");
    }
    connect(&app, &cookie, &own).await.unwrap();
}

async fn sockets_get_a_close_frame_when_the_server_stops(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let mut socket = resumed(&app, &cookie, 0).await;
    app.begin_to_stop();
    assert_eq!(closed_with(&mut socket).await, CloseCode::Away);
    app.stop().await;
}

async fn a_socket_that_says_nothing_sensible_is_closed(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let mut socket = connect(&app, &cookie, &app.url("")).await.unwrap();
    socket
        .send(Message::text("{\"type\":\"hi\"}"))
        .await
        .unwrap();
    assert_eq!(closed_with(&mut socket).await, CloseCode::Policy);
}

async fn pages_hear_where_others_are_on_all_nodes(database: TestDatabase) {
    let (one, two) = (
        TestApp::start(&database).await,
        TestApp::start(&database).await,
    );
    let asked = one.agent("backend").await.ask(json!({})).await;
    let here = Place::Blocker(id_of(&asked)).address();
    let ana = one.sign_in("Ana", Role::Responder).await;
    let [ben, vera] = [("Ben", Role::Admin), ("Vera", Role::Viewer)];
    let ben = two.sign_in(ben.0, ben.1).await;
    let vera = two.sign_in(vera.0, vera.1).await;
    let start = one.last_seq().await;
    let mut pages = Vec::new();
    for (app, cookie) in [(&one, &ana), (&one, &ana), (&two, &ben), (&two, &vera)] {
        pages.push(resumed(app, cookie, start).await);
    }
    // One that tells nothing hears nothing, and a place is only what an address leads to.
    for (page, place) in [(0, None), (2, Some("/blockers/?x")), (3, Some(&*here))] {
        is_at(&mut pages[page], place).await;
    }
    is_at(&mut pages[2], Some(&here)).await;
    let at = |name: &str| Present {
        name: name.into(),
        place: here.clone(),
    };
    assert_eq!(present(&mut pages[0]).await, [at("Ben")]);
    assert_eq!(present(&mut pages[3]).await, [at("Ben")]);
    is_at(&mut pages[0], Some(&here)).await;
    assert_eq!(present(&mut pages[2]).await, [at("Ana")]);
    assert_eq!(present(&mut pages[3]).await, [at("Ana"), at("Ben")]);
    // A second page of the same person changes nothing; both have to go.
    is_at(&mut pages[1], Some(&here)).await;
    assert_eq!(present(&mut pages[1]).await, [at("Ben")]);
    is_at(&mut pages[0], None).await;
    is_at(&mut pages[2], None).await;
    assert_eq!(present(&mut pages[0]).await, []);
    assert_eq!(present(&mut pages[3]).await, [at("Ana")]);
    drop(pages.remove(1));
    assert_eq!(present(&mut pages[2]).await, []);
}

/// Another of their pages puts it off, while this one tells again and again where they are.
async fn a_page_hears_what_its_person_puts_off_whatever_else_comes(database: TestDatabase) {
    let app = TestApp::start(&database).await;
    let cookie = app.sign_in("Ana", Role::Responder).await;
    let asked = app.agent("backend").await.ask(json!({})).await;
    let mut page = resumed(&app, &cookie, app.last_seq().await).await;
    for call in ["snooze-blocker", "end-snooze"].repeat(5) {
        let form = [("id", asked["id"].as_str().unwrap()), ("minutes", "15")];
        let address = format!("/ui/{call}");
        let form = form.map(owned);
        let mut submitted = pin!(app.submit(&address, &cookie, &form));
        let response = loop {
            tokio::select! {
                response = &mut submitted => break response,
                () = is_at(&mut page, None) => {}
            }
        };
        assert_eq!(response.status(), StatusCode::OK, "{call}");
        for _ in 0..100 {
            is_at(&mut page, None).await;
        }
        // Before the next ping, with which the server looks in any case.
        let told = timeout(Duration::from_secs(10), next(&mut page)).await;
        assert_eq!(told.ok(), Some(ServerFrame::Resync), "{call}");
    }
}

async fn is_at(page: &mut Socket, place: Option<&str>) {
    let place = place.map(str::to_owned);
    let frame = serde_json::to_string(&ClientFrame::At { place }).unwrap();
    page.send(Message::text(frame)).await.unwrap();
}

/// The next that a page hears of others.
async fn present(page: &mut Socket) -> Vec<Present> {
    loop {
        match next(page).await {
            ServerFrame::Present { people } => return people,
            ServerFrame::Event { .. } | ServerFrame::Ping => {}
            other => panic!("{other:?}"),
        }
    }
}
