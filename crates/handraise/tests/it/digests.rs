//! Mail once an hour for what can wait: as one message, of what waits still, and never of what is urgent.

use chrono::TimeDelta;
use domain::Role;
use reqwest::StatusCode;
use serde_json::json;
use store::testing::TestDatabase;

use crate::support::{
    app::TestApp,
    browser::{Browser, place},
    caller::json_of,
    mail_server::MailServer,
    people::person_named,
    reaching::{link, reached, with_mail},
};

store::on_both_databases!(
    what_can_wait_comes_once_an_hour_as_one_mail,
    what_is_urgent_or_ends_before_comes_at_once,
    a_digest_that_the_mail_server_does_not_take_comes_again,
    only_its_person_has_it_gathered,
);

/// Ana, who has shown that an address is hers, and wants what can wait once an hour.
async fn gathering<'a>(app: &'a TestApp, mails: &MailServer) -> Browser<'a> {
    let mut ana = Browser::signed_in(app, "Ana", Role::Responder).await;
    ana.submit("/settings/reach/mail", &[("address", "ana@example.com")])
        .await;
    app.drain().await;
    let link = link(&mails.got()[0]);
    let (path, query) = link.split_once('?').unwrap();
    let pairs = query.split('&');
    let form: Vec<_> = pairs.filter_map(|pair| pair.split_once('=')).collect();
    ana.submit(path, &form).await;
    let form = [("id", &*mailbox(app).await), ("digest", "true")];
    let gathered = ana.submit("/settings/reach/gather", &form).await;
    assert_eq!(place(&gathered), "/settings/reach?done=gathered");
    ana
}

async fn mailbox(app: &TestApp) -> String {
    let ana = person_named(app, "Ana").await;
    let own = app.state.service.store().reaches_of(ana).await.unwrap();
    own[0].reach.id.to_string()
}

async fn what_can_wait_comes_once_an_hour_as_one_mail(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let (agent, desk) = (app.agent("backend").await, app.responder("desk").await);
    let mut ana = gathering(&app, &mails).await;
    assert!(
        ana.page("/settings/reach")
            .await
            .contains("What can wait comes at the full hour")
    );
    let day = |prompt: &str| json!({"prompt": prompt, "timeout_seconds": 86_400});
    let port = agent.ask(day("Which port?")).await;
    let host = agent.ask(day("Which host?")).await;
    let answered = agent.ask(day("Which user?")).await;
    app.drain().await;
    app.clock.advance(TimeDelta::minutes(30));
    app.drain().await;
    assert_eq!(mails.got(), Vec::<String>::new());
    assert_eq!(reached(&app).await, []);
    json_of(desk.answer(&answered, "root").await, StatusCode::OK).await;
    app.clock.advance(TimeDelta::minutes(30));
    app.drain().await;
    let got = mails.got();
    assert_eq!(got.len(), 1, "{got:?}");
    let mail = &got[0];
    assert!(mail.contains("Subject: 2 questions wait for you"), "{mail}");
    for one in [&port, &host] {
        let place = format!("/q/{}", one["id"].as_str().unwrap());
        assert_eq!(mail.matches(&place).count(), 1, "{mail}");
    }
    assert!(!mail.contains("Which user?"), "{mail}");
    // Each was reached, and by each rung that told of it.
    let all = reached(&app).await;
    assert_eq!(all, vec![("Ana".into(), "mail".into()); 2]);
    // From now on each by itself.
    let form = [("id", &*mailbox(&app).await), ("digest", "false")];
    ana.submit("/settings/reach/gather", &form).await;
    agent.ask(day("Which disk?")).await;
    app.drain().await;
    let got = mails.got();
    assert_eq!(got.len(), 1, "{got:?}");
    assert!(got[0].contains("Which disk?"), "{got:?}");
}

async fn what_is_urgent_or_ends_before_comes_at_once(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    gathering(&app, &mails).await;
    for more in [
        json!({"prompt": "Now?", "priority": "urgent", "timeout_seconds": 86_400}),
        json!({"prompt": "Soon?", "timeout_seconds": 1_800}),
    ] {
        agent.ask(more).await;
        app.drain().await;
        let got = mails.got();
        assert_eq!(got.len(), 1, "{got:?}");
    }
}

async fn a_digest_that_the_mail_server_does_not_take_comes_again(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    let agent = app.agent("backend").await;
    gathering(&app, &mails).await;
    for prompt in ["Which port?", "Which host?"] {
        let more = json!({"prompt": prompt, "timeout_seconds": 86_400});
        agent.ask(more).await;
    }
    app.drain().await;
    mails.says("451 not now");
    app.clock.advance(TimeDelta::hours(1));
    app.drain().await;
    assert_eq!(mails.got().len(), 1);
    assert_eq!(reached(&app).await, []);
    app.clock.advance(TimeDelta::seconds(10));
    app.drain().await;
    let got = mails.got();
    assert!(!got.is_empty());
    let told = got.iter().map(|mail| mail.matches("/q/").count());
    assert!(told.sum::<usize>() >= 2, "{got:?}");
    assert_eq!(reached(&app).await.len(), 2);
}

async fn only_its_person_has_it_gathered(database: TestDatabase) {
    let mails = MailServer::start().await;
    let app = with_mail(&database, &mails).await;
    gathering(&app, &mails).await;
    let mut ben = Browser::signed_in(&app, "Ben", Role::Admin).await;
    let form = [("id", &*mailbox(&app).await), ("digest", "false")];
    let refused = ben.submit("/settings/reach/gather", &form).await;
    assert_eq!(place(&refused), "/settings/reach?refused=gone");
}
