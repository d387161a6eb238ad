//! Servers whose people can be reached, and who was.

use domain::{Audience, InteractionEvent, Payload};
use server::config::Config;
use store::testing::TestDatabase;

use super::{app::TestApp, mail_server::MailServer};

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
