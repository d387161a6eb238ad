//! An agent asks.

use chrono::TimeDelta;
use domain::{
    AgentId, AgentRef, AskedUnder, Fault, IdempotencyKey, Interaction, InteractionEvent,
    InteractionId, Payload, Person, Refused, Team,
    attachment::Holder,
    decide::interaction::{self as decide, AskedOf},
    grant::GrantRecord,
    interaction::{Draft, Kind, Request, TaskRef},
    limits,
    memory::MemoryRecord,
    policy,
};

use super::{Service, ServiceError};

/// How often a request is approved by a grant, or answered by an earlier answer, in vain before a person is asked: what the row
/// says of it may be more than what holds.
const GRANT_TRIES: u32 = 3;

/// By which word of a person a request is closed as it is asked.
enum Ahead {
    Grant(Box<GrantRecord>),
    Memory(Box<MemoryRecord>),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The interaction, as it is now.
    pub interaction: Interaction,
    /// Rule 8: it was there already, under the same key.
    pub replayed: bool,
}

impl Service {
    /// Opens an interaction. When this returns, it is durable. Under a key the agent has used for the
    /// same request, nothing is opened and no destination is told again.
    ///
    /// # Errors
    /// [`Refused::Invalid`] with every fault of the draft, or where a plan revises one that it may not revise, [`Refused::KeyReused`],
    /// [`Refused::TooManyPending`], [`Refused::TooMuchInTask`], [`Refused::QuotaUsedUp`], [`Refused::NoFiles`].
    pub async fn ask(
        &self,
        agent: AgentRef,
        mut draft: Draft,
        key: Option<&str>,
    ) -> Result<Asked, ServiceError> {
        let holder = Holder::Agent(agent.id);
        let files = draft.attachments.clone();
        draft.found = self.found_files(Some(holder), files.as_deref()).await?;
        let fingerprint = draft.fingerprint();
        let unreachable = self.callback_fault(&draft)?;
        let named = draft.team.clone();
        let team = self.team_for(agent.id, named.as_deref()).await?;
        let asked_for = draft.to.clone();
        let of = team.as_ref().ok().cloned().flatten();
        let to = match &asked_for {
            Some(named) if team.is_ok() => self.whom(of.as_ref(), named).await?.map(Some),
            _ => Ok(None),
        };
        let request = draft.check(|kind| self.timeout(kind, of.as_ref()));
        let (request, mut team, to) = match (request, unreachable, team, to) {
            (Ok(request), None, Ok(team), Ok(to)) => (request, team, to),
            (checked, unreachable, team, to) => {
                let mut faults = checked.err().unwrap_or_default();
                faults.extend(unreachable);
                faults.extend(team.err());
                faults.extend(to.err());
                return Err(faults.into());
            }
        };
        self.has_owner_for(&agent, &request).await?;
        if team.is_none() && request.counts_members() {
            let why = "no team is asked, so nobody is a member of it; name one with `team`";
            return Err(vec![Fault::new("approvals.of", why)].into());
        }
        let key = key
            .map(|name| IdempotencyKey::new(name, fingerprint))
            .transpose()
            .map_err(|fault| Refused::Invalid(vec![fault]))?;
        let mut grant_tries = GRANT_TRIES;
        // The same agent may send the same key twice at once, the task may change meanwhile, the quota be used up, and
        // another plan take the same place.
        loop {
            if let Some(asked) = self.asked_before(&agent, key.as_ref(), &request).await? {
                return Ok(asked);
            }
            self.may_revise(&request, &agent, team.as_ref()).await?;
            let quota = self.quota_left(agent.id).await?;
            let looked_up = self
                .look_up(&request, &agent, team.as_ref(), to.as_ref())
                .await?;
            let ruling = looked_up.ruling.as_ref();
            let ruled_team = self.team_of(ruling).await?;
            let asked_team = ruled_team.as_ref().or(team.as_ref());
            let of = AskedOf {
                team: asked_team.map(Team::named),
                // Whom the agent asks for need not be of the team that a policy names.
                to: to.clone().filter(|_| ruled_team.is_none()),
            };
            let mut asking = match ruling {
                Some(ruling) => {
                    let under = policy::under(request.clone(), ruling)
                        .asked_by_rule_of(ruled_team.as_ref().map(|team| team.id));
                    let is_missing = ruling.team.is_some() && ruled_team.is_none();
                    match is_missing && looked_up.at_once().is_none() {
                        true => under.asked_of_admins(),
                        false => under,
                    }
                }
                None => request.clone(),
            };
            if asking.takes_four_eyes() {
                asking.owners = self.store.owners_of(agent.id, self.now()).await?;
            }
            // Who counts is a policy's to say too; what it decides at once nobody approves.
            if looked_up.at_once().is_none() {
                self.has_owner_for(&agent, &asking).await?;
            }
            // What a policy decides, a grant covers or an earlier answer answers waits for nobody, so it takes no room among what does.
            let at_once = looked_up.at_once();
            let ahead = match (at_once, grant_tries) {
                (Some(_), _) | (None, 0) => None,
                (None, _) => self.ahead(&asking, &agent, &of).await?,
            };
            let waits = at_once.is_none() && ahead.is_none();
            if waits && request.kind() != Kind::Notification {
                self.has_room(&agent, request.task.as_ref()).await?;
            }
            let task = match &request.task {
                Some(task) => self.store.task(agent.id, &task.id).await?,
                None => None,
            };
            let granted = ahead.map(|ahead| {
                grant_tries -= 1;
                let (asking, agent) = (asking.clone(), agent.clone());
                let (of, key, task) = (of.clone(), key.clone(), task.as_ref());
                let now = self.moment();
                match &ahead {
                    Ahead::Grant(grant) => {
                        decide::open_granted(asking, agent, of, key, task, grant, now)
                    }
                    Ahead::Memory(memory) => {
                        decide::open_remembered(asking, agent, of, key, task, memory, now)
                    }
                }
            });
            let mut changeset = match (at_once, granted) {
                (Some(ruling), _) => decide::open_ruled(
                    request.clone(),
                    agent.clone(),
                    of,
                    key.clone(),
                    task.as_ref(),
                    ruling,
                    self.moment(),
                )?,
                (None, Some(Ok(changeset))) => changeset,
                // It has just ended, or nothing can be signed: a person is asked.
                (None, None | Some(Err(_))) => {
                    if !waits {
                        self.has_room(&agent, request.task.as_ref()).await?;
                    }
                    decide::open_for(
                        asking,
                        agent.clone(),
                        of,
                        key.clone(),
                        task.as_ref(),
                        self.channel_for(&request, asked_team),
                        self.moment(),
                    )
                }
            };
            // Each time anew: another request may have taken them.
            let found = self.found_files(Some(holder), files.as_deref()).await?;
            changeset = match decide::attach(changeset, holder, &found) {
                Ok(changeset) => changeset,
                // The same request may have taken them under this key a moment ago.
                Err(refused) => match self.asked_before(&agent, key.as_ref(), &request).await? {
                    Some(asked) => return Ok(asked),
                    None => return Err(refused.into()),
                },
            };
            changeset.quota = quota;
            looked_up.rest(&mut changeset);
            let opened = changeset.interaction().cloned();
            let asked = Asked {
                interaction: opened.ok_or(ServiceError::NotFound)?,
                replayed: false,
            };
            if self.is_first(changeset).await? {
                return Ok(asked);
            }
            // The team may have been deleted meanwhile.
            let now = self.team_for(agent.id, named.as_deref()).await?;
            team = now.map_err(|fault| Refused::Invalid(vec![fault]))?;
        }
    }

