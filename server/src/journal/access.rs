//! Holding who gets in against the journal: a token, a role or a user of Slack that no event made was put into the
//! database by hand, and so was an answer by a person who could not answer then.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Actor, FactorId, Identity, InteractionEvent, Payload, Person, PersonEvent, PersonId, PolicyId,
    Responder, Role, SlackId, TeamId, Token, TokenEvent, TokenId, TokenKind, Via, journal::Record,
};
use store::{Store, walk_journal};
use uuid::Uuid;

use super::{
    grants::KnownGrants, ladders::KnownLadders, memories::KnownMemories, policies::KnownPolicies,
    rows::Differs, teams::KnownTeams,
};

/// The nouns whose events are needed here.
const READ: [&str; 16] = [
    "person.",
    "token.",
    "team.",
    "duty.",
    "ladder.",
    "grant.",
    "memory.",
    "policies.",
    "interaction.resolved",
    "interaction.progressed",
    "interaction.approval_given",
    "interaction.moved",
    "interaction.handed_over",
    "interaction.expired",
    "interaction.cancelled",
    "interaction.erased",
];

/// Of this event only those are needed that name a team.
const ASKED: &str = "interaction.requested";

/// Who may answer is read before the answer is committed: one that was under way when its author was kept out still
/// counts. No request takes longer.
const UNDER_WAY: TimeDelta = TimeDelta::minutes(2);

/// Who gets in, as the journal tells it.
#[derive(Debug, Default)]
pub(super) struct Known {
    people: BTreeMap<PersonId, KnownPerson>,
    /// As which people are known to providers.
    identities: BTreeMap<Identity, PersonId>,
    /// Those that were not revoked.
    tokens: BTreeMap<TokenId, Token>,
    /// Whom tokens belong to, the revoked ones too: what was asked with them may still wait.
    owners: BTreeMap<TokenId, Option<PersonId>>,
    /// When people and tokens that could answer until then no longer could.
    ended: BTreeMap<Uuid, DateTime<Utc>>,
    teams: KnownTeams,
    ladders: KnownLadders,
    grants: KnownGrants,
    memories: KnownMemories,
    policies: KnownPolicies,
    seq: i64,
    strangers: Vec<Differs>,
}

#[derive(Debug)]
struct KnownPerson {
    role: Role,
    is_disabled: bool,
    slack_id: Option<SlackId>,
    factors: BTreeSet<FactorId>,
}

impl Known {
    /// Takes the next event. One that cannot be read says nothing.
    pub(super) fn follow(&mut self, record: &Record) {
        self.seq = record.seq;
        let is_needed = match &*record.event_type {
            ASKED => record.payload.contains("\"team\""),
            named => READ.iter().any(|noun| named.starts_with(noun)),
        };
        if !is_needed {
            return;
        }
        if let Ok(payload) = Payload::read(&record.event_type, &record.payload) {
            let at = DateTime::from_timestamp_millis(record.at).unwrap_or_default();
            self.note_an_end(&payload, at);
            self.take(record, payload, at);
        }
    }

    fn note_an_end(&mut self, payload: &Payload, at: DateTime<Utc>) {
        let ended = match payload {
            Payload::Token(TokenEvent::Revoked(token))
                if self
                    .tokens
                    .get(&token.id)
                    .is_some_and(|it| it.kind == TokenKind::Responder) =>
            {
                token.id.0
            }
            Payload::Person(PersonEvent::Disabled(person))
            | Payload::Person(PersonEvent::Changed(person))
                if self.is_responder(person.id) =>
            {
                person.id.0
            }
            _ => return,
        };
        self.ended.insert(ended, at);
    }

    fn is_responder(&self, id: PersonId) -> bool {
        let person = self.people.get(&id);
        person.is_some_and(|it| !it.is_disabled && it.role != Role::Viewer)
    }

