//! Silence climbs (rule 17): rungs that are due are told, each once, whatever other nodes do.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use domain::{
    Interaction, InteractionId, PersonId, Principal, Refused, Role, TeamId,
    access::PersonRef,
    decide::interaction as decide,
    duty::{can_be_on_duty, on_duty},
    interaction::Whom,
    ladder::{Circle, Class, Held, Kept, Ladder, People, Reachable, Summary, summary},
    limits::{MESSAGES_WINDOW, RUNG_AGAIN},
};
use futures::{StreamExt, stream};
use store::{Answerer, Climbing, HeldDue};

use super::{Service, ServiceError};

/// How many are read at once, and how many of those are on their way to the writer together: agents that ask come first.
const PAGE: u32 = 1_000;
const TOGETHER: usize = 32;
/// How many people are summed up for in one turn.
const PEOPLE: u32 = 200;
/// How often one rung is decided anew before it waits for the next turn.
const TRIES: u32 = 16;

/// Who may answer for a team, as of this turn.
#[derive(Debug)]
struct Around {
    ladder: Ladder,
    answerers: Vec<Answerer>,
    on_duty: Option<PersonRef>,
    /// Whether it is known who they are in Slack.
    is_in_slack: bool,
}

impl Service {
    /// Tells all rungs that are due, and returns how many that were. One that cannot be told is logged, stays due, and holds
    /// up no other.
    ///
    /// # Errors
    /// When what is due cannot be read.
    pub async fn climb_due(&self) -> Result<usize, ServiceError> {
        let mut climbed = 0;
        let mut stuck = 0;
        loop {
            let due = self.store.climbing(self.now(), stuck, PAGE).await?;
            if due.is_empty() {
                return Ok(climbed);
            }
            let all = due.len();
            // Of one turn: teams are read once, however many questions each has.
            let around = Arounds::default();
            let done = stream::iter(due)
                .map(|climbing| self.climb_or_log(climbing, &around))
                .buffer_unordered(TOGETHER)
                .fold(0, async |sum, done| sum + usize::from(done))
                .await;
            climbed += done;
            stuck += u32::try_from(all - done).unwrap_or(PAGE);
        }
    }

