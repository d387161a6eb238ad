//! A person hides a blocker from their list for a while. Others do not hear of it, and no event tells.

use chrono::{DateTime, TimeDelta, Utc};

use super::still_open;
use crate::{
    fault::Fault,
    ids::{InteractionId, Moment, PersonId},
    interaction::Interaction,
    limits,
    principal::Principal,
    refused::Refused,
};

/// A blocker that a person does not want to see for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snooze {
    /// The person.
    pub person: PersonId,
    /// The blocker.
    pub interaction: InteractionId,
    /// Until then.
    pub until: DateTime<Utc>,
}

/// A person who sees it puts it off. It comes back before the deadline, or it cannot be put off.
///
/// # Errors
/// [`Refused::NotSeen`], [`Refused::NotAResponder`] for who is no person, [`Refused::Closed`], [`Refused::Invalid`].
pub fn snooze(
    interaction: &Interaction,
    until: DateTime<Utc>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Snooze, Refused> {
    let Principal::Person { id, .. } = by else {
        return Err(Refused::NotAResponder);
    };
    let audience = by.audience();
    if !audience.includes(interaction.agent.id, interaction.team_id()) {
        return Err(Refused::NotSeen);
    }
    still_open(interaction, now)?;
    let wrong = |said: &str| Err(Refused::Invalid(vec![Fault::new("until", said)]));
    if until <= now.at {
        return wrong("has passed");
    }
    if until > now.at + TimeDelta::days(limits::SNOOZE_DAYS) {
        return wrong("is too far ahead");
    }
    if interaction.expires_at.is_some_and(|end| until >= end) {
        return wrong("is not before its deadline");
    }
    Ok(Snooze {
        person: *id,
        interaction: interaction.id,
        until,
    })
}
