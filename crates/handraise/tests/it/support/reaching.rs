//! Servers whose people can be reached, and who was.

use domain::{Audience, InteractionEvent, Payload, Role, delivery::DeliveryState};
use server::config::Config;
use store::{DeliveryQuery, testing::TestDatabase};

use super::{
    app::TestApp, browser::Browser, mail_server::MailServer, people::person_named,
    push::Subscribed, receiver::Manner,
};

/// A server that may send to this machine, where the stand-ins are.
pub(crate) fn reachable(config: &mut Config) {
    config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
}

/// Who the journal says was reached, by what.
pub(crate) async fn reached(app: &TestApp) -> Vec<(String, String)> {
    let store = app.state.service.store();
    let all = store.events_after(0, &Audience::All, 1_000).await.unwrap();
    let reached = all.into_iter().filter_map(|event| match event.payload {
        Payload::Interaction(InteractionEvent::Reached {
            person,
            by,
            rung: 0,
        }) => Some((person.name, by.name().to_owned())),
        _ => None,
    });
    reached.collect()
}

/// A server that sends mail by this one, and Ana with an address there.
pub(crate) async fn with_mail(database: &TestDatabase, mails: &MailServer) -> TestApp {
    TestApp::start_with(database, |config| {
        reachable(config);
        config.mail.url = Some(mails.url().into());
        config.mail.from = Some("Handraise <handraise@example.com>".into());
    })
    .await
}

/// The link in a mail that asks whose address it is.
pub(crate) fn link(mail: &str) -> String {
    let start = mail.find("/settings/reach/prove?").unwrap();
    let link = mail[start..].split_whitespace().next().unwrap();
    link.to_owned()
}

/// The path and the fields of the form behind such a link.
pub(crate) fn proof(link: &str) -> (&str, Vec<(&str, &str)>) {
    let (path, query) = link.split_once('?').unwrap();
    let pairs = query.split('&');
    (
        path,
        pairs.filter_map(|pair| pair.split_once('=')).collect(),
    )
}

/// A responder, and a browser of theirs at a push service with these manners.
pub(crate) async fn with_phone<'a>(
    app: &'a TestApp,
    name: &str,
    manners: impl IntoIterator<Item = Manner>,
) -> (Browser<'a>, Subscribed) {
    let mut person = Browser::signed_in(app, name, Role::Responder).await;
    let phone = Subscribed::at(manners).await;
    phone.add(&mut person).await;
    (person, phone)
}

/// The id of the way that this person added first.
pub(crate) async fn first_way(app: &TestApp, name: &str) -> String {
    let id = person_named(app, name).await;
    let own = app.state.service.store().reaches_of(id).await.unwrap();
    own[0].reach.id.to_string()
}

/// How all messages stand.
pub(crate) async fn states(app: &TestApp) -> Vec<DeliveryState> {
    let query = DeliveryQuery {
        audience: Audience::All,
        limit: 200,
        ..DeliveryQuery::default()
    };
    let found = app.state.service.store().deliveries(&query).await.unwrap();
    found.into_iter().map(|one| one.delivery.state).collect()
}

/// Ana, reached by this.
pub(crate) fn ana_by(way: &str) -> (String, String) {
    ("Ana".to_owned(), way.to_owned())
}
