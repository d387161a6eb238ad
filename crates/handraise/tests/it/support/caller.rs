//! Those who call the API with a token: what they ask and answer, and how to read what they got.

use domain::{InteractionId, TeamId, TokenKind, access::Lifetime};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use super::{app::TestApp, people::operator};

/// Somebody with a token.
pub(crate) struct Caller<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) token: String,
}

impl Caller<'_> {
    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.app.get(path).bearer_auth(&self.token)
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.app.post(path).bearer_auth(&self.token)
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        let url = self.app.url(path);
        self.app.client().delete(url).bearer_auth(&self.token)
    }

    /// Asks, and expects that to work.
    pub(crate) async fn ask(&self, more: Value) -> Value {
        let mut body = json!({"kind": "question", "prompt": "Which port?"});
        for (key, value) in more.as_object().unwrap() {
            body[key] = value.clone();
        }
        let response = self.post("/api/v1/interactions").json(&body).send().await;
        json_of(response.unwrap(), StatusCode::CREATED).await
    }

    pub(crate) fn put(&self, path: &str) -> RequestBuilder {
        self.app.put(path).bearer_auth(&self.token)
    }

    pub(crate) async fn answer(&self, interaction: &Value, text: &str) -> Response {
        self.send(interaction, "answer", json!({ "text": text }))
            .await
    }

    /// Calls one of the verbs of an interaction.
    pub(crate) async fn send(&self, interaction: &Value, verb: &str, body: Value) -> Response {
        let path = format!("{}/{verb}", path_of(interaction));
        self.post(&path).json(&body).send().await.unwrap()
    }

    /// As [`Caller::send`], and expects that to work.
    pub(crate) async fn done(&self, interaction: &Value, verb: &str, body: Value) -> Value {
        json_of(self.send(interaction, verb, body).await, StatusCode::OK).await
    }

    pub(crate) async fn read(&self, path: &str) -> Value {
        json_of(self.get(path).send().await.unwrap(), StatusCode::OK).await
    }

    pub(crate) async fn poll(&self, interaction: &Value) -> Value {
        let response = self.get(&path_of(interaction)).send().await.unwrap();
        json_of(response, StatusCode::OK).await
    }
}

impl TestApp {
    /// A caller with an agent token of this name.
    pub(crate) async fn agent(&self, name: &str) -> Caller<'_> {
        self.caller(TokenKind::Agent, name).await
    }

    /// A caller with a responder token of this name.
    pub(crate) async fn responder(&self, name: &str) -> Caller<'_> {
        self.caller(TokenKind::Responder, name).await
    }

    /// A caller with a responder token of this name, which answers for a team.
    pub(crate) async fn responder_of(&self, name: &str, team: TeamId) -> Caller<'_> {
        let service = &self.state.service;
        let (kind, never) = (TokenKind::Responder, Lifetime::Never);
        let (teams, by) = ([team], operator());
        let token = service.create_token(kind, name, never, &teams, &by).await;
        Caller {
            app: self,
            token: token.unwrap().reveal().to_owned(),
        }
    }

    async fn caller(&self, kind: TokenKind, name: &str) -> Caller<'_> {
        let service = &self.state.service;
        let (never, by) = (Lifetime::Never, operator());
        let token = service
            .create_token(kind, name, never, &[], &by)
            .await
            .unwrap();
        Caller {
            app: self,
            token: token.reveal().to_owned(),
        }
    }
}

pub(crate) fn path_of(interaction: &Value) -> String {
    format!(
        "/api/v1/interactions/{}",
        interaction["id"].as_str().unwrap()
    )
}

pub(crate) fn id_of(interaction: &Value) -> InteractionId {
    interaction["id"].as_str().unwrap().parse().unwrap()
}

/// The body, if the status is as expected.
pub(crate) async fn json_of(response: Response, status: StatusCode) -> Value {
    let found = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(found, status, "{text}");
    serde_json::from_str(&text).unwrap()
}
