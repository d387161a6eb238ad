//! Policies (rule 14): those of this server's file and those that were set here, put in force, and asked about what is asked.

use std::sync::{Arc, PoisonError, RwLock};

use chrono::{TimeDelta, Utc};
use domain::{
    AgentRef, Audience, Changeset, Fault, Interaction, PolicyId, Principal, Refused, Team, Write,
    decide::{
        interaction::{self as decide, Approves, AskedOf},
        policy::{self as rules, Before},
        replay::{Replay, Replayed},
    },
    interaction::{Ask, Request, Whom},
    limits,
    policy::{
        InForce, Policies, PolicyRule, PolicySet, PolicyTerms, PolicyWrite, Question, Ruling,
        Source, Surroundings, TeamThere, rule_among,
    },
};
use store::PolicyUses;

use super::{Service, ServiceError};

/// How many sets of each source the history shows.
const HISTORY: u32 = 20;
/// What the counts of the page tell of.
const WEEK: TimeDelta = TimeDelta::days(7);
/// How many events are read at once when the journal is replayed.
const PAGE: u32 = 500;

/// The policies that this process knows.
#[derive(Debug, Default)]
pub(super) struct PolicyBook {
    /// Those of its file, once that was read.
    file: RwLock<Option<Arc<PolicySet>>>,
    /// Those that were set here, as they were read last; looked at again for every question.
    here: RwLock<Option<Arc<PolicySet>>>,
}

impl PolicyBook {
    fn file(&self) -> Option<Arc<PolicySet>> {
        let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
        file.clone()
    }

    fn put_file(&self, set: Arc<PolicySet>) {
        *self.file.write().unwrap_or_else(PoisonError::into_inner) = Some(set);
    }

    fn here(&self, id: PolicyId) -> Option<Arc<PolicySet>> {
        let here = self.here.read().unwrap_or_else(PoisonError::into_inner);
        here.clone().filter(|set| set.terms.id == id)
    }

    fn put_here(&self, set: Arc<PolicySet>) {
        *self.here.write().unwrap_or_else(PoisonError::into_inner) = Some(set);
    }
}

/// Some that are in force.
enum Held {
    Known(Arc<PolicySet>),
    Unreadable(PolicyId),
}

impl Held {
    fn is_of_file(&self) -> bool {
        matches!(self, Self::Known(set) if set.terms.source == Source::File)
    }

    fn in_force(&self) -> InForce<'_> {
        match self {
            Self::Known(set) => InForce::Known(set),
            Self::Unreadable(id) => InForce::Unreadable(*id),
        }
    }
}

/// All that are in force at a moment.
struct AllInForce {
    /// Those that were set here; the commit looks whether they still are in force.
    here: Option<PolicyId>,
    sets: Vec<Held>,
    /// The names of all teams, where a rule is for some.
    teams: Option<Vec<String>>,
}

/// What the policies say of a request.
pub(super) struct LookedUp {
    /// Under which of those that were set here; `None` where no policy is about such a request.
    under: Option<Option<PolicyId>>,
    /// `None` when they say nothing of it.
    pub(super) ruling: Option<Ruling>,
}

impl LookedUp {
    /// What the commit has to look at once more.
    pub(super) fn rest(&self, changeset: &mut Changeset) {
        let under = self.under.map(PolicyWrite::Under);
        changeset.writes.extend(under.map(Write::Policy));
    }

    /// The ruling, where it decides at once.
    pub(super) fn at_once(&self) -> Option<&Ruling> {
        self.ruling
            .as_ref()
            .filter(|ruling| ruling.decided_by.is_some())
    }
}

/// What the policies say of what people approve.
pub(super) struct LookedUpAgain {
    under: Option<PolicyId>,
    /// Of the action as it was asked.
    pub(super) asked: Option<Ruling>,
    /// Of what a person has made of it, where they have.
    pub(super) amended: Option<Option<Ruling>>,
}

impl LookedUpAgain {
    /// What the commit has to look at once more.
    pub(super) fn rest(&self, changeset: &mut Changeset) {
        let under = PolicyWrite::Under(self.under);
        changeset.writes.push(Write::Policy(under));
    }
}