    fn take(&mut self, record: &Record, payload: Payload, at: DateTime<Utc>) {
        match payload {
            Payload::Person(event) => self.take_person(event),
            Payload::Token(TokenEvent::Created(token) | TokenEvent::OwnerChanged(token)) => {
                self.owners.insert(token.id, token.owner);
                self.tokens.insert(token.id, token);
            }
            Payload::Token(TokenEvent::Revoked(token)) => {
                self.tokens.remove(&token.id);
            }
            Payload::Team(event) => {
                let by = serde_json::from_str(&record.actor);
                let issuer = match by {
                    Ok(Actor::Provider { issuer, .. }) => Some(issuer),
                    _ => None,
                };
                self.ladders.end_of_team(&event);
                self.teams.take(event, issuer, at);
            }
            Payload::Duty(event) => self.teams.take_duty(event, at),
            Payload::Ladder(event) => self.ladders.take(event),
            Payload::Grant(event) => self.grants.take(event),
            Payload::Memory(event) => self.memories.take(event),
            Payload::Policy(event) => {
                let by = serde_json::from_str(&record.actor).ok();
                self.policies.take(event, by.as_ref(), at);
            }
            Payload::Interaction(event) => {
                if matches!(
                    event,
                    InteractionEvent::Resolved { .. }
                        | InteractionEvent::Progressed { .. }
                        | InteractionEvent::Approved { .. }
                ) {
                    self.answered(record, at);
                }
                self.teams.follow(record.interaction_id, &event);
                self.grants.follow(record.interaction_id, &event, at);
                self.memories.follow(record.interaction_id, &event, at);
                self.policies.follow(record.interaction_id, &event);
            }
            _ => {}
        }
    }

    fn take_person(&mut self, event: PersonEvent) {
        match event {
            PersonEvent::Invited(person) | PersonEvent::Changed(person) => {
                let known = self.people.entry(person.id).or_insert(KnownPerson {
                    role: person.role,
                    is_disabled: false,
                    slack_id: None,
                    factors: BTreeSet::new(),
                });
                known.role = person.role;
            }
            PersonEvent::Disabled(person) => {
                self.person(person.id, |it| it.is_disabled = true);
                self.teams.end_calendars(person.id);
            }
            PersonEvent::Enabled(person) => self.person(person.id, |it| it.is_disabled = false),
            PersonEvent::SlackLinked { person, slack_id } => {
                self.person(person.id, |it| it.slack_id = Some(slack_id));
            }
            PersonEvent::SlackUnlinked { person, .. } => {
                self.person(person.id, |it| it.slack_id = None);
            }
            PersonEvent::FactorAdded { person, factor } => self.person(person.id, |it| {
                it.factors.insert(factor.id);
            }),
            PersonEvent::FactorRemoved { person, factor } => self.person(person.id, |it| {
                it.factors.remove(&factor.id);
            }),
            PersonEvent::FactorsReset(person) => {
                self.person(person.id, |it| it.factors.clear());
            }
            PersonEvent::IdentityLinked { person, identity } => {
                self.identities.insert(identity, person.id);
            }
            PersonEvent::IdentityUnlinked { identity, .. } => {
                self.identities.remove(&identity);
            }
            PersonEvent::Linked(_)
            | PersonEvent::PasswordSet(_)
            | PersonEvent::SignedIn { .. }
            | PersonEvent::SignInFailed { .. }
            | PersonEvent::SignedOut { .. }
            | PersonEvent::FactorUsed { .. }
            | PersonEvent::RecoveryCodesMade(_) => {}
        }
    }

    fn person(&mut self, id: PersonId, change: impl FnOnce(&mut KnownPerson)) {
        if let Some(person) = self.people.get_mut(&id) {
            change(person);
        }
    }

