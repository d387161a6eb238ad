//! Silence climbs (rule 17): the next rung of a ladder is told.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};

use super::still_open;
use crate::{
    changeset::{Changeset, Write},
    decide::next::event,
    delivery::SlackChannel,
    event::{InteractionEvent, SeenOn},
    ids::{DestinationId, Moment, PersonId},
    interaction::Interaction,
    ladder::{
        Class, Held, HeldBack, Ladder, LadderWrite, Message, People, Place, Reachable, Telling,
        Told, room, telling,
    },
    limits::RUNG_NAMED,
    principal::{Actor, Principal},
    refused::Refused,
};

/// The rung in this place is told, to all whom it is for. `people` are those who may answer, `reachable` is all that is
/// known of each of them. Nothing of the interaction changes: who is told decides nothing.
///
/// # Errors
/// [`Refused::Closed`]; [`Refused::NotDue`], also while somebody is on it; [`Refused::Unchanged`] when the ladder has no
/// such rung.
pub fn climb(
    interaction: &Interaction,
    place: Place,
    ladder: &Ladder,
    people: &People,
    reachable: &BTreeMap<PersonId, Reachable>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    still_open(interaction, now)?;
    // Whoever is on it is not called again, and nobody else is.
    if place.at > now.at || interaction.claim_at(now.at).is_some() {
        return Err(Refused::NotDue);
    }
    let class = Class::of(&interaction.request);
    let deadline = interaction.expires_at;
    let rung = ladder.rung(class, place.rung).ok_or(Refused::Unchanged)?;
    let (mut told, mut later, mut never) = (Vec::new(), Vec::new(), Vec::new());
    let (mut messages, mut held, mut reaches) = (Vec::new(), Vec::new(), Vec::new());
    let can = |person| {
        let known: Option<&Reachable> = reachable.get(&person);
        known.is_some_and(|known| !known.ways.is_empty())
    };
    let known = people.who_can(rung.whom, can);
    let mention = mention(interaction, place, ladder, people, reachable, now.at);
    for person in known.iter().filter_map(|id| reachable.get(id)) {
        let id = person.person.id;
        let mention = mention
            .as_ref()
            .filter(|mention| mention.person == id)
            .map(|mention| (mention.channel.clone(), mention.most));
        let mentioned_in = mention.as_ref().map(|(channel, _)| channel.clone());
        let named = |by, held| Told {
            person: person.person.clone(),
            by,
            held,
            mentioned_in,
        };
        match telling(person, &rung.by, class, deadline, now.at) {
            Telling::Now { ways, most } => {
                let mut by: Vec<_> = ways.iter().map(|way| way.kind).collect();
                by.sort_unstable();
                by.dedup();
                reaches.extend(ways.iter().map(|way| way.id));
                told.push(named(by, None));
                messages.push(Message { person: id, most });
            }
            Telling::Later { until, why } => {
                later.push(named(Vec::new(), Some(HeldBack { until, why })));
                held.push(Held {
                    person: id,
                    interaction: interaction.id,
                    rung: place.rung,
                    until,
                    why,
                });
            }
            Telling::Never => match mention {
                Some((_, most)) => {
                    told.push(named(Vec::new(), None));
                    messages.push(Message { person: id, most });
                }
                None => never.push(named(Vec::new(), None)),
            },
        }
    }
    told.append(&mut later);
    told.append(&mut never);
    let others = told.len().saturating_sub(RUNG_NAMED);
    told.truncate(RUNG_NAMED);
    let payload = InteractionEvent::Climbed {
        rung: place.rung,
        whom: rung.whom,
        told,
        others: u32::try_from(others).unwrap_or(u32::MAX),
    };
    let next_at = ladder.next_at(class, place.rung + 1, now.at, deadline);
    let climb = LadderWrite::Climb {
        interaction: interaction.id,
        version: interaction.version,
        rung: place.rung,
        next_at,
        told: messages,
        held,
        at: now.at,
    };
    Ok(stepped(
        interaction,
        climb,
        reaches,
        payload,
        Actor::Deadline,
        now,
    ))
}

