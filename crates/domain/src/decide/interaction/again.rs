//! What people approve is looked at once more (rule 14): other rules may be in force than when it was asked, and a person may
//! have changed the action first.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    changeset::Changeset,
    fault::Fault,
    interaction::{Action, AnswerContent, Ask, Interaction, Quorum, State, Then},
    policy::{Ruling, stricter},
    refused::Refused,
};

/// What a person's answer approves.
#[derive(Clone, Debug, PartialEq)]
pub struct Approves {
    /// The action as it was asked.
    pub asked: Action,
    /// As a person has changed it, where they have.
    pub amended: Option<Action>,
}

/// What this changeset approves, if it does: the last approval that it takes.
pub fn approves(changeset: &Changeset) -> Option<Approves> {
    let interaction = changeset.interaction()?;
    let Ask::Approval { action, .. } = &interaction.request.ask else {
        return None;
    };
    let State::Resolved { answer } = &interaction.state else {
        return None;
    };
    let AnswerContent::Approval {
        approved: true,
        amended,
        ..
    } = &answer.content
    else {
        return None;
    };
    let amended = amended.as_ref().map(|amended| Action {
        arguments: amended.arguments.clone(),
        ..action.clone()
    });
    Some(Approves {
        asked: action.clone(),
        amended,
    })
}

/// Whether people may approve it all the same. `asked` is what the rules say now of the action as it was asked, `amended` of
/// what a person has made of it, where they have.
///
/// # Errors
/// [`Refused::Invalid`] where they say more than people were told and counted by when it was asked.
pub fn stays_approved(
    interaction: &Interaction,
    asked: Option<&Ruling>,
    amended: Option<Option<&Ruling>>,
    now: DateTime<Utc>,
) -> Result<(), Refused> {
    let (path, ruling) = match amended {
        Some(amended) => ("arguments", amended),
        None => ("approved", asked),
    };
    let Some(ruling) = ruling else {
        return Ok(());
    };
    let why = if ruling.ruled.then == Some(Then::Forbid) {
        format!("a policy forbids this: {}", ruling.ruled.reason())
    } else if asks_for_more(interaction, ruling, now)
        || (amended.is_some() && asks_another_team(interaction, asked, ruling))
    {
        "a policy asks for more than this question was asked with; deny it, and the agent can ask anew".to_owned()
    } else {
        return Ok(());
    };
    Err(Refused::Invalid(vec![Fault::new(path, why)]))
}

fn asks_for_more(interaction: &Interaction, ruling: &Ruling, now: DateTime<Utc>) -> bool {
    let anybody = Quorum {
        needed: 1,
        of: crate::interaction::Counted::Anyone,
        four_eyes: false,
    };
    let asked = interaction.quorum().copied().unwrap_or(anybody);
    let is_stricter = stricter(Some(asked), ruling.quorum) != Some(asked);
    let was_told = interaction.request.is_destructive();
    let seconds = ruling.deadline_seconds.and_then(TimeDelta::try_seconds);
    let is_late = seconds.is_some_and(|seconds| now - interaction.created_at > seconds);
    is_stricter || (ruling.ruled.destructive && !was_told) || is_late
}

/// Whether the changed action belongs to another team than is asked, and the action as asked does not.
fn asks_another_team(interaction: &Interaction, asked: Option<&Ruling>, amended: &Ruling) -> bool {
    let name = |name: &str| name.to_lowercase();
    let wanted = amended.team.as_deref().map(name);
    let before = asked.and_then(|ruling| ruling.team.as_deref()).map(name);
    let is_asked = interaction.team.as_ref().map(|team| name(&team.name));
    wanted.is_some() && wanted != before && wanted != is_asked
}
