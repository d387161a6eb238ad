//! Who decides meanwhile: people with browsers and programs with tokens, and the agents that ask them. Nobody of them is
//! reached by anything, so what they are asked is no message that is waited for.

use domain::{InteractionId, Part, PersonId, Role, TokenKind, access::Lifetime, team::Profile};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};
use service::Service;

use super::door::Door;
use crate::support::people::{PASSWORD, cookie_of, operator};

const TEAM: &str = "Deciders";
/// Those of the team.
const PEOPLE: [&str; 4] = ["Gil", "Hana", "Ida", "Jon"];

/// Somebody with a browser.
pub(super) struct Somebody {
    pub(super) id: PersonId,
    cookie: String,
}

/// All of them.
pub(super) struct Cast {
    pub(super) door: Door,
    /// Those who answer. All agents are the first one's.
    pub(super) people: Vec<Somebody>,
    /// Who puts rules in force.
    pub(super) admin: Somebody,
    /// Programs that answer.
    pub(super) clerks: [String; 2],
    /// Whose calls are approved ahead.
    pub(super) granted: String,
    /// Who asks several people.
    pub(super) counted: String,
    /// Whom rules are about, by this name.
    pub(super) ruled: String,
    /// Who takes other arguments.
    pub(super) amended: String,
}

/// The agent that rules are about.
pub(super) const RULED: &str = "ruled";

/// A run that an agent tried to begin.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) of: InteractionId,
    pub(super) name: &'static str,
    /// Whether it was told that it may.
    pub(super) begins: bool,
}

impl Cast {
    /// At nodes of which none is killed yet.
    pub(super) async fn assemble(service: &Service, door: Door) -> Self {
        let by = operator();
        let profile = Profile {
            name: TEAM.to_owned(),
            ..Profile::default()
        };
        let team = service.create_team(profile, &by).await.unwrap().id;
        let mut people = Vec::new();
        for name in PEOPLE {
            let one = signed_in(service, &door, name, Role::Responder).await;
            let joined = service.set_member(team, one.id, Part::Answers, &by).await;
            joined.unwrap();
            people.push(one);
        }
        let admin = signed_in(service, &door, "Kim", Role::Admin).await;
        let owner = people[0].id;
        let clerk = async |name: &str| {
            let (kind, never) = (TokenKind::Responder, Lifetime::Never);
            let token = service.create_token(kind, name, never, &[team], &by).await;
            token.unwrap().reveal().to_owned()
        };
        let agent = async |name: &str| {
            let (home, never) = (Some(team), Lifetime::Never);
            let token = service
                .create_owned_token(name, owner, home, never, &by)
                .await;
            token.unwrap().reveal().to_owned()
        };
        Self {
            clerks: [clerk("day clerk").await, clerk("night clerk").await],
            granted: agent("granted").await,
            counted: agent("counted").await,
            ruled: agent(RULED).await,
            amended: agent("amended").await,
            door,
            people,
            admin,
        }
    }

    /// An agent asks. Sent again under its key it is the same question.
    pub(super) async fn asks(&self, agent: &str, key: &str, body: &Value) -> Value {
        let ask = |url: &str| {
            let url = format!("{url}/api/v1/interactions");
            let post = self.door.client().post(url).bearer_auth(agent);
            post.header("idempotency-key", key).json(body)
        };
        let (status, asked) = self.door.sent(ask).await;
        assert_eq!(status, StatusCode::CREATED, "{key}: {asked}");
        asked
    }

    /// A program does something to a question.
    pub(super) async fn does(
        &self,
        token: &str,
        id: InteractionId,
        verb: &str,
        body: &Value,
    ) -> (StatusCode, Value) {
        let path = format!("/api/v1/interactions/{id}/{verb}");
        self.posts(token, &path, body).await
    }

    pub(super) async fn posts(&self, token: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let post = |url: &str| {
            let post = self.door.client().post(format!("{url}{path}"));
            post.bearer_auth(token).json(body)
        };
        self.door.sent(post).await
    }

    pub(super) async fn deletes(&self, token: &str, path: &str) -> Value {
        let delete = |url: &str| {
            let delete = self.door.client().delete(format!("{url}{path}"));
            delete.bearer_auth(token)
        };
        let (status, said) = self.door.sent(delete).await;
        assert_eq!(status, StatusCode::OK, "{path}: {said}");
        said
    }

    pub(super) async fn reads(&self, token: &str, path: &str) -> Value {
        let get = |url: &str| {
            let get = self.door.client().get(format!("{url}{path}"));
            get.bearer_auth(token)
        };
        let (status, said) = self.door.sent(get).await;
        assert_eq!(status, StatusCode::OK, "{path}: {said}");
        said
    }

    /// An agent needs no answer any more. It may have been taken back before, or closed.
    pub(super) async fn takes_back(&self, agent: &str, id: InteractionId) {
        let (status, said) = self.does(agent, id, "cancel", &json!({})).await;
        let is_over = status == StatusCode::OK || status == StatusCode::CONFLICT;
        assert!(is_over, "{id}: {status} {said}");
    }

    /// An agent tries to run what it asked for.
    pub(super) async fn runs(&self, agent: &str, of: InteractionId, name: &'static str) -> Run {
        let body = json!({ "run": name });
        let (status, said) = self.does(agent, of, "consume", &body).await;
        let is_said = status == StatusCode::OK || status == StatusCode::CONFLICT;
        assert!(is_said, "{of}: {status} {said}");
        let begins = status == StatusCode::OK;
        Run { of, name, begins }
    }

    /// The same twice at the same time.
    pub(super) async fn runs_twice(&self, agent: &str, of: InteractionId) -> [Run; 2] {
        let (one, other) = (self.runs(agent, of, "one"), self.runs(agent, of, "other"));
        let (one, other) = tokio::join!(one, other);
        [one, other]
    }

    /// Somebody sends a form of a page, as a browser would.
    pub(super) async fn submits(
        &self,
        who: &Somebody,
        path: &str,
        form: &[(&str, &str)],
    ) -> (StatusCode, String) {
        let submit = |url: &str| {
            let post = self.door.client().post(format!("{url}{path}"));
            let post = post.header(header::ORIGIN, url);
            post.header(header::COOKIE, &who.cookie).form(form)
        };
        self.door.said(submit).await
    }
}

async fn signed_in(service: &Service, door: &Door, name: &str, role: Role) -> Somebody {
    let by = operator();
    let link = service.invite(name, role, &by).await.unwrap();
    let people = service.people(&by).await.unwrap();
    let found = people.into_iter().find(|one| one.person.name == name);
    let url = &door.alive()[0];
    let form = [("link", link.reveal()), ("password", PASSWORD)];
    let sent = door.client().post(format!("{url}/accept-link"));
    let sent = sent.header(header::ORIGIN, url).form(&form).send().await;
    Somebody {
        id: found.unwrap().person.id,
        cookie: cookie_of(&sent.unwrap()),
    }
}
