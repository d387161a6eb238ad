//! People at a server: how they sign in, who they are in Slack, and whoever runs commands beside it.

use domain::{PersonId, Principal, Role, SlackId};
use reqwest::{Response, StatusCode, header};

use super::app::TestApp;

/// Everybody's.
pub(crate) const PASSWORD: &str = "tin drum walks north";

/// Whoever runs commands beside the server.
pub(crate) fn operator() -> Principal {
    Principal::Operator {
        name: "root".into(),
    }
}

pub(crate) fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The `Cookie` header that a response to signing in asks for.
pub(crate) fn cookie_of(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

/// The id of whoever has this name here.
pub(crate) async fn person_named(app: &TestApp, name: &str) -> PersonId {
    let people = app.state.service.people(&operator()).await.unwrap();
    let found = people.into_iter().find(|one| one.person.name == name);
    found.unwrap().person.id
}

/// Invites somebody, and says who they are in Slack.
pub(crate) async fn invite_linked(app: &TestApp, name: &str, role: Role, user: &str) {
    let (service, by) = (&app.state.service, operator());
    service.invite(name, role, &by).await.unwrap();
    let person = person_named(app, name).await;
    let id = Some(SlackId::parse(user).unwrap());
    service.link_slack(person, id, &by).await.unwrap();
}

impl TestApp {
    /// A person's browser, signed in by a link. Returns the `Cookie` header.
    pub(crate) async fn sign_in(&self, name: &str, role: Role) -> String {
        let link = self.state.service.invite(name, role, &operator()).await;
        let form = [("link", link.unwrap().reveal()), ("password", PASSWORD)].map(owned);
        cookie_of(&self.submit("/accept-link", "", &form).await)
    }
}
