//! An agent asks, or tells.

use chrono::TimeDelta;

use crate::{
    changeset::{Changeset, Write},
    decide::{next::event, task as tasks},
    event::InteractionEvent,
    grant::{GrantRecord, GrantWrite, Wanted},
    idempotency::{AskedUnder, IdempotencyKey},
    ids::{InteractionId, Moment},
    interaction::{
        Addressee, Answer, AnswerContent, Ask, Card, FormAnswers, Granted, Interaction, Kind,
        Outcome, Receipt, Remembered, Request, State, Then, Whom,
    },
    memory::{MemoryRecord, MemoryWrite, Repeated},
    policy::{PolicyWrite, Ruling, under},
    principal::{Actor, AgentRef, Responder},
    refused::Refused,
    task::Task,
    team::TeamRef,
};

/// An agent asks its team; a notification is told at once. `task` is the one the request names, if it is known; `channel`
/// is where it is to be shown in Slack, if it is. Under a key, the id tells the key.
pub fn open(
    request: Request,
    agent: AgentRef,
    team: Option<TeamRef>,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    channel: Option<String>,
    now: Moment<'_>,
) -> Changeset {
    let of = AskedOf { team, to: None };
    open_for(request, agent, of, key, task, channel, now)
}

/// Who is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedOf {
    /// The team; `None` = everyone.
    pub team: Option<TeamRef>,
    /// Whom of it, where the agent asks for somebody; never of a notification.
    pub to: Option<Whom>,
}

/// As [`open`], where the agent may ask for somebody.
pub fn open_for(
    request: Request,
    agent: AgentRef,
    AskedOf { team, to }: AskedOf,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    channel: Option<String>,
    now: Moment<'_>,
) -> Changeset {
    let told = request.kind() == Kind::Notification;
    let asked = Asked {
        request,
        agent,
        of: AskedOf { team, to },
        channel,
        granted: None,
        remembered: None,
    };
    let (interaction, payload) = match told {
        true => asked.told(key.as_ref(), now),
        false => asked.waits(key.as_ref(), now),
    };
    let actor = Actor::Agent(interaction.agent.clone());
    let mut changeset = Changeset {
        events: vec![event(&interaction, actor, payload, now)],
        writes: vec![Write::Open(interaction.clone())],
        key,
        quota: None,
    };
    tasks::opened(&mut changeset, &interaction, task, now);
    changeset
}

/// As [`open_for`], of an approval that this grant covers (rule 15): it is approved as it is asked, in the same commit, by
/// its own receipt, and nobody is told. The store looks at the grant once more, in that commit.
///
/// # Errors
/// [`Refused::NotApproved`] when the grant does not cover it, or is not in force; [`Refused::NoKey`].
pub fn open_granted(
    request: Request,
    agent: AgentRef,
    of: AskedOf,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    record: &GrantRecord,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let wanted = wanted(&request, &agent, &of).filter(|wanted| record.grant.covers(wanted));
    if wanted.is_none() || !record.is_in_force(now.at) {
        return Err(Refused::NotApproved);
    }
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let asked = Asked {
        request,
        agent,
        of,
        channel: None,
        granted: Some(record.grant.named()),
        remembered: None,
    };
    let (pending, requested) = asked.waits(key.as_ref(), now);
    let granted = record.grant.named();
    let responder = record.grant.terms.by.clone();
    let content = AnswerContent::Approval {
        approved: true,
        text: None,
        // As it was asked, whatever a person may change.
        amended: None,
    };
    let receipt = Receipt::sign_by(&pending, &content, &responder, now.at, granted, signer);
    let used = GrantWrite::Use {
        grant: Box::new(record.grant.clone()),
        interaction: pending.id,
        at: now.at,
    };
    let answer = Answer {
        responder,
        answered_at: now.at,
        receipt: Some(Box::new(receipt.ok_or(Refused::NoKey)?)),
        votes: Vec::new(),
        attachments: Vec::new(),
        content,
    };
    let mut changeset = at_once(pending, requested, answer, key, task, now);
    changeset.writes.insert(1, Write::Grant(used));
    Ok(changeset)
}