    fn answered(&mut self, record: &Record, at: DateTime<Utc>) {
        let Ok(Actor::Responder(responder)) = serde_json::from_str(&record.actor) else {
            return;
        };
        let ended = self.ended.get(&responder.id);
        let is_under_way = ended.is_some_and(|ended| at - *ended <= UNDER_WAY);
        let team = self.teams.asked(record.interaction_id);
        let is_of_team = team.is_none_or(|team| self.answers_for(team, &responder, at));
        if !is_of_team || (!is_under_way && !self.may_answer(&responder, at)) {
            self.strangers.push(Differs {
                what: format!("event {}", record.seq),
                how: format!(
                    "{} answered, and no event let them answer",
                    visible::line(&responder.name)
                ),
            });
        }
    }

    /// Whether events say so. Who a user of Slack is, the settings may say instead.
    fn may_answer(&self, responder: &Responder, at: DateTime<Utc>) -> bool {
        let person = |id: Uuid| {
            let person = self.people.get(&PersonId(id));
            person.map(|it| !it.is_disabled && it.role != Role::Viewer)
        };
        match responder.via {
            Via::Dashboard => person(responder.id) == Some(true),
            Via::Slack => person(responder.id) != Some(false),
            Via::Policy => self.policies.has(PolicyId(responder.id), &responder.name),
            Via::Api => self.tokens.get(&TokenId(responder.id)).is_some_and(|it| {
                it.kind == TokenKind::Responder && !it.has_expired(at - UNDER_WAY)
            }),
        }
    }

    /// Whether events say so of this team (rule 18).
    fn answers_for(&self, team: TeamId, responder: &Responder, at: DateTime<Utc>) -> bool {
        // An admin's rule is about whoever it says.
        if responder.via == Via::Policy {
            return true;
        }
        if responder.via == Via::Api {
            let token = self.tokens.get(&TokenId(responder.id));
            // Of one that was revoked meanwhile its teams are not known any more.
            return token.is_none_or(|token| token.teams.contains(&team));
        }
        let id = PersonId(responder.id);
        let is_admin = |known: &KnownPerson| known.role == Role::Admin;
        self.people.get(&id).is_some_and(is_admin)
            || self.teams.answers(team, id, at, UNDER_WAY)
            || self
                .ended
                .get(&responder.id)
                .is_some_and(|ended| at - *ended <= UNDER_WAY)
    }

    /// Rows of people, tokens and teams that are not as their events say; and who answered without being let in.
    pub(super) async fn compare(mut self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        loop {
            let mut differ = self.people_who_differ(store).await?;
            differ.extend(self.factors_that_differ(store).await?);
            differ.extend(self.identities_that_differ(store).await?);
            differ.extend(self.tokens_that_differ(store).await?);
            differ.extend(self.teams.compare(&store.teams().await?));
            differ.extend(self.ladders.compare(store).await?);
            differ.extend(self.grants.compare(store).await?);
            differ.extend(self.memories.compare(store).await?);
            differ.extend(self.policies.compare(store).await?);
            let before = self.seq;
            // A server may be at work: what it has done meanwhile is no difference.
            if !differ.is_empty() {
                walk_journal(store, before, |record| {
                    self.follow(&record);
                    Ok(())
                })
                .await?;
            }
            if self.seq == before {
                differ.extend(self.strangers);
                return Ok(differ);
            }
        }
    }

    async fn people_who_differ(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let people = store.people(DateTime::UNIX_EPOCH).await?;
        let differ = people.into_iter().filter_map(|record| {
            let person = record.person;
            let how = self.how_a_person_differs(&person)?;
            let what = format!("the person {}", visible::line(&person.name));
            Some(Differs { what, how })
        });
        Ok(differ.collect())
    }

    fn how_a_person_differs(&self, person: &Person) -> Option<String> {
        let Some(known) = self.people.get(&person.id) else {
            return Some("no event has invited them".to_owned());
        };
        if known.role != person.role {
            let (row, told) = (person.role.name(), known.role.name());
            return Some(format!("the row says {row}, the events say {told}"));
        }
        if known.is_disabled && person.disabled_at.is_none() {
            return Some("the events say that they are kept out, the row lets them in".to_owned());
        }
        (known.slack_id != person.slack_id)
            .then(|| "the row names another user of Slack than the events".to_owned())
    }

