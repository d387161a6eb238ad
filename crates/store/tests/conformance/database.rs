//! A database of one case, and what the cases put into it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, Changeset, IdempotencyKey, Ids, Interaction, Moment, Parts, PersonId,
    Principal, Role, Salt, SecretHash, Task, TokenKind,
    access::Lifetime,
    decide::{
        access::{self, NewToken},
        interaction as decide,
    },
    interaction::{AnswerDraft, Draft},
    sign::{PublicKey, Sign, Signature},
    task::Work,
};
use store::{Store, testing::TestDatabase};
use uuid::Uuid;

/// One database and the ids used in it.
pub(crate) struct Database {
    pub(crate) place: TestDatabase,
    pub(crate) ids: Counter,
}

impl From<TestDatabase> for Database {
    fn from(place: TestDatabase) -> Self {
        Self {
            place,
            ids: Counter::default(),
        }
    }
}

impl Database {
    pub(crate) async fn store(&self) -> Arc<dyn Store> {
        store::connect(&self.place.url).await.unwrap()
    }

    /// An agent that may ask. Its token is the journal's next event.
    pub(crate) async fn agent(&self, store: &dyn Store, name: &str) -> AgentRef {
        let hash = self.token(store, TokenKind::Agent, name).await;
        let holder = store.token_holder(&hash).await.unwrap();
        match holder.map(|holder| holder.principal) {
            Some(Principal::Agent(agent)) => agent,
            other => panic!("not an agent: {other:?}"),
        }
    }

    /// A committed token.
    pub(crate) async fn token(&self, store: &dyn Store, kind: TokenKind, name: &str) -> SecretHash {
        let hash = SecretHash(rand_hash());
        let agent = store.agent_named(name).await.unwrap();
        let new = new_token(kind, name, agent, Lifetime::Never);
        let token = access::create_token(&new, hash, &operator(), self.at(0));
        store.commit(token.unwrap()).await.unwrap();
        hash
    }

    /// A question, decided but not committed.
    pub(crate) fn question(&self, agent: &AgentRef, draft: Draft, seconds: i64) -> Changeset {
        self.opened(agent, a_question(draft), None, seconds)
    }

    /// A question under a key, within the same millisecond as every other one: two under one key have one id.
    pub(crate) fn question_under(&self, agent: &AgentRef, key: &str) -> Changeset {
        let request = a_question(Draft::default()).check(|_| None).unwrap();
        let key = IdempotencyKey::new(key, [7; 32]).unwrap();
        let now = self.at(0);
        decide::open(request, agent.clone(), None, Some(key), None, None, now)
    }

    /// Any request, decided on its task as it is.
    pub(crate) fn opened(
        &self,
        agent: &AgentRef,
        draft: Draft,
        task: Option<&Task>,
        seconds: i64,
    ) -> Changeset {
        let request = draft.check(|_| None).unwrap();
        decide::open(
            request,
            agent.clone(),
            None,
            None,
            task,
            None,
            self.at(seconds),
        )
    }

    /// A committed question with a card in a channel.
    pub(crate) async fn asked_in(
        &self,
        store: &dyn Store,
        agent: &AgentRef,
        channel: &str,
        seconds: i64,
    ) -> Interaction {
        let draft = Draft {
            kind: Some("question".into()),
            prompt: Some("Which port?".into()),
            ..Draft::default()
        };
        let request = draft.check(|_| None).unwrap();
        let channel = Some(channel.to_owned());
        let now = self.at(seconds);
        let changeset = decide::open(request, agent.clone(), None, None, None, channel, now);
        let interaction = written(&changeset);
        store.commit(changeset).await.unwrap();
        interaction
    }

    /// A committed question.
    pub(crate) async fn asked(
        &self,
        store: &dyn Store,
        agent: &AgentRef,
        draft: Draft,
    ) -> Interaction {
        let changeset = self.question(agent, draft, 0);
        let interaction = written(&changeset);
        store.commit(changeset).await.unwrap();
        interaction
    }

    /// An answer, decided but not committed.
    pub(crate) fn answer(&self, interaction: &Interaction, text: &str) -> Changeset {
        self.answer_in(interaction, text, None)
    }

    /// An answer, decided on the task as it is.
    pub(crate) fn answer_in(
        &self,
        interaction: &Interaction,
        text: &str,
        work: Option<&Work>,
    ) -> Changeset {
        decide::answer(interaction, said(text), &ana(), work, self.at(10)).unwrap()
    }

    pub(crate) fn at(&self, seconds: i64) -> Moment<'_> {
        Moment {
            at: epoch() + TimeDelta::seconds(seconds),
            ids: &self.ids,
            signer: Some(&Stamp),
        }
    }
}

fn a_question(draft: Draft) -> Draft {
    Draft {
        kind: draft.kind.or(Some("question".into())),
        prompt: draft.prompt.or(Some("Which port?".into())),
        ..draft
    }
}

/// Signs, after a fashion: what it says is only kept here.
pub(crate) struct Stamp;

impl Sign for Stamp {
    fn public_key(&self) -> PublicKey {
        [7; 32]
    }

    fn sign(&self, message: &[u8]) -> Signature {
        [message.len() as u8; 64]
    }
}

/// Ids that grow by one.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(1, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn salt(&self) -> Salt {
        Uuid::from_u64_pair(9, self.0.load(Ordering::Relaxed)).into_bytes()
    }
}

pub(crate) fn epoch() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a secret, not an id")]
pub(crate) fn rand_hash() -> [u8; 32] {
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(Uuid::new_v4().as_bytes());
    hash
}

/// A token of no team.
pub(crate) fn new_token(
    kind: TokenKind,
    name: &str,
    agent: Option<AgentId>,
    lifetime: Lifetime,
) -> NewToken<'_> {
    NewToken {
        kind,
        name,
        agent,
        lifetime,
        teams: &[],
        owner: None,
    }
}

pub(crate) fn operator() -> Principal {
    Principal::Operator {
        name: "root".into(),
    }
}

pub(crate) fn ana() -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role: Role::Responder,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

pub(crate) fn said(text: &str) -> AnswerDraft {
    AnswerDraft {
        text: Some(text.into()),
        ..AnswerDraft::default()
    }
}

/// The interaction a changeset is about.
pub(crate) fn written(changeset: &Changeset) -> Interaction {
    changeset.interaction().unwrap().clone()
}