/// As [`open_for`], of an action that policies forbid or allow (rule 14): it is decided as it is asked, in the same commit,
/// by its own receipt that names the rule, and nobody is told.
///
/// # Errors
/// [`Refused::NotApproved`] when no rule decides it, or one allows what the agent wants a person's word on;
/// [`Refused::NoKey`].
pub fn open_ruled(
    request: Request,
    agent: AgentRef,
    of: AskedOf,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    ruling: &Ruling,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let decided = ruling.ruled.then.and_then(Then::at_once);
    let (Some(outcome), Some(policy)) = (decided, &ruling.decided_by) else {
        return Err(Refused::NotApproved);
    };
    let approved = outcome == Outcome::Approved;
    if approved && !may_be_allowed(&request, &of) {
        return Err(Refused::NotApproved);
    }
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let asked = Asked {
        request: under(request, ruling),
        agent,
        of,
        channel: None,
        granted: None,
        remembered: None,
    };
    let (pending, requested) = asked.waits(key.as_ref(), now);
    let responder = Responder::of_policy(policy.id, &policy.rule);
    let content = AnswerContent::Approval {
        approved,
        // The agent reads why not; that it may needs no words.
        text: (!approved).then(|| ruling.ruled.reason()),
        amended: None,
    };
    let named = policy.clone();
    let receipt = Receipt::sign_ruled(&pending, &content, &responder, now.at, named, signer);
    let answer = Answer {
        responder,
        answered_at: now.at,
        receipt: Some(Box::new(receipt.ok_or(Refused::NoKey)?)),
        votes: Vec::new(),
        attachments: Vec::new(),
        content,
    };
    let used = PolicyWrite::Use {
        policies: policy.id,
        rule: policy.rule.clone(),
        interaction: pending.id,
        at: now.at,
    };
    let mut changeset = at_once(pending, requested, answer, key, task, now);
    changeset.writes.insert(1, Write::Policy(used));
    Ok(changeset)
}

/// As [`open_for`], of a question that a person has answered before and lets the answer stand for: it is answered as it is
/// asked, in the same commit, by a receipt that says so, and nobody is told. The store looks at the person's word once more,
/// in that commit.
///
/// # Errors
/// [`Refused::NothingToKeep`] when it is no answer to this, or stands no longer; [`Refused::NoKey`].
pub fn open_remembered(
    request: Request,
    agent: AgentRef,
    of: AskedOf,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    record: &MemoryRecord,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let memory = &record.memory;
    let answers = repeated(&request, &agent, &of)
        .is_some_and(|asked| memory.answers(&asked) && record.is_in_force(now.at));
    let Some(kept) = memory.kept.as_ref().filter(|_| answers) else {
        return Err(Refused::NothingToKeep);
    };
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let remembered = memory.named();
    let asked = Asked {
        request,
        agent,
        of,
        channel: None,
        granted: None,
        remembered: Some(remembered),
    };
    let (pending, requested) = asked.waits(key.as_ref(), now);
    let (responder, content) = (memory.terms.by.clone(), kept.answer.clone());
    let receipt =
        Receipt::sign_remembered(&pending, &content, &responder, now.at, remembered, signer);
    let used = MemoryWrite::Use {
        memory: Box::new(memory.clone()),
        interaction: pending.id,
        at: now.at,
    };
    let answer = Answer {
        responder,
        answered_at: now.at,
        receipt: Some(Box::new(receipt.ok_or(Refused::NoKey)?)),
        votes: Vec::new(),
        attachments: Vec::new(),
        content,
    };
    let mut changeset = at_once(pending, requested, answer, key, task, now);
    changeset.writes.insert(1, Write::Memory(used));
    Ok(changeset)
}

/// What is answered in the commit that asks it.
fn at_once(
    pending: Interaction,
    requested: InteractionEvent,
    answer: Answer,
    key: Option<IdempotencyKey>,
    task: Option<&Task>,
    now: Moment<'_>,
) -> Changeset {
    let by = Actor::Responder(answer.responder.clone());
    let resolved = InteractionEvent::Resolved {
        outcome: answer.content.outcome(),
        answer: answer.clone(),
    };
    let interaction = Interaction {
        // Two events happened to it.
        version: pending.version + 1,
        state: State::Resolved { answer },
        ..pending
    };
    let asker = Actor::Agent(interaction.agent.clone());
    let mut changeset = Changeset {
        events: vec![
            event(&interaction, asker, requested, now),
            event(&interaction, by, resolved, now),
        ],
        writes: vec![Write::Open(interaction.clone())],
        key,
        quota: None,
    };
    tasks::opened(&mut changeset, &interaction, task, now);
    changeset
}

