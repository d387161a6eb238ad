//! An agent asks.

mod before;
mod check;

use domain::{
    AgentRef, Changeset, IdempotencyKey, Interaction, Refused, Task, Team, TraceParent,
    attachment::Holder,
    decide::interaction::{self as decide, AskedOf},
    grant::GrantRecord,
    interaction::{Draft, Kind, Request, Whom},
    limits,
    memory::MemoryRecord,
    policy,
};
use store::Asking;

use super::{Service, ServiceError, policies::LookedUp};

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

/// What an agent asks, once nothing is wrong with it.
struct Checked {
    request: Request,
    key: Option<IdempotencyKey>,
    /// Against what it is held.
    asking: Asking,
    /// The team that it asks, and by which name it did, if by any.
    team: Option<Team>,
    named: Option<String>,
    /// The people that it asks for.
    to: Option<Whom>,
    /// The files that it names.
    files: Option<Vec<String>>,
}

/// The same as it is put to people, under the policies of this moment.
struct Put {
    looked_up: LookedUp,
    asking: Request,
    /// The team that is asked: its own, or that of a policy.
    team: Option<Team>,
    of: AskedOf,
}

impl Service {
    /// Opens an interaction. When this returns, it is durable. Under a key the agent has used for the
    /// same request, nothing is opened and no destination is told again. `trace` is where in its trace the agent asks.
    ///
    /// # Errors
    /// [`Refused::Invalid`] with every fault of the draft, or where a plan revises one that it may not revise, [`Refused::KeyReused`],
    /// [`Refused::TooManyPending`], [`Refused::TooMuchInTask`], [`Refused::QuotaUsedUp`], [`Refused::NoFiles`].
    pub async fn ask(
        &self,
        agent: AgentRef,
        draft: Draft,
        key: Option<&str>,
        trace: Option<TraceParent>,
    ) -> Result<Asked, ServiceError> {
        let mut checked = self.check(&agent, draft, key, trace).await?;
        let mut tries = GRANT_TRIES;
        // The same agent may send the same key twice at once, the task may change meanwhile, the quota be used up, and
        // another plan take the same place.
        loop {
            if let Some(asked) = self.asked_before(&agent, &checked).await? {
                return Ok(asked);
            }
            self.may_revise(&checked.request, &agent, checked.team.as_ref())
                .await?;
            let quota = self.quota_left_after(checked.asking.stored)?;
            let put = self.put_to_people(&agent, &checked).await?;
            let opened = self
                .open_interaction(&agent, &checked, &put, &mut tries)
                .await?;
            let mut changeset = match self.attach(&agent, &checked, opened).await? {
                Ok(changeset) => changeset,
                // The same request may have taken them under this key a moment ago.
                Err(refused) => match self.asked_before(&agent, &checked).await? {
                    Some(asked) => return Ok(asked),
                    None => return Err(refused.into()),
                },
            };
            changeset.quota = quota;
            put.looked_up.rest(&mut changeset);
            let opened = changeset.interaction().cloned();
            let asked = Asked {
                interaction: opened.ok_or(ServiceError::NotFound)?,
                replayed: false,
            };
            if self.is_first(changeset).await? {
                return Ok(asked);
            }
            // The team may have been deleted meanwhile.
            checked.asking = self.asking(agent.id).await?;
            let now = check::team_among(&checked.asking.teams, checked.named.as_deref());
            checked.team = now.map_err(|fault| Refused::Invalid(vec![fault]))?;
        }
    }

    /// What policies make of it: whom it is put to, and how.
    async fn put_to_people(
        &self,
        agent: &AgentRef,
        checked: &Checked,
    ) -> Result<Put, ServiceError> {
        let (team, to) = (checked.team.as_ref(), checked.to.as_ref());
        let looked_up = self.look_up(&checked.request, agent, team, to).await?;
        let ruled_team = self.team_of(looked_up.ruling.as_ref()).await?;
        let mut asking = asked_under(&checked.request, &looked_up, ruled_team.as_ref());
        if asking.takes_four_eyes() {
            asking.owners = self.store.owners_of(agent.id, self.now()).await?;
        }
        // Who counts is a policy's to say too; what it decides at once nobody approves.
        if looked_up.at_once().is_none() {
            self.has_owner_for(agent, &asking).await?;
        }
        // Whom the agent asks for need not be of the team that a policy names.
        let to = checked.to.clone().filter(|_| ruled_team.is_none());
        let team = ruled_team.or_else(|| checked.team.clone());
        Ok(Put {
            looked_up,
            asking,
            of: AskedOf {
                team: team.as_ref().map(Team::named),
                to,
            },
            team,
        })
    }