    async fn ahead(
        &self,
        request: &Request,
        agent: &AgentRef,
        of: &AskedOf,
    ) -> Result<Option<Ahead>, ServiceError> {
        if let Some(grant) = self.grant_for(request, agent, of).await? {
            return Ok(Some(Ahead::Grant(Box::new(grant))));
        }
        let memory = self.memory_for(request, agent, of).await?;
        Ok(memory.map(|memory| Ahead::Memory(Box::new(memory))))
    }

    /// Rule 16: where the owner of the agent does not count, it has to be known who that is.
    async fn has_owner_for(&self, agent: &AgentRef, request: &Request) -> Result<(), ServiceError> {
        let now = self.now();
        if request.takes_four_eyes() && self.store.owners_of(agent.id, now).await?.is_empty() {
            let why = "nobody is known to own this agent by each of its tokens; an admin says so under Settings, Tokens";
            return Err(vec![Fault::new("approvals.four_eyes", why)].into());
        }
        Ok(())
    }

    /// The team that an agent asks: its home, or one that is open to it.
    async fn team_for(
        &self,
        agent: AgentId,
        named: Option<&str>,
    ) -> Result<Result<Option<Team>, Fault>, ServiceError> {
        let asker = self.store.asker(agent).await?;
        let Some(named) = named else {
            return Ok(Ok(asker.home));
        };
        let key = Person::name_key(named);
        let may_ask = asker.home.into_iter().chain(asker.open);
        let mut named = may_ask.filter(|team| Person::name_key(&team.profile.name) == key);
        Ok(named.next().map(Some).ok_or_else(|| {
            Fault::new(
                "team",
                "is no team that this agent may ask; an admin opens one to it",
            )
        }))
    }

