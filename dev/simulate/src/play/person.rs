//! A person: they look at what waits, answer, say that they are on it, take back, and let the next ones through. Two browsers
//! share what they remember.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::TimeDelta;
use domain::{
    GrantId, Interaction, InteractionId, MemoryId, PersonId, Principal, Refused,
    grant::GrantDraft,
    interaction::{AnswerDraft, Ask, Kind},
    memory::MemoryDraft,
};
use serde_json::{Value, json};
use service::{Service, ServiceError};

use super::{
    Chance,
    body::{GRANTED, REPEATED},
};
use crate::{
    model::{By, Deed},
    world::World,
};

/// How much a person remembers of what they have looked at.
const REMEMBERED: usize = 6;

/// What a person remembers.
pub(super) struct Desk {
    person: usize,
    known: Mutex<Remembers>,
}

#[derive(Default)]
struct Remembers {
    said: u64,
    seen: Vec<InteractionId>,
    /// What they approved or answered, of which a grant or a standing answer may be made.
    decided: Vec<(InteractionId, Kind)>,
    grants: Vec<GrantId>,
    answers: Vec<MemoryId>,
}

impl Desk {
    pub(super) fn new(person: usize) -> Arc<Self> {
        Arc::new(Self {
            person,
            known: Mutex::default(),
        })
    }

    fn known(&self) -> MutexGuard<'_, Remembers> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The principal of a person, as the door finds them in the database.
async fn comes_in(service: &Service, id: PersonId) -> Result<Principal, ServiceError> {
    let person = service.store().person(id).await?;
    let person = person.ok_or(ServiceError::NotFound)?;
    if person.disabled_at.is_some() {
        return Err(ServiceError::Refused(Refused::Disabled));
    }
    Ok(service.principal_for(&person).await?)
}

/// One browser of a person.
pub(super) async fn play(world: Arc<World>, desk: Arc<Desk>, browser: usize, mut chance: Chance) {
    let person = &world.cast.people[desk.person].person;
    let browser = Browser {
        name: format!("{} {browser}", person.name),
        id: person.id,
        world: &world,
        desk: &desk,
    };
    loop {
        world.schedule.turn("thinks").await;
        if world.schedule.is_calm() {
            return;
        }
        browser.goes_on(&mut chance).await;
    }
}

struct Browser<'a> {
    name: String,
    id: PersonId,
    world: &'a World,
    desk: &'a Desk,
}