    /// Opens it: decided at once by a policy, by an earlier word of a person, or for people to answer.
    async fn open_interaction(
        &self,
        agent: &AgentRef,
        checked: &Checked,
        put: &Put,
        tries: &mut u32,
    ) -> Result<Changeset, ServiceError> {
        let request = &checked.request;
        let at_once = put.looked_up.at_once();
        let ahead = match (at_once, *tries) {
            (Some(_), _) | (None, 0) => None,
            (None, _) => self.ahead(&put.asking, agent, &put.of).await?,
        };
        // What a policy decides, a grant covers or an earlier answer answers waits for nobody, so it takes no room among what does.
        let waits = at_once.is_none() && ahead.is_none();
        if waits && request.kind() != Kind::Notification {
            self.has_room(agent, checked).await?;
        }
        let task = match &request.task {
            Some(task) => self.store.task(agent.id, &task.id).await?,
            None => None,
        };
        let (task, key) = (task.as_ref(), checked.key.clone());
        if let Some(ruling) = at_once {
            let (request, of) = (request.clone(), put.of.clone());
            let now = self.moment();
            let opened = decide::open_ruled(request, agent.clone(), of, key, task, ruling, now);
            return Ok(opened?);
        }
        if let Some(ahead) = ahead {
            *tries -= 1;
            let opened = self.open_ahead(agent, put, key.clone(), task, &ahead);
            if let Ok(changeset) = opened {
                return Ok(changeset);
            }
            // It has just ended, or nothing can be signed: a person is asked.
            self.has_room(agent, checked).await?;
        }
        Ok(decide::open_for(
            put.asking.clone(),
            agent.clone(),
            put.of.clone(),
            key,
            task,
            self.channel_for(request, put.team.as_ref()),
            self.moment(),
        ))
    }

    fn open_ahead(
        &self,
        agent: &AgentRef,
        put: &Put,
        key: Option<IdempotencyKey>,
        task: Option<&Task>,
        ahead: &Ahead,
    ) -> Result<Changeset, Refused> {
        let (asking, agent, of) = (put.asking.clone(), agent.clone(), put.of.clone());
        let now = self.moment();
        match ahead {
            Ahead::Grant(grant) => decide::open_granted(asking, agent, of, key, task, grant, now),
            Ahead::Memory(memory) => {
                decide::open_remembered(asking, agent, of, key, task, memory, now)
            }
        }
    }

    /// The files are looked up each time anew: another request may have taken them.
    async fn attach(
        &self,
        agent: &AgentRef,
        checked: &Checked,
        changeset: Changeset,
    ) -> Result<Result<Changeset, Refused>, ServiceError> {
        let holder = Holder::Agent(agent.id);
        let files = checked.files.as_deref();
        let found = self.found_files(Some(holder), files).await?;
        Ok(decide::attach(changeset, holder, &found))
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

    /// Requests that come at the same moment may exceed the limit by as many.
    async fn has_room(&self, agent: &AgentRef, checked: &Checked) -> Result<(), ServiceError> {
        let limit = self.settings.max_pending_per_agent;
        if limit > 0 && checked.asking.pending >= limit {
            return Err(Refused::TooManyPending { limit }.into());
        }
        if let Some(task) = &checked.request.task
            && self.store.pending_weight(agent.id, &task.id).await? >= limits::TASK_WEIGHT
        {
            return Err(Refused::TooMuchInTask.into());
        }
        Ok(())
    }
}

/// The request as it is put to people under the policies.
fn asked_under(request: &Request, looked_up: &LookedUp, ruled_team: Option<&Team>) -> Request {
    let Some(ruling) = looked_up.ruling.as_ref() else {
        return request.clone();
    };
    let under =
        policy::under(request.clone(), ruling).asked_by_rule_of(ruled_team.map(|team| team.id));
    let is_missing = ruling.team.is_some() && ruled_team.is_none();
    match is_missing && looked_up.at_once().is_none() {
        true => under.asked_of_admins(),
        false => under,
    }
}