    /// The deadline of a kind where the request names none; `None` = never.
    fn timeout(&self, kind: Kind, team: Option<&Team>) -> Option<TimeDelta> {
        match team.and_then(|team| team.profile.timeouts.get(&kind)) {
            Some(seconds) => seconds.map(TimeDelta::seconds),
            None => self.settings.timeouts.of(kind),
        }
    }

    /// Requests that come at the same moment may exceed the limit by as many.
    async fn has_room(&self, agent: &AgentRef, task: Option<&TaskRef>) -> Result<(), ServiceError> {
        let limit = self.settings.max_pending_per_agent;
        if limit > 0 && self.store.pending_count(agent.id).await? >= limit {
            return Err(Refused::TooManyPending { limit }.into());
        }
        if let Some(task) = task
            && self.store.pending_weight(agent.id, &task.id).await? >= limits::TASK_WEIGHT
        {
            return Err(Refused::TooMuchInTask.into());
        }
        Ok(())
    }

    async fn asked_before(
        &self,
        agent: &AgentRef,
        key: Option<&IdempotencyKey>,
        request: &Request,
    ) -> Result<Option<Asked>, ServiceError> {
        let Some(key) = key else {
            return Ok(None);
        };
        let Some((id, fingerprint)) = self.store.asked_under(agent.id, &key.name).await? else {
            return Ok(None);
        };
        if fingerprint != key.fingerprint {
            return Err(Refused::KeyReused.into());
        }
        let interaction = self.store.interaction(id).await?;
        let interaction = interaction.ok_or(ServiceError::NotFound)?;
        // The key may have been given to another interaction behind the server's back. The fallback and the time
        // follow from settings as well.
        let is_same = interaction.agent.id == agent.id && interaction.request.is_asked_as(request);
        if !is_same || !self.was_asked_under(id, key).await? {
            return Err(Refused::Altered.into());
        }
        Ok(Some(Asked {
            interaction,
            replayed: true,
        }))
    }

    /// Whether the journal knows of no other key.
    async fn was_asked_under(
        &self,
        id: InteractionId,
        key: &IdempotencyKey,
    ) -> Result<bool, ServiceError> {
        let first = self.store.events_of(id, 0, 1).await?.into_iter().next();
        Ok(match first.map(|event| event.payload) {
            Some(Payload::Interaction(InteractionEvent::Requested {
                asked_under: Some(under),
                ..
            })) => under == AskedUnder::of(Some(key)),
            // A notification, or a question from before keys were in the journal.
            _ => true,
        })
    }
}
