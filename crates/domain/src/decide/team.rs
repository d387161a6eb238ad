//! The rules of teams (rule 18): admins make them, and say who is in them and which agents ask them.

use super::access::{changeset, checked_name};
use crate::{
    access::{Access, Person, PersonRef},
    changeset::Changeset,
    event::TeamEvent,
    fault::Faults,
    ids::{Moment, TeamId},
    interaction::Kind,
    limits,
    principal::{Actor, AgentRef, Principal},
    refused::Refused,
    team::{Membership, Part, Profile, Team},
};

/// A new team, without members.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Invalid`].
pub fn create(profile: Profile, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let team = Team {
        id: TeamId(now.ids.next()),
        version: 1,
        profile: checked(profile)?,
        created_at: now.at,
        deleted_at: None,
    };
    let event = TeamEvent::Created {
        id: team.id,
        profile: team.profile.clone(),
    };
    Ok(one(Access::Team(team), actor, event, now))
}

/// Another name, channel or other deadlines.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::Invalid`], [`Refused::Unchanged`].
pub fn change(
    team: &Team,
    profile: Profile,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let team = there(team)?;
    let profile = checked(profile)?;
    if profile == team.profile {
        return Err(Refused::Unchanged);
    }
    // Whoever reads that channel reads what the team is asked.
    if profile.slack_channel != team.profile.slack_channel {
        by.proven_admin(now.at)?;
    }
    let event = TeamEvent::Changed {
        id: team.id,
        profile: profile.clone(),
    };
    let next = Team {
        version: team.version + 1,
        profile,
        ..team.clone()
    };
    Ok(one(Access::Team(next), actor, event, now))
}

/// The team is no more. `pending` interactions wait for it, and `agents` have their home there.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::TeamInUse`].
pub fn delete(
    team: &Team,
    pending: u32,
    agents: u32,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let team = there(team)?;
    // Without it its agents would ask everyone.
    if pending > 0 || agents > 0 {
        return Err(Refused::TeamInUse { pending, agents });
    }
    let event = TeamEvent::Deleted(team.named());
    let next = Team {
        version: team.version + 1,
        deleted_at: Some(now.at),
        ..team.clone()
    };
    Ok(one(Access::Team(next), actor, event, now))
}

/// A person becomes a member, or gets another part. `now_is` is their membership until now. One whom a provider made a member
/// is kept by an admin who gives them the part that they have.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamDeleted`], [`Refused::Disabled`],
/// [`Refused::Unchanged`].
pub fn set_member(
    team: &Team,
    person: &Person,
    now_is: Option<&Membership>,
    part: Part,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    let team = there(team)?;
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    if now_is.is_some_and(|one| one.part == part && one.issuer.is_none()) {
        return Err(Refused::Unchanged);
    }
    let event = TeamEvent::MemberSet {
        team: team.named(),
        person: person.into(),
        part,
    };
    let member = Access::Member {
        team: team.id,
        person: person.id,
        part: Some(part),
    };
    Ok(one(member, actor, event, now))
}

/// A person leaves. `now_is` is their part until now.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::Unchanged`].
pub fn remove_member(
    team: &Team,
    person: &Person,
    now_is: Option<Part>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let team = there(team)?;
    if now_is.is_none() {
        return Err(Refused::Unchanged);
    }
    let event = TeamEvent::MemberRemoved {
        team: team.named(),
        person: PersonRef::from(person),
    };
    let member = Access::Member {
        team: team.id,
        person: person.id,
        part: None,
    };
    Ok(one(member, actor, event, now))
}

/// The team that an agent asks by itself; `None` = everyone. Interactions that were asked before stay where they are.
/// `home` is the agent's home until now.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamDeleted`], [`Refused::Unchanged`].
pub fn set_home(
    agent: &AgentRef,
    home: Option<TeamId>,
    team: Option<&Team>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    let team = team.map(there).transpose()?;
    let id = team.map(|team| team.id);
    if id == home {
        return Err(Refused::Unchanged);
    }
    let event = TeamEvent::HomeSet {
        agent: agent.clone(),
        team: team.map(Team::named),
    };
    let home = Access::Home {
        agent: agent.id,
        team: id,
    };
    Ok(one(home, actor, event, now))
}

/// Whether an agent may ask a team that is not its home. `was` says whether it may until now.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::Unchanged`].
pub fn set_open(
    team: &Team,
    agent: &AgentRef,
    was: bool,
    open: bool,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let team = there(team)?;
    if was == open {
        return Err(Refused::Unchanged);
    }
    let (named, agent_ref) = (team.named(), agent.clone());
    let event = match open {
        true => TeamEvent::Opened {
            team: named,
            agent: agent_ref,
        },
        false => TeamEvent::Closed {
            team: named,
            agent: agent_ref,
        },
    };
    let opened = Access::Opened {
        team: team.id,
        agent: agent.id,
        open,
    };
    Ok(one(opened, actor, event, now))
}

fn there(team: &Team) -> Result<&Team, Refused> {
    match team.deleted_at {
        None => Ok(team),
        Some(_) => Err(Refused::TeamDeleted),
    }
}

fn one(access: Access, actor: Actor, event: TeamEvent, now: Moment<'_>) -> Changeset {
    changeset(vec![access], actor, vec![event.into()], now)
}

fn checked(profile: Profile) -> Result<Profile, Refused> {
    let name = checked_name(&profile.name)?;
    let mut faults = Faults::default();
    let channel = profile.slack_channel.map(|id| id.trim().to_owned());
    let channel = channel.filter(|id| !id.is_empty());
    let channel = faults.line("slack_channel", channel, limits::LINE_CHARS);
    if channel.as_deref().is_some_and(|id| {
        !id.starts_with(['C', 'G']) || !id.chars().all(|c| c.is_ascii_alphanumeric())
    }) {
        faults.add(
            "slack_channel",
            "must be a channel's id, such as C0123ABCD: Slack shows it at the end of the channel's details",
        );
    }
    for (kind, seconds) in &profile.timeouts {
        let path = format!("timeouts.{}", kind.name());
        match seconds {
            _ if *kind == Kind::Notification => faults.add(&path, "a notification has no deadline"),
            Some(seconds) if !(1..=limits::TIMEOUT_SECONDS).contains(seconds) => faults.add(
                &path,
                format!(
                    "must be from 1 to {} (400 days), or null for never",
                    limits::TIMEOUT_SECONDS
                ),
            ),
            _ => {}
        }
    }
    let profile = Profile {
        name,
        slack_channel: channel,
        timeouts: profile.timeouts,
    };
    faults.into_result(profile).map_err(Refused::Invalid)
}
