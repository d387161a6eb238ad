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
        Receipt, Request, State, Whom,
    },
    principal::{Actor, AgentRef},
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
    };
    let (pending, requested) = asked.waits(key.as_ref(), now);
    let responder = record.grant.terms.by.clone();
    let content = AnswerContent::Approval {
        approved: true,
        text: None,
        // As it was asked, whatever a person may change.
        amended: None,
    };
    let granted = record.grant.named();
    let receipt = Receipt::sign_by(&pending, &content, &responder, now.at, granted, signer);
    let answer = Answer {
        responder: responder.clone(),
        answered_at: now.at,
        receipt: Some(Box::new(receipt.ok_or(Refused::NoKey)?)),
        votes: Vec::new(),
        attachments: Vec::new(),
        content,
    };
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
    let by = Actor::Responder(responder);
    let used = GrantWrite::Use {
        grant: Box::new(record.grant.clone()),
        interaction: interaction.id,
        at: now.at,
    };
    let mut changeset = Changeset {
        events: vec![
            event(&interaction, asker, requested, now),
            event(&interaction, by, resolved, now),
        ],
        writes: vec![Write::Open(interaction.clone()), Write::Grant(used)],
        key,
        quota: None,
    };
    tasks::opened(&mut changeset, &interaction, task, now);
    Ok(changeset)
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
    // Whoever asks for somebody wants that person's word on this one, and files are for people to look at.
    let is_plain = of.to.is_none() && action.attachments.is_empty();
    is_plain.then_some(Wanted {
        agent: agent.id,
        team: of.team.as_ref().map(|team| team.id),
        session: request.session_id.as_deref(),
        action,
    })
}

/// What is asked, and of whom.
struct Asked {
    request: Request,
    agent: AgentRef,
    of: AskedOf,
    channel: Option<String>,
    granted: Option<Granted>,
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