/// What is asked, as far as an earlier answer can answer it: a question that is asked of nobody by name.
pub fn repeated(request: &Request, agent: &AgentRef, of: &AskedOf) -> Option<Repeated> {
    // Whoever asks for somebody wants that person's word on this one.
    let question = request.repeatable().filter(|_| of.to.is_none())?;
    Some(Repeated {
        agent: agent.id,
        team: of.team.as_ref().map(|team| team.id),
        question,
    })
}

/// What is asked for, as far as a grant can cover it: an approval of one action, asked of nobody by name.
pub fn wanted<'a>(request: &'a Request, agent: &AgentRef, of: &'a AskedOf) -> Option<Wanted<'a>> {
    // Each field is named: one that asks for more than one person's word must not be passed over here. Rule 16: a grant is
    // nobody who looks at this very action, so where people are counted it counts for nothing.
    let Ask::Approval {
        action,
        action_digest: _,
        amendable: _,
        approvals: None,
    } = &request.ask
    else {
        return None;
    };
    // Rule 14: the strictest wins, and a policy that asks is stricter than any grant.
    let is_ruled = request.ruled.as_ref().is_some_and(|it| it.then.is_some());
    // Whoever asks for somebody wants that person's word on this one, and files are for people to look at.
    let is_plain = of.to.is_none() && action.attachments.is_empty();
    (is_plain && !is_ruled).then_some(Wanted {
        agent: agent.id,
        team: of.team.as_ref().map(|team| team.id),
        session: request.session_id.as_deref(),
        action,
        exactly: request.is_destructive(),
    })
}

/// Whether a policy may allow it: the agent asks for one person's word, whoever's it is, and no rule has seen what is in files.
pub fn may_be_allowed(request: &Request, of: &AskedOf) -> bool {
    let is_counted = match &request.ask {
        Ask::Approval {
            action,
            action_digest: _,
            amendable: _,
            approvals,
        } => approvals.is_some() || !action.attachments.is_empty(),
        _ => true,
    };
    of.to.is_none() && !is_counted
}

/// What is asked, and of whom.
struct Asked {
    request: Request,
    agent: AgentRef,
    of: AskedOf,
    channel: Option<String>,
    granted: Option<Granted>,
    remembered: Option<Remembered>,
}

impl Asked {
    /// A notification, which is told at once.
    fn told(
        self,
        key: Option<&IdempotencyKey>,
        now: Moment<'_>,
    ) -> (Interaction, InteractionEvent) {
        let payload = InteractionEvent::Notified {
            agent: self.agent.clone(),
            request: Box::new(self.request.clone()),
            channel: self.channel.clone(),
            team: self.of.team.clone(),
        };
        (
            self.in_state(State::Delivered { at: now.at }, key, now),
            payload,
        )
    }

    /// A blocker, which waits.
    fn waits(
        self,
        key: Option<&IdempotencyKey>,
        now: Moment<'_>,
    ) -> (Interaction, InteractionEvent) {
        let (agent, request) = (self.agent.clone(), Box::new(self.request.clone()));
        let (channel, granted) = (self.channel.clone(), self.granted);
        let remembered = self.remembered;
        let AskedOf { team, to } = self.of.clone();
        let pending = State::Pending {
            answers: FormAnswers::new(),
            votes: Vec::new(),
        };
        let interaction = self.in_state(pending, key, now);
        let payload = InteractionEvent::Requested {
            agent,
            request,
            expires_at: interaction.expires_at,
            channel,
            asked_under: Some(AskedUnder::of(key)),
            team,
            to,
            granted,
            remembered,
        };
        (interaction, payload)
    }

    fn in_state(self, state: State, key: Option<&IdempotencyKey>, now: Moment<'_>) -> Interaction {
        let fresh = now.ids.next();
        let to = self.of.to.filter(|_| state.is_pending());
        Interaction {
            id: match key {
                Some(key) => InteractionId::asked_under(fresh, self.agent.id, &key.name),
                None => InteractionId(fresh),
            },
            version: 1,
            agent: self.agent,
            team: self.of.team,
            to: to.map(|whom| Addressee::asked_for(whom, now.at)),
            created_at: now.at,
            expires_at: self
                .request
                .timeout_seconds
                .map(|seconds| now.at + TimeDelta::seconds(seconds)),
            state,
            claim: None,
            collected_at: None,
            consumed: None,
            report: None,
            callback: None,
            card: self.channel.map(Card::to),
            follow_ups: Vec::new(),
            erased: None,
            request: self.request,
        }
    }
}
