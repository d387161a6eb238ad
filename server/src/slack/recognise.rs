//! Who a user of Slack is here, and whether they may answer. A user who is not recognised answers nothing, and
//! is told why in a note that only they see.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Parts, Person, Principal, Role, SlackId, duty::Zone};
use service::Service;
use slack::{class::Class, client::SlackClient, limits::USER, types::User};
use store::StoreError;
use tokio::sync::OnceCell;

use super::unrecognised::Unrecognised;
use crate::config::{Config, SlackUsers};

/// How long it is believed what Slack said of a user. Who they are here is looked up every time.
const BELIEVED: TimeDelta = TimeDelta::seconds(60);
/// How long it is remembered, for homes that are kept up to date: no call is spent on them.
const REMEMBERED: TimeDelta = TimeDelta::minutes(20);
/// Slack's own bot, which does not say that it is one.
const SLACKBOT: &str = "USLACKBOT";

/// Recognises users of one workspace.
pub struct Recogniser {
    client: SlackClient,
    service: Service,
    allowed: SlackUsers,
    public_url: String,
    /// The workspace that our token belongs to.
    team: OnceCell<String>,
    said: Mutex<HashMap<SlackId, Said>>,
}

/// Slack's word on a user.
#[derive(Clone, Debug)]
struct Said {
    /// `None` when it knows no user of this id, or will not say.
    user: Option<User>,
    at: DateTime<Utc>,
}

/// Whether Slack is asked who a user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    /// Unless it said so within the last minute.
    Slack,
    /// What it said before has to do.
    NoOne,
}

/// A user of Slack who reads.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The person they are, or a user who may answer without being one.
    pub sees: Principal,
    /// Where their clocks are, if that is known.
    pub zone: Option<Zone>,
}

impl Recogniser {
    /// Recognises the users that our token sees.
    pub fn new(client: SlackClient, service: Service, config: &Config) -> Self {
        Self {
            client,
            service,
            allowed: config.slack_allowed_users.clone(),
            public_url: config.public_url(),
            team: OnceCell::new(),
            said: Mutex::default(),
        }
    }