    async fn factors_that_differ(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let mut differ = Vec::new();
        for record in store.people(DateTime::UNIX_EPOCH).await? {
            let person = record.person;
            let Some(known) = self.people.get(&person.id) else {
                continue;
            };
            let factors = store.factors(person.id).await?;
            let factors: BTreeSet<_> = factors.iter().map(|factor| factor.id).collect();
            if factors != known.factors {
                differ.push(Differs {
                    what: format!("the person {}", visible::line(&person.name)),
                    how: "the rows have other second factors than the events".to_owned(),
                });
            }
        }
        Ok(differ)
    }

    async fn identities_that_differ(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let rows = store.identities().await?.into_iter();
        let strange = rows.filter(|row| self.identities.get(&row.identity) != Some(&row.person));
        let differ = strange.map(|row| {
            let (subject, issuer) = (row.identity.subject, row.identity.issuer);
            let (subject, issuer) = (visible::line(&subject), visible::line(&issuer));
            Differs {
                what: format!("the identity {subject} at {issuer}"),
                how: "it lets somebody in, and no event says so".to_owned(),
            }
        });
        Ok(differ.collect())
    }

    async fn tokens_that_differ(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let tokens = store.tokens().await?.into_iter();
        let differ = tokens.filter_map(|record| {
            let token = record.token;
            let how = self.how_a_token_differs(&token, record.revoked_at.is_none())?;
            let (kind, name) = (token.kind.name(), visible::line(&token.name));
            Some(Differs {
                what: format!("the {kind} token {name}"),
                how: how.to_owned(),
            })
        });
        Ok(differ.collect())
    }

    fn how_a_token_differs(&self, token: &Token, works: bool) -> Option<&'static str> {
        let owner = self.owners.get(&token.id).copied().flatten();
        match self.tokens.get(&token.id) {
            None if works => Some("it works, and no event says so"),
            _ if owner != token.owner => Some("the row names another owner than the events"),
            Some(known) if works && known != token => Some("the row and its events differ"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn record(event_type: &str, seconds: i64, actor: &Value, payload: &Value) -> Record {
        serde_json::from_value(json!({
            "seq": 1, "id": Uuid::nil(), "at": seconds * 1_000, "type": event_type, "agent_id": null,
            "interaction_id": null, "task_id": null, "actor": actor.to_string(),
            "payload": payload.to_string(), "prev_hash": "00".repeat(32), "hash": "00".repeat(32),
        }))
        .unwrap()
    }

    #[test]
    fn an_answer_that_was_under_way_when_its_author_was_kept_out_is_no_strangers() {
        let id = Uuid::from_u128(7);
        let nobody = json!(null);
        let ana = json!({"id": id, "name": "Ana", "role": "responder"});
        let actor = Actor::Responder(Responder {
            id,
            name: "Ana".to_owned(),
            via: Via::Dashboard,
        });
        let actor = serde_json::to_value(actor).unwrap();
        let answers = json!({"answers": {}});
        for (seconds, strangers) in [(0, 0), (110, 0), (121, 1)] {
            let mut known = Known::default();
            known.follow(&record("person.invited", 0, &nobody, &ana));
            known.follow(&record("person.disabled", 1_000, &nobody, &ana));
            known.follow(&record(
                "interaction.progressed",
                1_000 + seconds,
                &actor,
                &answers,
            ));
            assert_eq!(known.strangers.len(), strangers, "{seconds}");
        }
        let votes = json!({"votes": []});
        for (event, payload) in [
            ("interaction.progressed", &answers),
            ("interaction.approval_given", &votes),
        ] {
            let mut known = Known::default();
            known.follow(&record(event, 0, &actor, payload));
            assert_eq!(known.strangers.len(), 1, "{event}");
        }
    }
}
