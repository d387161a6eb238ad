//! Who is on a blocker, and whom it is for, as the person who is signed in sees and changes it.

use app::{
    backend::AroundPages,
    error::UiError,
    view::{Around, ClaimView, harmless},
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction, InteractionId, PersonId,
    interaction::{AgentPresence, Counted, HandTo, Whom},
    limits, time,
};

use super::backend::{ForPerson, failed, told};

impl ForPerson {
    /// What stands around a blocker; nothing when it is closed.
    pub(super) async fn around(&self, interaction: &Interaction) -> Result<Around, UiError> {
        if !interaction.state.is_pending() {
            return Ok(Around::default());
        }
        let me = self.who()?.person.id;
        let service = &self.state.service;
        let claim = interaction.claim_at(service.now());
        let receivers = service.receivers(interaction, &self.principal()?).await;
        let receivers = receivers.map_err(told)?;
        let snoozed = service.snoozed(me).await.map_err(failed)?;
        let snoozed = snoozed.iter().find(|one| one.interaction == interaction.id);
        let presence = service.agent_presence(interaction).await.map_err(told)?;
        let handed = interaction.to.as_ref().and_then(|to| to.handed.as_ref());
        Ok(Around {
            claim: claim.map(|claim| ClaimView {
                by: harmless(&claim.by.name),
                by_you: claim.by.id == me.0,
                until: claim.until,
            }),
            policies: policies(interaction),
            approvals: approvals(interaction, me),
            meant_for: meant_for(interaction, me),
            offline: presence.and_then(|it| offline(it, service.now())),
            why: handed.and_then(|handed| handed.why.as_deref().map(harmless)),
            snoozed_until: snoozed.map(|one| one.until),
            people: receivers
                .people
                .into_iter()
                .map(|person| (format!("person:{}", person.id), harmless(&person.name)))
                .collect(),
            teams: receivers
                .teams
                .into_iter()
                .map(|team| (format!("team:{}", team.id), harmless(&team.name)))
                .collect(),
        })
    }
}

/// That its agent is offline, if it is, as a sentence.
pub(super) fn offline(presence: AgentPresence, now: DateTime<Utc>) -> Option<String> {
    presence.offline.then(|| {
        format!(
            "The asking agent is offline: nothing was heard of it for {}. It can still come and ask.",
            time::words(now - presence.seen_at)
        )
    })
}

/// What the policies say of it, a sentence for each rule: people see it before they decide (rule 14).
pub(super) fn policies(interaction: &Interaction) -> Option<String> {
    let pending = interaction.state.is_pending();
    let ruled = interaction.ruled().filter(|_| pending)?;
    let mut lines: Vec<String> = Vec::new();
    if ruled.destructive {
        lines.push("A policy says that this is destructive.".to_owned());
    }
    lines.extend(ruled.lines().iter().map(|line| harmless(line)));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How many people have to approve it, and who has, as sentences.
pub(super) fn approvals(interaction: &Interaction, me: PersonId) -> Option<String> {
    let quorum = interaction
        .quorum()
        .filter(|_| interaction.state.is_pending())?;
    let names = interaction
        .votes()
        .iter()
        .map(|vote| match vote.responder.id {
            id if id == me.0 => "you".to_owned(),
            _ => harmless(&vote.responder.name),
        });
    let names: Vec<String> = names.collect();
    let mut words = match (quorum.needed, quorum.of) {
        (1, Counted::Anyone) => String::new(),
        (1, Counted::Team) => "A member of the team has to approve it. ".to_owned(),
        (needed, Counted::Anyone) => format!("{needed} people have to approve it. "),
        (needed, Counted::Team) => format!("{needed} members of the team have to approve it. "),
    };
    if quorum.four_eyes {
        words.push_str("The owner of the agent does not count. ");
    }
    if !names.is_empty() {
        let more = (quorum.needed as usize).saturating_sub(names.len());
        words.push_str(&format!(
            "Approved by {}; it takes {more} more.",
            listed(&names)
        ));
    }
    let words = words.trim_end();
    (!words.is_empty()).then(|| words.to_owned())
}

/// Names in a row: `Ana, Bo and Cy`.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        one => one.concat(),
    }
}

/// Whom it is for, as a sentence.
pub(super) fn meant_for(interaction: &Interaction, me: PersonId) -> Option<String> {
    let to = interaction.to.as_ref()?;
    let whom = match &to.whom {
        Whom::Person { id, .. } if *id == me => "you".to_owned(),
        Whom::Person { name, .. } => harmless(name),
        Whom::Duty => "the person on duty".to_owned(),
        Whom::Team => "all of the team".to_owned(),
    };
    Some(match &to.handed {
        None => format!("For {whom}: the agent asked for that."),
        Some(handed) if handed.by.id == me.0 => format!("You handed it over to {whom}."),
        Some(handed) => format!("For {whom}: {} handed it over.", harmless(&handed.by.name)),
    })
}

#[async_trait]
impl AroundPages for ForPerson {
    async fn claim(&self, id: InteractionId) -> Result<(), UiError> {
        let by = self.principal()?;
        let claimed = self.state.service.claim(id, limits::CLAIM_MINUTES, &by);
        claimed.await.map(|_| ()).map_err(told)
    }

    async fn release(&self, id: InteractionId) -> Result<(), UiError> {
        let by = self.principal()?;
        let released = self.state.service.release(id, &by).await;
        released.map(|_| ()).map_err(told)
    }

    async fn hand_over(
        &self,
        id: InteractionId,
        to: HandTo,
        why: Option<String>,
    ) -> Result<(), UiError> {
        let by = self.principal()?;
        let handed = self.state.service.hand_over(id, to, why, &by).await;
        handed.map(|_| ()).map_err(told)
    }

    async fn snooze(&self, id: InteractionId, until: DateTime<Utc>) -> Result<(), UiError> {
        let by = self.principal()?;
        let snoozed = self.state.service.snooze(id, until, &by).await;
        snoozed.map(|_| ()).map_err(told)
    }

    async fn snooze_for(&self, id: InteractionId, minutes: i64) -> Result<(), UiError> {
        let span = TimeDelta::try_minutes(minutes).unwrap_or(TimeDelta::MAX);
        let until = self.state.service.now().checked_add_signed(span);
        self.snooze(id, until.unwrap_or(DateTime::<Utc>::MAX_UTC))
            .await
    }

    async fn end_snooze(&self, id: InteractionId) -> Result<(), UiError> {
        let me = self.who()?.person.id;
        let ended = self.state.service.end_snooze(id, me).await;
        ended.map_err(failed)
    }
}