/// Policies, for readers who may know.
#[derive(Clone, Debug, PartialEq)]
pub struct PoliciesShown {
    /// Those of this server's file, if it has one.
    pub file: Option<Set>,
    /// Those that were set here, if any were.
    pub here: Option<Set>,
    /// Whether those that were set here cannot be read, or are not signed: then everything is asked.
    pub unreadable: Option<PolicyId>,
    /// What each rule has decided in the last seven days.
    pub uses: Vec<PolicyUses>,
    /// Who put which in force here, the newest first.
    pub history: Vec<PolicyTerms>,
}

/// One set, as far as the reader may see its rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Who put it in force, and when.
    pub terms: PolicyTerms,
    /// The rules.
    pub rules: Vec<PolicyRule>,
}

impl PoliciesShown {
    /// How much a rule of one of these sets has decided in the last seven days.
    pub fn used(&self, set: &Set, rule: &PolicyRule) -> u64 {
        let uses = self.uses.iter();
        uses.filter(|one| one.policies == set.terms.id && one.rule == rule.name)
            .map(|one| one.count)
            .sum()
    }
}

impl Service {
    /// A server puts the policies of its file in force. What they ask for that nobody could give as things are is a fault
    /// when it is loaded while people look (`strictly`), and else comes back: a server has to start after a team was deleted.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Invalid`], [`Refused::NoKey`]. Those before them stay in force.
    pub async fn load_policies(
        &self,
        policies: Policies,
        strictly: bool,
        by: &Principal,
    ) -> Result<Vec<Fault>, ServiceError> {
        // Also where nothing is changed: then these come into force on this server.
        by.proven_admin(self.now())?;
        let surroundings = self.surroundings().await?;
        let lacking = policies
            .check_among(&surroundings)
            .err()
            .unwrap_or_default();
        if strictly && !lacking.is_empty() {
            // With all else that is wrong.
            let mut faults = policies.check().err().unwrap_or_default();
            faults.extend(lacking);
            return Err(faults.into());
        }
        loop {
            let id = self.store.last_policies(Source::File).await?;
            let set = self.readable(id).await?;
            let before = Before {
                id,
                set: set.as_deref(),
            };
            let loaded = rules::load(before, policies.clone(), by, self.moment());
            match (loaded, set) {
                // Another server, or this one before it was restarted, has read the same.
                (Err(Refused::Unchanged), Some(set)) => {
                    self.policies.put_file(set);
                    return Ok(lacking);
                }
                (loaded, _) => {
                    let changeset = loaded?;
                    let set = set_of(&changeset).ok_or(ServiceError::NotFound)?;
                    if self.is_first(changeset).await? {
                        self.policies.put_file(Arc::new(set));
                        return Ok(lacking);
                    }
                }
            }
        }
    }

    /// These are in force here from now on, on all servers: when this returns, nothing is decided under those before them.
    /// `replaces` are those that were looked at, where that is known.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Invalid`], [`Refused::NoKey`].
    pub async fn set_policies(
        &self,
        policies: Policies,
        replaces: Option<Option<PolicyId>>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_policies(by, |before| {
            if replaces.is_some_and(|known| known != before.id) {
                let why = "others are in force by now: look at them first";
                return Err(vec![Fault::new("replaces", why)].into());
            }
            Ok(policies.clone())
        })
        .await
    }

    /// These rules are in force from now on, beside those that are.
    ///
    /// # Errors
    /// As [`Service::set_policies`]; [`Refused::NotAResponder`] for agents.
    pub async fn add_policies(&self, added: Policies, by: &Principal) -> Result<(), ServiceError> {
        by.responder().map(drop).or_else(|_| by.admin().map(drop))?;
        self.change_policies(by, |before| {
            let kept = before.set.map(|set| set.policies.rules.clone());
            let mut rules = kept.unwrap_or_default();
            rules.extend(added.rules.iter().cloned());
            Ok(Policies { rules })
        })
        .await
    }

