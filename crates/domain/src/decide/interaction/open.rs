//! An agent asks, or tells.

use chrono::TimeDelta;

use crate::{
    changeset::{Changeset, Write},
    decide::{next::event, task as tasks},
    event::InteractionEvent,
    idempotency::{AskedUnder, IdempotencyKey},
    ids::{InteractionId, Moment},
    interaction::{Addressee, Card, FormAnswers, Interaction, Kind, Request, State, Whom},
    principal::{Actor, AgentRef},
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
    let state = if told {
        State::Delivered { at: now.at }
    } else {
        State::Pending {
            answers: FormAnswers::new(),
            votes: Vec::new(),
        }
    };
    let fresh = now.ids.next();
    let interaction = Interaction {
        id: match &key {
            Some(key) => InteractionId::asked_under(fresh, agent.id, &key.name),
            None => InteractionId(fresh),
        },
        version: 1,
        agent: agent.clone(),
        team: team.clone(),
        to: (!told)
            .then(|| to.clone())
            .flatten()
            .map(|whom| Addressee::asked_for(whom, now.at)),
        created_at: now.at,
        expires_at: request
            .timeout_seconds
            .map(|seconds| now.at + TimeDelta::seconds(seconds)),
        state,
        claim: None,
        collected_at: None,
        consumed: None,
        report: None,
        callback: None,
        card: channel.clone().map(Card::to),
        follow_ups: Vec::new(),
        erased: None,
        request: request.clone(),
    };
    let request = Box::new(request);
    let payload = if told {
        InteractionEvent::Notified {
            agent: agent.clone(),
            request,
            channel,
            team,
        }
    } else {
        InteractionEvent::Requested {
            agent: agent.clone(),
            request,
            expires_at: interaction.expires_at,
            channel,
            asked_under: Some(AskedUnder::of(key.as_ref())),
            team,
            to,
        }
    };
    let mut changeset = Changeset {
        events: vec![event(&interaction, Actor::Agent(agent), payload, now)],
        writes: vec![Write::Open(interaction.clone())],
        key,
        quota: None,
    };
    tasks::opened(&mut changeset, &interaction, task, now);
    changeset
}
