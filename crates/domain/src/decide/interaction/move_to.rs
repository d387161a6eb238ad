//! A blocker goes to another team.

use super::still_open;
use crate::{
    changeset::Changeset, decide::next::advance_anew, event::InteractionEvent, ids::Moment,
    interaction::Interaction, principal::Principal, refused::Refused, team::Team,
};

/// An admin gives it to another team, which sees and answers it from now on. Whom it was for, and who was on it, ends with that. A card in Slack stays in its channel, and
/// takes answers of the new team alone.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Closed`], [`Refused::TeamDeleted`], [`Refused::Unchanged`].
pub fn move_to(
    interaction: &Interaction,
    team: &Team,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    still_open(interaction, now)?;
    if team.deleted_at.is_some() {
        return Err(Refused::TeamDeleted);
    }
    if interaction.team_id() == Some(team.id) {
        return Err(Refused::Unchanged);
    }
    let team = team.named();
    let next = Interaction {
        team: Some(team.clone()),
        // They may not even see it there.
        to: None,
        claim: None,
        ..interaction.clone().without_votes()
    };
    Ok(advance_anew(
        next,
        actor,
        InteractionEvent::Moved { team },
        None,
        now,
    ))
}
