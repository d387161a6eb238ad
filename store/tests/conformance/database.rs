//! A database of one case, and what the cases put into it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, Changeset, Ids, Interaction, Moment, PersonId, Principal, Role, TokenId,
    Write,
    interaction::{AnswerDraft, Draft, decide},
};
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::{NewToken, SecretHash, Store, TokenKind};
use uuid::Uuid;

/// Removed when dropped.
pub(crate) struct Database {
    pub(crate) url: String,
    place: Place,
    pub(crate) ids: Counter,
}

enum Place {
    File { _folder: tempfile::TempDir },
    Server { maintenance: String, name: String },
}

impl Database {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            url: format!("sqlite://{}", folder.path().join("handraise.db").display()),
            place: Place::File { _folder: folder },
            ids: Counter::default(),
        }
    }

    pub(crate) async fn postgres() -> Self {
        let maintenance = std::env::var("TEST_POSTGRES_URL").expect(
            "TEST_POSTGRES_URL is not set: run `cargo xtask test`, which starts a Postgres, or name one",
        );
        let name = format!("handraise_{}", Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&maintenance).await.unwrap();
        sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .unwrap();
        let (server, _) = maintenance.rsplit_once('/').unwrap();
        let url = format!("{server}/{name}");
        Self {
            url,
            place: Place::Server { maintenance, name },
            ids: Counter::default(),
        }
    }

    pub(crate) async fn store(&self) -> Arc<dyn Store> {
        store::connect(&self.url).await.unwrap()
    }

    /// The same database, opened so that it cannot be written.
    pub(crate) fn read_only_url(&self) -> String {
        match &self.place {
            Place::File { .. } => format!("{}?mode=ro", self.url),
            Place::Server { .. } => {
                let joint = if self.url.contains('?') { '&' } else { '?' };
                format!(
                    "{}{joint}options=-c%20default_transaction_read_only%3Don",
                    self.url
                )
            }
        }
    }

    /// Behind the store's back.
    pub(crate) async fn execute(&self, sql: &str) -> Result<(), sqlx::Error> {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        match &self.place {
            Place::File { .. } => {
                let mut connection = SqliteConnection::connect(&self.url).await?;
                sqlx::query(sql).execute(&mut connection).await?;
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                sqlx::query(sql).execute(&mut connection).await?;
            }
        }
        Ok(())
    }

    /// An agent that may ask.
    pub(crate) async fn agent(&self, store: &dyn Store, name: &str) -> AgentRef {
        let hash = SecretHash(rand_hash());
        let token = NewToken {
            id: TokenId(self.ids.next()),
            kind: TokenKind::Agent,
            name: name.into(),
            hash,
            created_at: epoch(),
        };
        store
            .create_token(&token, AgentId(self.ids.next()))
            .await
            .unwrap();
        match store.token_holder(&hash).await.unwrap() {
            Some(Principal::Agent(agent)) => agent,
            other => panic!("not an agent: {other:?}"),
        }
    }

    /// A question, decided but not committed.
    pub(crate) fn question(&self, agent: &AgentRef, draft: Draft, seconds: i64) -> Changeset {
        let draft = Draft {
            kind: Some("question".into()),
            prompt: draft.prompt.or(Some("Which port?".into())),
            ..draft
        };
        let request = draft.check(|_| None).unwrap();
        decide::open(request, agent.clone(), self.at(seconds))
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
        let draft = AnswerDraft {
            text: Some(text.into()),
        };
        decide::answer(interaction, draft, &ana(), self.at(10)).unwrap()
    }

    pub(crate) fn at(&self, seconds: i64) -> Moment<'_> {
        Moment {
            at: epoch() + TimeDelta::seconds(seconds),
            ids: &self.ids,
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Place::Server { maintenance, name } = &self.place else {
            return;
        };
        let (maintenance, name) = (maintenance.clone(), name.clone());
        // Drop cannot wait on the runtime it runs in.
        let done = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut connection = PgConnection::connect(&maintenance).await.unwrap();
                let sql = format!("DROP DATABASE {name} WITH (FORCE)");
                sqlx::query(sqlx::AssertSqlSafe(sql))
                    .execute(&mut connection)
                    .await
                    .unwrap();
            });
        })
        .join();
        if !std::thread::panicking() {
            done.unwrap();
        }
    }
}

/// Ids that grow by one.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(1, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

pub(crate) fn epoch() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000).unwrap()
}

pub(crate) fn rand_hash() -> [u8; 32] {
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(Uuid::new_v4().as_bytes());
    hash
}

pub(crate) fn ana() -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role: Role::Responder,
    }
}

pub(crate) fn written(changeset: &Changeset) -> Interaction {
    match changeset.write.as_ref().unwrap() {
        Write::Open(interaction) | Write::Advance(interaction) => interaction.clone(),
    }
}