    /// Who this user is, if they may answer. `team_id` is the workspace that their click or message names as
    /// its own, if it names one.
    ///
    /// # Errors
    /// Whenever it is not certain that they may.
    pub async fn recognise(
        &self,
        team_id: Option<&str>,
        user_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Principal, Unrecognised> {
        let (id, user, person) = self.looked_up(team_id, user_id, now, Asking::Slack).await?;
        match person {
            Some(person) => {
                let teams = self.service.store().parts(person.id).await;
                let teams = teams.map_err(|error| failed(&error, &id))?;
                as_person(person, teams)
            }
            None => self.as_allowed(&id, user).await,
        }
    }

    /// The same for a user who reads: what they see is for them alone, and viewers see too.
    ///
    /// # Errors
    /// Whenever it is not certain that they may.
    pub async fn reader(
        &self,
        team_id: Option<&str>,
        user_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Reader, Unrecognised> {
        self.read(team_id, user_id, now, Asking::Slack).await
    }

    /// The same for a user whose home is kept up to date, by what Slack said of them before.
    ///
    /// # Errors
    /// Whenever it is not certain that they may.
    pub async fn reader_as_remembered(
        &self,
        user_id: &str,
        now: DateTime<Utc>,
    ) -> Result<Reader, Unrecognised> {
        self.read(None, user_id, now, Asking::NoOne).await
    }

    async fn read(
        &self,
        team_id: Option<&str>,
        user_id: &str,
        now: DateTime<Utc>,
        asking: Asking,
    ) -> Result<Reader, Unrecognised> {
        let (id, user, person) = self.looked_up(team_id, user_id, now, asking).await?;
        let zone = Zone::parse(&user.tz).ok();
        let Some(person) = person else {
            let sees = self.as_allowed(&id, user).await?;
            return Ok(Reader { sees, zone });
        };
        if person.disabled_at.is_some() {
            return Err(Unrecognised::Disabled);
        }
        let sees = self.service.principal_for(&person).await;
        let sees = sees.map_err(|error| failed(&error, &id))?;
        Ok(Reader { sees, zone })
    }

    /// Who a user is in Slack, where nothing speaks against them, and here.
    async fn looked_up(
        &self,
        team_id: Option<&str>,
        user_id: &str,
        now: DateTime<Utc>,
        asking: Asking,
    ) -> Result<(SlackId, User, Option<Person>), Unrecognised> {
        let id = SlackId::parse(user_id).map_err(|_| Unrecognised::NotSaid)?;
        let team = self.team().await?;
        if team_id.is_some_and(|named| named != team) {
            return Err(Unrecognised::OtherWorkspace);
        }
        let user = self.user(&id, now, asking).await?;
        if let Some(why) = objection(&user, team) {
            return Err(why);
        }
        let person = self.service.store().person_in_slack(&id).await;
        let person = person.map_err(|error| failed(&error, &id))?;
        Ok((id, user, person))
    }

    /// A user without an account, if they may answer all the same.
    async fn as_allowed(&self, id: &SlackId, user: User) -> Result<Principal, Unrecognised> {
        if self.allowed.contains(id.as_str()) {
            return Ok(Principal::SlackUser {
                id: id.responder_id(),
                name: called(user),
                role: Role::Responder,
                teams: Parts::default(),
            });
        }
        let team = self.team().await?;
        Err(Unrecognised::Unknown {
            link: self.link(id, team, &user.name),
        })
    }

    fn link(&self, id: &SlackId, team: &str, name: &str) -> Option<String> {
        let token = self.service.slack_link(id, team, name)?;
        Some(format!("{}/slack/link/{token}", self.public_url))
    }

    /// Asked once: a token is never another workspace's.
    async fn team(&self) -> Result<&str, Unrecognised> {
        let team = self.team.get_or_try_init(async || {
            let identity = self.client.auth_test().await;
            identity.map(|identity| identity.team_id)
        });
        team.await.map(String::as_str).map_err(|error| {
            tracing::warn!(%error, "nobody in Slack can answer: it does not say whose the token is");
            Unrecognised::NotSaid
        })
    }

    async fn user(
        &self,
        id: &SlackId,
        now: DateTime<Utc>,
        asking: Asking,
    ) -> Result<User, Unrecognised> {
        let believed = match asking {
            Asking::Slack => BELIEVED,
            Asking::NoOne => REMEMBERED,
        };
        let said = self.said().get(id).cloned();
        if let Some(said) = said.filter(|said| now < said.at + believed) {
            return said.user.ok_or(Unrecognised::NotSaid);
        }
        if asking == Asking::NoOne {
            return Err(Unrecognised::NotSaid);
        }
        if self.service.slack_rests(USER).await {
            return Err(Unrecognised::NotSaid);
        }
        let user = match self.client.user_info(id.as_str()).await {
            Ok(user) => Some(user).filter(|user| user.id == id.as_str()),
            Err(error) => {
                tracing::warn!(%error, slack.user = %id, "Slack did not say who a user is");
                if let Some(wait) = error.pause() {
                    self.service.slack_refused(error.method, wait).await;
                }
                // An error that may pass by itself is asked again at once.
                if !matches!(error.class, Class::Config | Class::Content) {
                    return Err(Unrecognised::NotSaid);
                }
                None
            }
        };
        let mut said = self.said();
        said.retain(|_, said| now < said.at + REMEMBERED);
        let user_said = user.clone();
        said.insert(
            id.clone(),
            Said {
                user: user_said,
                at: now,
            },
        );
        user.ok_or(Unrecognised::NotSaid)
    }

    fn said(&self) -> MutexGuard<'_, HashMap<SlackId, Said>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(error: &StoreError, id: &SlackId) -> Unrecognised {
    tracing::error!(%error, slack.user = %id, "a user of Slack, or their teams, could not be looked up");
    Unrecognised::Failed
}

/// Why Slack's word on a user rules them out, whichever person they are here.
pub(super) fn objection(user: &User, team: &str) -> Option<Unrecognised> {
    if user.deleted {
        Some(Unrecognised::Deleted)
    } else if user.is_bot || user.id == SLACKBOT {
        Some(Unrecognised::Bot)
    } else if user.is_restricted || user.is_ultra_restricted {
        Some(Unrecognised::Guest)
    } else if user.team_id != team {
        Some(Unrecognised::OtherWorkspace)
    } else {
        None
    }
}

/// A person's role is theirs in Slack as well, allowed there or not.
fn as_person(person: Person, teams: Parts) -> Result<Principal, Unrecognised> {
    if person.disabled_at.is_some() {
        return Err(Unrecognised::Disabled);
    }
    match person.role {
        Role::Viewer => Err(Unrecognised::Viewer),
        role @ (Role::Responder | Role::Admin) => Ok(Principal::SlackUser {
            id: person.id.0,
            name: person.name,
            role,
            teams,
        }),
    }
}

/// The name others see beside an answer.
fn called(user: User) -> String {
    let names = [user.real_name, user.name];
    let mut names = names.into_iter().filter(|name| !name.trim().is_empty());
    names.next().unwrap_or(user.id)
}