    async fn change_policies(
        &self,
        by: &Principal,
        next: impl Fn(Before<'_>) -> Result<Policies, ServiceError> + Send + Sync,
    ) -> Result<(), ServiceError> {
        let surroundings = self.surroundings().await?;
        loop {
            let id = self.store.last_policies(Source::Here).await?;
            let set = self.readable(id).await?;
            let before = Before {
                id,
                set: set.as_deref(),
            };
            let policies = next(before)?;
            match rules::set(before, policies, &surroundings, by, self.moment()) {
                Err(Refused::Unchanged) => return Ok(()),
                changed => {
                    if self.is_first(changed?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// All that is wrong with policies, as if they were put in force now.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`] for agents, [`Refused::Invalid`].
    pub async fn check_policies(
        &self,
        policies: &Policies,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.responder().map(drop).or_else(|_| by.admin().map(drop))?;
        let mut surroundings = self.surroundings().await?;
        // Rule 18: of a team that it does not see a program learns nothing, not even that it is there.
        if let Principal::Script { teams, .. } = by {
            surroundings.teams.retain(|team| teams.sees(team.id));
        }
        rules::checked(policies, &surroundings)?;
        Ok(())
    }

    /// What is in force, for admins, and for programs that answer as far as it is about their teams.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn policies(&self, reader: &Principal) -> Result<PoliciesShown, ServiceError> {
        let own = match reader {
            Principal::Script { teams, .. } => {
                let all = self.store.teams().await?.into_iter();
                let own = all.filter(|record| teams.sees(record.team.id));
                Some(
                    own.map(|record| record.team.profile.name.to_lowercase())
                        .collect::<Vec<_>>(),
                )
            }
            _ => {
                reader.admin()?;
                None
            }
        };
        let shown = |set: &PolicySet| {
            // Rule 18: what another team is asked is nobody else's business.
            let is_seen = |rule: &&PolicyRule| match &own {
                None => true,
                Some(own) => {
                    rule.teams.is_empty()
                        || rule
                            .teams
                            .iter()
                            .any(|team| own.contains(&team.to_lowercase()))
                }
            };
            let rules = set.policies.rules.iter().filter(is_seen).cloned();
            Set {
                terms: set.terms.clone(),
                rules: rules.collect(),
            }
        };
        let all = self.policies_in_force().await?;
        let (mut here, mut unreadable) = (None, None);
        for held in &all.sets {
            match held {
                Held::Known(set) if set.terms.source == Source::Here => here = Some(shown(set)),
                Held::Known(_) => {}
                Held::Unreadable(id) => unreadable = Some(*id),
            }
        }
        let history = match own {
            None => self.store.policy_history(Source::Here, HISTORY).await?,
            Some(_) => Vec::new(),
        };
        Ok(PoliciesShown {
            file: self.policies.file().map(|set| shown(&set)),
            here,
            unreadable,
            uses: self.store.count_policy_uses(self.now() - WEEK).await?,
            history,
        })
    }

    /// What would have been decided otherwise of what was asked in the last days, with these in place of those of this server's
    /// file; `alone`, without those that were set here. Without any, under those that are in force.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`].
    pub async fn test_policies(
        &self,
        tried: Option<&Policies>,
        alone: bool,
        days: u32,
        reader: &Principal,
    ) -> Result<Replayed, ServiceError> {
        let actor = reader.admin()?;
        let mut sets = self.policies_in_force().await?.sets;
        if let Some(policies) = tried {
            policies.check().map_err(Refused::Invalid)?;
            sets.retain(|held| !alone && !held.is_of_file());
            let tried = PolicySet::tried(policies.clone(), actor, self.now());
            sets.push(Held::Known(Arc::new(tried)));
        }
        self.replay(&sets, days).await
    }

    /// The same, with these in place of those that were set here.
    ///
    /// # Errors
    /// As [`Service::test_policies`].
    pub async fn try_policies(
        &self,
        tried: &Policies,
        days: u32,
        reader: &Principal,
    ) -> Result<Replayed, ServiceError> {
        let actor = reader.admin()?;
        tried.check().map_err(Refused::Invalid)?;
        let mut sets = self.policies_in_force().await?.sets;
        sets.retain(Held::is_of_file);
        let tried = PolicySet::tried(tried.clone(), actor, self.now());
        sets.push(Held::Known(Arc::new(tried)));
        self.replay(&sets, days).await
    }

    async fn replay(&self, sets: &[Held], days: u32) -> Result<Replayed, ServiceError> {
        let most = limits::POLICY_TEST_DAYS;
        if !(1..=most).contains(&days) {
            let why = format!("must be from 1 to {most} days");
            return Err(vec![Fault::new("last", why)].into());
        }
        let since = self.now() - TimeDelta::days(days.into());
        let mut after = self.last_before(since).await?;
        let mut replay = Replay::new(sets.iter().map(Held::in_force).collect());
        loop {
            let page = self.store.events_after(after, &Audience::All, PAGE).await?;
            let (more, up_to) = (page.more, page.up_to);
            page.into_iter().for_each(|event| replay.take(&event));
            if !more || up_to <= after {
                return Ok(replay.end());
            }
            after = up_to;
        }
    }

    /// The place of the last event before this moment, found by halves: times are in the order of the journal, but for
    /// clocks of several servers, which differ by little.
    async fn last_before(&self, at: chrono::DateTime<Utc>) -> Result<i64, ServiceError> {
        let (mut low, mut high) = (0, self.store.last_seq().await?);
        while low < high {
            let middle = low + (high - low + 1) / 2;
            let event = self.store.event(middle).await?;
            match event.is_none_or(|event| event.at < at) {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        Ok(low)
    }

    /// What the policies say of a request of this agent to this team.
    pub(super) async fn look_up(
        &self,
        request: &Request,
        agent: &AgentRef,
        team: Option<&Team>,
        to: Option<&Whom>,
    ) -> Result<LookedUp, ServiceError> {
        let Ask::Approval { action, .. } = &request.ask else {
            return Ok(LookedUp {
                under: None,
                ruling: None,
            });
        };
        let all = self.policies_in_force().await?;
        let in_force: Vec<_> = all.sets.iter().map(Held::in_force).collect();
        let asked = Question {
            agent: &agent.name,
            team: team.map(|team| &*team.profile.name),
            action,
        };
        let of = AskedOf {
            team: None,
            to: to.cloned(),
        };
        let ruling = rule_among(&in_force, &asked, all.teams.as_deref());
        let ruling = match decide::may_be_allowed(request, &of) {
            true => ruling,
            false => ruling.and_then(Ruling::without_allowing),
        };
        Ok(LookedUp {
            under: Some(all.here),
            ruling,
        })
    }

    /// What the policies that are in force by now say of what people approve.
    pub(super) async fn look_up_again(
        &self,
        interaction: &Interaction,
        approves: &Approves,
    ) -> Result<LookedUpAgain, ServiceError> {
        let all = self.policies_in_force().await?;
        let in_force: Vec<_> = all.sets.iter().map(Held::in_force).collect();
        let of = |action| {
            let asked = Question {
                agent: &interaction.agent.name,
                team: interaction.team.as_ref().map(|team| &*team.name),
                action,
            };
            rule_among(&in_force, &asked, all.teams.as_deref())
        };
        Ok(LookedUpAgain {
            under: all.here,
            asked: of(&approves.asked),
            amended: approves.amended.as_ref().map(of),
        })
    }

    /// Says no where a rule that is in force names this team: called otherwise, or gone, it would be about nobody. What comes
    /// back is what the commit has to look at once more.
    pub(super) async fn no_policy_names(&self, team: &Team) -> Result<Write, ServiceError> {
        let all = self.policies_in_force().await?;
        let name = &team.profile.name;
        let rule = all.sets.iter().find_map(|held| match held {
            Held::Known(set) => set.policies.naming_team(name),
            Held::Unreadable(_) => None,
        });
        if let Some(rule) = rule {
            let why = format!(
                "the policy \u{201c}{}\u{201d} names this team; change that first",
                rule.name
            );
            return Err(vec![Fault::new("name", why)].into());
        }
        Ok(Write::Policy(PolicyWrite::Under(all.here)))
    }

    /// The team that a policy has people of it asked, if it is there. One that was deleted meanwhile takes nothing away: the
    /// agent's own team is asked, as strictly, and only admins approve.
    pub(super) async fn team_of(
        &self,
        ruling: Option<&Ruling>,
    ) -> Result<Option<Team>, ServiceError> {
        let Some(name) = ruling.and_then(|ruling| ruling.team.as_deref()) else {
            return Ok(None);
        };
        let team = self
            .store
            .team_named(&domain::Person::name_key(name))
            .await?;
        if team.is_none() {
            tracing::error!(
                "a policy asks a team that is not there; the agent's own is asked, and only admins can approve"
            );
        }
        Ok(team)
    }

    async fn policies_in_force(&self) -> Result<AllInForce, ServiceError> {
        let here = self.store.last_policies(Source::Here).await?;
        let mut sets: Vec<Held> = self.policies.file().map(Held::Known).into_iter().collect();
        if let Some(id) = here {
            let known = match self.policies.here(id) {
                Some(known) => Some(known),
                None => self.readable(Some(id)).await?,
            };
            sets.push(match known {
                Some(set) => {
                    self.policies.put_here(Arc::clone(&set));
                    Held::Known(set)
                }
                None => Held::Unreadable(id),
            });
        }
        let is_for_teams = |held: &Held| match held {
            Held::Known(set) => {
                let mut rules = set.policies.rules.iter();
                rules.any(|rule| !rule.teams.is_empty())
            }
            Held::Unreadable(_) => false,
        };
        let teams = match sets.iter().any(is_for_teams) {
            true => {
                let teams = self.store.teams().await?.into_iter();
                Some(teams.map(|record| record.team.profile.name).collect())
            }
            false => None,
        };
        Ok(AllInForce { here, sets, teams })
    }

    /// Some by their id, if they can be read and are proven. What cannot is an alarm.
    async fn readable(&self, id: Option<PolicyId>) -> Result<Option<Arc<PolicySet>>, ServiceError> {
        let Some(id) = id else {
            return Ok(None);
        };
        let stored = match self.store.policy_set(id).await {
            Ok(stored) => stored,
            Err(error) if error.is_of_a_row() => None,
            Err(error) => return Err(error.into()),
        };
        let proven = stored.filter(|set| self.store.proves_policies(set));
        // An event that somebody has put behind the others brings back what was taken back.
        if proven.is_some() && self.is_replaced(id).await? {
            tracing::error!(
                policies.id = %id,
                "the journal says that policies are in force that others took the place of"
            );
            return Ok(None);
        }
        if proven.is_none() {
            tracing::error!(
                policies.id = %id,
                "the policies in force cannot be read, or no trusted key signed them: people are asked about everything"
            );
        }
        Ok(proven.map(Arc::new))
    }

    /// Whether others say, and are proven, that they took the place of these.
    async fn is_replaced(&self, id: PolicyId) -> Result<bool, ServiceError> {
        let Some(next) = self.store.policies_after(id).await? else {
            return Ok(false);
        };
        match self.store.policy_set(next).await {
            Ok(next) => Ok(next.is_some_and(|set| {
                set.terms.replaces == Some(id) && self.store.proves_policies(&set)
            })),
            Err(error) if error.is_of_a_row() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Who could answer, here and in each team.
    async fn surroundings(&self) -> Result<Surroundings, ServiceError> {
        let people = self.store.answerers(None).await?.len();
        let mut teams = Vec::new();
        for record in self.store.teams().await? {
            let answerers = self.store.answerers(Some(record.team.id)).await?;
            let members = answerers.iter().filter(|one| one.is_of_team).count();
            let admins = answerers
                .iter()
                .filter(|one| !one.is_of_team && one.person.role == domain::Role::Admin)
                .count();
            teams.push(TeamThere {
                id: record.team.id,
                name: record.team.profile.name,
                members,
                all: members + admins,
            });
        }
        Ok(Surroundings { people, teams })
    }
}

/// The set that a changeset puts in force.
fn set_of(changeset: &Changeset) -> Option<PolicySet> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Policy(PolicyWrite::Set { set, .. }) => Some((**set).clone()),
        _ => None,
    })
}