impl Browser<'_> {
    async fn goes_on(&self, chance: &mut Chance) {
        let (seen, decided) = {
            let known = self.desk.known();
            (known.seen.clone(), known.decided.clone())
        };
        match chance.below(18) {
            0..5 => self.lists(chance).await,
            5..12 => {
                if let Some(id) = chance.pick(&seen).copied() {
                    self.decides(chance, id).await;
                }
            }
            12 | 13 => {
                if let Some(id) = chance.pick(&seen).copied() {
                    self.is_on_it(chance, id).await;
                }
            }
            14 | 15 => {
                let recent = &decided[decided.len().saturating_sub(REMEMBERED)..];
                if let Some((id, kind)) = chance.pick(recent).copied() {
                    self.lets_through(chance, id, kind).await;
                }
            }
            16 => self.takes_away(chance).await,
            _ => {
                if let Some((id, _)) = chance.pick(&decided).copied() {
                    self.says_more(chance, id).await;
                }
            }
        }
    }

    async fn lists(&self, chance: &mut Chance) {
        let id = self.id;
        let deed = Deed::List { person: id };
        let work = |service: Service| async move {
            let by = comes_in(&service, id).await?;
            Ok(service.store().waiting(&by.audience(), 30).await?)
        };
        let (op, listed) = self.world.does(&self.name, chance.node(), deed, work).await;
        let Some(listed) = listed else {
            return;
        };
        let shown: BTreeMap<_, _> = listed
            .iter()
            .map(|brief| (brief.id, brief.team.as_ref().map(|team| team.id)))
            .collect();
        let ids: Vec<_> = shown.keys().copied().collect();
        self.world.model.known().shown.push((op, shown));
        let mut known = self.desk.known();
        for _ in 0..2 {
            known.seen.extend(chance.pick(&ids));
        }
        let forgotten = known.seen.len().saturating_sub(REMEMBERED);
        known.seen.drain(..forgotten);
    }

    async fn decides(&self, chance: &mut Chance, id: InteractionId) {
        let person = self.id;
        let begun = self.world.at();
        let reads = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            service.interaction(id, &by).await
        };
        let read = self
            .world
            .does(&self.name, chance.node(), Deed::Read { id }, reads);
        let (_, Some(interaction)) = read.await else {
            return;
        };
        let ended = self.world.at();
        self.world.model.has_read(&interaction, begun, ended);
        if !interaction.state.is_pending() && !chance.one_in(4) {
            self.desk.known().seen.retain(|seen| *seen != id);
            return;
        }
        if chance.one_in(12) {
            self.takes_back(chance, id).await;
            return;
        }
        let answer = self.answer(chance, &interaction);
        let Ok(draft) = serde_json::from_value::<AnswerDraft>(answer.clone()) else {
            return;
        };
        let is_yes = answer["approved"] == true || answer.get("text").is_some();
        let deed = Deed::Answer { id, person, answer };
        let work = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            service.answer(id, draft, &by).await
        };
        let (_, answered) = self.world.does(&self.name, chance.node(), deed, work).await;
        if let Some(answered) = answered
            && is_yes
            && !answered.state.is_pending()
        {
            let request = &answered.request;
            let kind = request.kind();
            let comes_again = match &request.ask {
                Ask::Approval { action, .. } => action.arguments.0["command"] == GRANTED,
                _ => request.prompt.starts_with(REPEATED),
            };
            self.desk.known().decided.push((id, kind));
            if comes_again && chance.one_in(2) {
                self.lets_through(chance, id, kind).await;
            }
        }
    }

    /// An answer that fits; each text is given once.
    fn answer(&self, chance: &mut Chance, asked: &Interaction) -> Value {
        let number = {
            let mut known = self.desk.known();
            known.said += 1;
            known.said
        };
        let text = format!("{} says {number} — \u{202e} \r\n", self.desk.person);
        match &asked.request.ask {
            Ask::Question | Ask::Notification { .. } if chance.one_in(8) => json!({"text": ""}),
            Ask::Question | Ask::Notification { .. } => json!({"text": text}),
            Ask::Choice(_) => {
                let value = if chance.one_in(2) { "redis" } else { "lru" };
                json!({"selected": [value]})
            }
            Ask::Acknowledgement => json!({}),
            Ask::Approval { .. } if chance.one_in(5) => {
                json!({"approved": false, "feedback": text})
            }
            Ask::Approval {
                amendable: Some(_),
                action,
                ..
            } if chance.one_in(2) => {
                let mut arguments = action.arguments.0.clone();
                arguments["replicas"] = (chance.below(3) + 3).into();
                json!({"approved": true, "arguments": arguments})
            }
            Ask::Approval { .. } => json!({"approved": true}),
            Ask::PlanReview { .. } if chance.one_in(2) => {
                json!({"decision": "adjust", "feedback": text})
            }
            Ask::PlanReview { .. } => json!({"decision": "proceed"}),
            Ask::Form { .. } if chance.one_in(2) => json!({"answers": {"port": text}}),
            Ask::Form { .. } => json!({"answers": {"port": text, "env": "staging"}}),
        }
    }

    async fn takes_back(&self, chance: &mut Chance, id: InteractionId) {
        let person = self.id;
        let deed = Deed::TakeBack {
            id,
            by: By::Person(person),
        };
        let work = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            service.cancel(id, Some("Not now.".to_owned()), &by).await
        };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    async fn is_on_it(&self, chance: &mut Chance, id: InteractionId) {
        let person = self.id;
        let gives_up = chance.one_in(4);
        let deed = match gives_up {
            true => Deed::Release { id },
            false => Deed::Claim { id, person },
        };
        let work = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            match gives_up {
                true => service.release(id, &by).await,
                false => service.claim(id, 2, &by).await,
            }
        };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }

    async fn lets_through(&self, chance: &mut Chance, from: InteractionId, kind: Kind) {
        let person = self.id;
        if kind == Kind::Question {
            let draft = MemoryDraft {
                days: Some(1),
                any_agent: chance.one_in(2),
            };
            let work = |service: Service| async move {
                let by = comes_in(&service, person).await?;
                service.keep_answer(from, draft, &by).await
            };
            let deed = Deed::KeepAnswer { from };
            let (op, kept) = self.world.does(&self.name, chance.node(), deed, work).await;
            if let Some(kept) = kept {
                let id = kept.record.memory.terms.id;
                self.world.model.known().ops[op].memory = Some(id);
                self.desk.known().answers.push(id);
            }
            return;
        }
        if kind != Kind::Approval {
            return;
        }
        let uses = 1 + i64::from(chance.one_in(2));
        let draft = GrantDraft {
            expires_at: Some(self.world.node(0).now() + TimeDelta::minutes(30)),
            uses: Some(uses),
            ..GrantDraft::default()
        };
        let work = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            service.make_grant(from, draft, &by).await
        };
        let deed = Deed::Grant { from };
        let (op, made) = self.world.does(&self.name, chance.node(), deed, work).await;
        if let Some(made) = made {
            let id = made.record.grant.terms.id;
            self.world.model.known().ops[op].grant = Some(id);
            self.desk.known().grants.push(id);
        }
    }

    /// A grant of theirs, or an answer that stands, is taken back.
    async fn takes_away(&self, chance: &mut Chance) {
        let person = self.id;
        let (grants, answers) = {
            let known = self.desk.known();
            (known.grants.clone(), known.answers.clone())
        };
        if let Some(grant) = chance.pick(&grants).copied() {
            let work = |service: Service| async move {
                let by = comes_in(&service, person).await?;
                service.revoke_grant(grant, &by).await.map(drop)
            };
            let deed = Deed::RevokeGrant { grant };
            self.world.does(&self.name, chance.node(), deed, work).await;
        }
        if let Some(memory) = chance.pick(&answers).copied() {
            let work = |service: Service| async move {
                let by = comes_in(&service, person).await?;
                service.revoke_memory(memory, &by).await.map(drop)
            };
            let deed = Deed::RevokeAnswer { memory };
            self.world.does(&self.name, chance.node(), deed, work).await;
        }
    }

    async fn says_more(&self, chance: &mut Chance, id: InteractionId) {
        let (person, text) = (self.id, format!("{} adds", self.name));
        let deed = Deed::FollowUp { id };
        let work = |service: Service| async move {
            let by = comes_in(&service, person).await?;
            service.follow_up(id, text, &by).await
        };
        self.world.does(&self.name, chance.node(), deed, work).await;
    }
}