    /// Whether anybody can be told of anything. Where nobody can, nothing climbs until somebody can.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn anybody_is_reached(&self) -> Result<bool, ServiceError> {
        Ok(self.store.anybody_is_reached().await?)
    }

    /// Resolves when something was asked or handed over on this node since it was called last: its first rung is due.
    pub async fn wants_to_climb(&self) {
        self.to_climb.notified().await;
    }

    async fn climb_or_log(&self, climbing: Climbing, around: &Arounds) -> bool {
        match self.climb(climbing, around).await {
            Ok(done) => done,
            Err(error) => {
                tracing::error!(%error, interaction.id = %climbing.id, "a rung is due and cannot be told");
                false
            }
        }
    }

    /// Tells the rung that is due. `false` when none is any more, or cannot be yet.
    async fn climb(&self, due: Climbing, arounds: &Arounds) -> Result<bool, ServiceError> {
        for _ in 0..TRIES {
            let Some(interaction) = self.store.interaction(due.id).await? else {
                return Ok(false);
            };
            let standing = self.store.place_on_ladder(due.id).await?;
            // Another node was faster: what it has told is done.
            let Some(standing) = standing.filter(|now| now.place == due.place) else {
                return Ok(false);
            };
            let around = arounds.of(self, interaction.team_id()).await?;
            let people = people(&interaction, &around);
            let class = Class::of(&interaction.request);
            let rung = around.ladder.rung(class, standing.place.rung);
            let circle = rung.map_or(Circle::Team, |rung| rung.whom);
            let reachable = self
                .reachable(&interaction, circle, &people, &around)
                .await?;
            let ladder = &around.ladder;
            let now = self.moment();
            let place = standing.place;
            let mention = decide::mention(&interaction, place, ladder, &people, &reachable, now.at);
            // A rung is not spent on people who hear nothing of it.
            let nobody = reachable.values().all(|one| one.ways.is_empty()) && mention.is_none();
            if rung.is_some() && nobody {
                self.store
                    .put_off_rung(standing, now.at + RUNG_AGAIN)
                    .await?;
                return Ok(true);
            }
            match decide::climb(&interaction, place, ladder, &people, &reachable, now) {
                Ok(rung) => {
                    if self.is_first(rung).await? {
                        return Ok(true);
                    }
                }
                // The ladder was made shorter meanwhile, or has no rungs for this.
                Err(Refused::Unchanged) => {
                    self.store.leave_ladder(standing).await?;
                    return Ok(true);
                }
                // It expires in this very moment, or somebody is on it.
                Err(Refused::Closed { .. } | Refused::NotDue) => return Ok(false),
                Err(refused) => return Err(refused.into()),
            }
        }
        Ok(false)
    }

    /// What is known of those whom a rung is for, and of their team where none of them can be told.
    async fn reachable(
        &self,
        interaction: &Interaction,
        circle: Circle,
        people: &People,
        around: &Around,
    ) -> Result<BTreeMap<PersonId, Reachable>, ServiceError> {
        let mut known: BTreeMap<PersonId, Reachable> = BTreeMap::new();
        loop {
            let can = |person| {
                let known = known.get(&person);
                known.is_some_and(|one| !one.ways.is_empty())
            };
            // Nobody is known at first: the team is asked for only once it is needed.
            let wanted = match known.is_empty() {
                true => people.of(circle),
                false => people.who_can(circle, can),
            };
            let missing = around.answerers.iter().filter(|one| {
                let id = &one.person.id;
                wanted.contains(id) && !known.contains_key(id)
            });
            let missing: Vec<_> = missing.cloned().collect();
            if missing.is_empty() {
                return Ok(known);
            }
            let (id, now) = (Some(interaction.id), self.now());
            let read = self.store.reachable_people(&missing, id, now).await?;
            known.extend(read.into_iter().map(|one| (one.person.id, one)));
        }
    }

    async fn around(&self, team: Option<TeamId>) -> Result<Around, ServiceError> {
        let answerers = self.store.answerers(team).await?;
        let ladder = self.ladder_in_force(team).await?;
        let on_duty = match team {
            Some(team) => self.on_duty_now(team, &answerers).await?,
            None => None,
        };
        let is_in_slack = match &on_duty {
            Some(person) => {
                let person = self.store.person(person.id).await?;
                person.is_some_and(|person| person.slack_id.is_some())
            }
            None => false,
        };
        Ok(Around {
            ladder,
            answerers,
            on_duty,
            is_in_slack,
        })
    }

    /// A team's own ladder, else that of everyone, else the default.
    pub(super) async fn ladder_in_force(
        &self,
        team: Option<TeamId>,
    ) -> Result<Ladder, ServiceError> {
        if team.is_some()
            && let Some(own) = self.store.ladder(team).await?.ladder
        {
            return Ok(own);
        }
        let everyones = self.store.ladder(None).await?.ladder;
        Ok(everyones.unwrap_or_default())
    }

    pub(super) async fn on_duty_now(
        &self,
        team: TeamId,
        answerers: &[Answerer],
    ) -> Result<Option<PersonRef>, ServiceError> {
        let Some(record) = self.store.duty(team).await? else {
            return Ok(None);
        };
        let Some(duty) = &record.duty else {
            return Ok(None);
        };
        let here = |person| {
            let mut members = record.members.iter();
            members.any(|(one, part)| {
                one.id == person && one.disabled_at.is_none() && can_be_on_duty(one, *part)
            })
        };
        let shift = on_duty(duty, &here, self.now());
        let person = shift.and_then(|shift| shift.person);
        let mut known = answerers.iter();
        let known = known.find(|one| Some(one.person.id) == person);
        Ok(known.map(|one| one.person.clone()))
    }

    /// What waits without a rung to come, since a server of an earlier version has asked it, is on its ladder from now on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn join_ladder(&self) -> Result<u64, ServiceError> {
        Ok(self.store.join_ladder(self.now()).await?)
    }

    /// Tells what was held back from people and is so no longer, and returns how many people that were.
    ///
    /// # Errors
    /// When what is due cannot be read.
    pub async fn sum_up_due(&self) -> Result<usize, ServiceError> {
        let mut told = 0;
        // A team's night was held back from each of its people.
        let mut asked = HashMap::new();
        for due in self.store.held_due(self.now(), PEOPLE).await? {
            let person = due.person;
            match self.sum_up(due, &mut asked).await {
                Ok(done) => told += usize::from(done),
                Err(error) => {
                    tracing::error!(%error, person.id = %person, "what was held back cannot be told");
                }
            }
        }
        Ok(told)
    }

    async fn sum_up(&self, due: HeldDue, asked: &mut Asked) -> Result<bool, ServiceError> {
        let now = self.now();
        let (mut kept, mut gone, mut waiting) = (Vec::new(), Vec::new(), BTreeMap::new());
        let principal = self.principal_of(&due).await?;
        let snoozed = self.store.snoozes_of(due.person, now).await?;
        for held in due.held {
            let known = match asked.entry(held.interaction) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(
                    self.store
                        .interaction(held.interaction)
                        .await?
                        .map(Arc::new),
                ),
            };
            let may = |one: &Interaction| {
                let by = principal.as_ref();
                by.is_some_and(|(_, by)| by.responder_for(one.team.as_ref()).is_ok())
            };
            let Some(one) = known
                .clone()
                .filter(|one| still_waits(one, now) && may(one))
            else {
                gone.push(held);
                continue;
            };
            let snoozed = snoozed
                .iter()
                .find(|one| one.interaction == held.interaction);
            let claimed = one.claim_at(now).map(|claim| claim.until);
            // Who is on it may give it up, and then the others were never told of it.
            if let Some(until) = claimed.max(snoozed.map(|snooze| snooze.until)) {
                self.store.hold_longer(&[held], until).await?;
                continue;
            }
            kept.push(Kept {
                held,
                class: Class::of(&one.request),
                deadline: one.expires_at,
            });
            waiting.insert(one.id, one);
        }
        self.store.drop_held(&gone).await?;
        let Some((answerer, _)) = principal else {
            return Ok(false);
        };
        let known = self.store.reachable_people(&[answerer], None, now).await?;
        let Some(person) = known.into_iter().next() else {
            return Ok(false);
        };
        let all: Vec<Held> = kept.iter().map(|one| one.held).collect();
        match summary(&person, kept, now) {
            Summary::Nothing => {
                self.store.drop_held(&all).await?;
                Ok(false)
            }
            Summary::Later(until) => {
                self.store.hold_longer(&all, until).await?;
                Ok(false)
            }
            Summary::Now { ways, of, more } => {
                let ways: Vec<_> = ways.iter().map(|way| way.id).collect();
                let of: Vec<_> = of.iter().filter_map(|id| waiting.remove(id)).collect();
                let told = decide::sum_up(&person, &of, more, all, &ways, self.moment())?;
                // One that was answered meanwhile is left out the next time.
                self.is_first(told).await
            }
        }
    }

    /// The person from whom it was held back, if they may answer anything.
    async fn principal_of(
        &self,
        due: &HeldDue,
    ) -> Result<Option<(Answerer, Principal)>, ServiceError> {
        let person = self.store.person(due.person).await?;
        let Some(person) = person.filter(|person| person.disabled_at.is_none()) else {
            return Ok(None);
        };
        let answerer = Answerer {
            person: PersonRef::from(&person),
            is_of_team: true,
        };
        let principal = self.principal_for(&person).await?;
        Ok(Some((answerer, principal)))
    }

    /// Forgets messages that count in no limit any more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_sent(&self) -> Result<u64, ServiceError> {
        Ok(self.store.forget_sent(self.now() - MESSAGES_WINDOW).await?)
    }
}

