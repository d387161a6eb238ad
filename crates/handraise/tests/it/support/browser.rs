//! A browser of somebody who comes by a provider.

use domain::{Audience, Role};
use reqwest::{Response, StatusCode, header};
use serde_json::Value;
use url::Url;

use super::{
    app::TestApp,
    fake_provider::FakeProvider,
    html::{one_line, text_of},
    people::owned,
};

/// To the provider.
pub(crate) const WAY: &str = "/sign-in/with/company";
/// Where they come who do not come in.
pub(crate) const REFUSED: &str = "/sign-in?refused=provider&next=%2F";

/// One browser, with its cookies.
pub(crate) struct Browser<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) cookie: String,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(app: &'a TestApp) -> Self {
        let cookie = String::new();
        Self { app, cookie }
    }

    pub(crate) async fn signed_in(app: &'a TestApp, name: &str, role: Role) -> Self {
        let cookie = app.sign_in(name, role).await;
        Self { app, cookie }
    }

    fn keep(&mut self, response: Response) -> Response {
        for cookie in response.headers().get_all(header::SET_COOKIE) {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            let (name, _) = pair.split_once('=').unwrap();
            let others = self.cookie.split("; ");
            let others = others.filter(|one| one.split_once('=').is_some_and(|(of, _)| of != name));
            let all: Vec<_> = others.chain([pair]).collect();
            self.cookie = all.join("; ");
        }
        response
    }

    /// As a link of our own page does.
    pub(crate) async fn follow(&mut self, path: &str) -> Response {
        let request = self.app.get(path).header("sec-fetch-site", "same-origin");
        let response = request.header("cookie", &self.cookie).send().await.unwrap();
        self.keep(response)
    }

    /// As the provider's page does.
    pub(crate) async fn sent(&mut self, path: &str) -> Response {
        let request = self.app.get(path).header("sec-fetch-site", "cross-site");
        let response = request.header("cookie", &self.cookie).send().await.unwrap();
        self.keep(response)
    }

    pub(crate) async fn submit(&mut self, path: &str, form: &[(&str, &str)]) -> Response {
        let form: Vec<_> = form.iter().copied().map(owned).collect();
        let response = self.app.submit(path, &self.cookie, &form).await;
        self.keep(response)
    }

    /// Where a way to the provider leads.
    pub(crate) async fn way(&mut self, path: &str) -> Url {
        Url::parse(&place(&self.follow(path).await)).unwrap()
    }

    /// There and back.
    pub(crate) async fn round(&mut self, provider: &FakeProvider, path: &str) -> String {
        let way = self.way(path).await;
        let back = provider.grant(&way, self.app.state.service.now());
        place(&self.sent(&back).await)
    }

    pub(crate) async fn page(&mut self, path: &str) -> String {
        one_line(&text_of(&self.follow(path).await.text().await.unwrap()))
    }

    pub(crate) async fn is_in(&mut self) -> bool {
        self.follow("/").await.status() == StatusCode::OK
    }

    pub(crate) async fn visitor(&mut self) -> Value {
        let response = self.submit("/ui/load-visitor", &[]).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.json().await.unwrap()
    }
}

/// Where it leads.
pub(crate) fn place(response: &Response) -> String {
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let place = response.headers()[header::LOCATION].to_str().unwrap();
    place.to_owned()
}

impl TestApp {
    /// What the journal says happened, and by whom.
    pub(crate) async fn told(&self) -> Vec<String> {
        let store = self.state.service.store();
        let all = store.events_after(0, &Audience::All, 1_000).await;
        let told = all.unwrap().into_iter().map(|event| {
            let by = event.actor.name().unwrap_or_default().to_owned();
            format!("{} by {by}", event.payload.event_type())
        });
        told.collect()
    }
}