/// A person who is mentioned beside the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The person.
    pub person: PersonId,
    /// The channel.
    pub channel: String,
    /// How many messages they may get in an hour, with this one.
    pub most: u32,
}

/// The person whom the rung in this place has mentioned in Slack: on the first one the person on duty, if it is for them,
/// and they may be told anything now. Nobody else is, ever.
pub fn mention(
    interaction: &Interaction,
    place: Place,
    ladder: &Ladder,
    people: &People,
    reachable: &BTreeMap<PersonId, Reachable>,
    now: DateTime<Utc>,
) -> Option<Mention> {
    let class = Class::of(&interaction.request);
    let rung = ladder.rung(class, place.rung).filter(|_| place.rung == 0)?;
    let card = interaction.card.as_ref()?;
    let is_for = |person: &PersonId| people.of(rung.whom).contains(person);
    let person = people.on_duty.filter(|_| people.is_in_slack)?;
    if !is_for(&person) || SlackChannel(card.channel.clone()).is_of_webhook() {
        return None;
    }
    let most = room(reachable.get(&person)?, class, interaction.expires_at, now).ok()?;
    Some(Mention {
        person,
        channel: card.channel.clone(),
        most,
    })
}

/// A person has opened it, which is told once for each of them, and only of those who may answer it while it waits.
///
/// # Errors
/// [`Refused::Closed`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::NotAResponder`].
pub fn seen(
    interaction: &Interaction,
    person: PersonId,
    on: SeenOn,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    still_open(interaction, now)?;
    let actor = Actor::Person {
        id: person,
        name: responder.name,
    };
    let seen = LadderWrite::Seen {
        interaction: interaction.id,
        person,
        at: now.at,
    };
    let payload = InteractionEvent::Seen { on };
    Ok(stepped(interaction, seen, Vec::new(), payload, actor, now))
}

/// What was held back from a person is told to them as one message, by these ways. `of` are the interactions, what presses
/// most first: it is the one that the message leads to. `more` are not named.
///
/// # Errors
/// [`Refused::Unchanged`] when there are none.
pub fn sum_up(
    person: &Reachable,
    of: &[Arc<Interaction>],
    more: usize,
    held: Vec<Held>,
    ways: &[DestinationId],
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let (first, others) = of.split_first().ok_or(Refused::Unchanged)?;
    let mut by: Vec<_> = person
        .ways
        .iter()
        .filter(|way| ways.contains(&way.id))
        .map(|way| way.kind)
        .collect();
    by.sort_unstable();
    by.dedup();
    let rung = |one: &Interaction| {
        let mut rungs = held.iter().filter(|held| held.interaction == one.id);
        rungs.next().map_or(0, |held| held.rung)
    };
    let payload = |one: &Interaction| InteractionEvent::SummedUp {
        person: person.person.clone(),
        by: by.clone(),
        rung: rung(one),
        others: u32::try_from(others.len() + more).unwrap_or(u32::MAX),
    };
    let told = payload(first);
    let others: Vec<_> = others
        .iter()
        .map(|one| event(one, Actor::Deadline, payload(one), now))
        .collect();
    let write = LadderWrite::SumUp {
        person: person.person.id,
        waiting: of.iter().map(|one| (one.id, one.version)).collect(),
        held,
        at: now.at,
    };
    let reaches = ways.to_vec();
    let mut all = stepped(first, write, reaches, told, Actor::Deadline, now);
    all.events.extend(others);
    Ok(all)
}

fn stepped(
    interaction: &Interaction,
    write: LadderWrite,
    reaches: Vec<DestinationId>,
    payload: InteractionEvent,
    actor: Actor,
    now: Moment<'_>,
) -> Changeset {
    let mut writes = vec![Write::Ladder(write)];
    if !reaches.is_empty() {
        writes.push(Write::Tell {
            interaction: interaction.id,
            reaches,
        });
    }
    Changeset {
        writes,
        events: vec![event(interaction, actor, payload, now)],
        key: None,
        quota: None,
    }
}