/// Interactions that were read in a turn.
type Asked = HashMap<InteractionId, Option<Arc<Interaction>>>;

fn still_waits(interaction: &Interaction, now: DateTime<Utc>) -> bool {
    let is_over = interaction.expires_at.is_some_and(|end| end <= now);
    interaction.state.is_pending() && !is_over
}

/// All who may answer it, by what they are to it.
fn people(interaction: &Interaction, around: &Around) -> People {
    let all = around.answerers.iter();
    let ids = |of: &dyn Fn(&Answerer) -> bool| -> BTreeSet<_> {
        let those = all.clone().filter(|one| of(one));
        those.map(|one| one.person.id).collect()
    };
    let team = ids(&|one| one.is_of_team);
    let admins = ids(&|one| one.person.role == Role::Admin);
    let addressees = match interaction.to.as_ref().map(|to| &to.whom) {
        Some(Whom::Person { id, .. }) => {
            let may = team.contains(id) || admins.contains(id);
            may.then_some(*id).into_iter().collect()
        }
        Some(Whom::Team) => team.clone(),
        Some(Whom::Duty) | None => BTreeSet::new(),
    };
    People {
        addressees,
        on_duty: around.on_duty.as_ref().map(|person| person.id),
        is_in_slack: around.is_in_slack,
        team,
        admins,
    }
}

/// What is known of each team, read once in a turn.
#[derive(Debug, Default)]
struct Arounds(tokio::sync::Mutex<HashMap<Option<TeamId>, Arc<Around>>>);

impl Arounds {
    async fn of(
        &self,
        service: &Service,
        team: Option<TeamId>,
    ) -> Result<Arc<Around>, ServiceError> {
        let mut known = self.0.lock().await;
        if let Some(around) = known.get(&team) {
            return Ok(Arc::clone(around));
        }
        let around = Arc::new(service.around(team).await?);
        known.insert(team, Arc::clone(&around));
        Ok(around)
    }
}
