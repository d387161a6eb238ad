//! The agent reports the result.

use super::not_erased;
use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    fault::Faults,
    ids::Moment,
    interaction::{Interaction, Report, ReportDraft},
    limits,
    principal::{Actor, AgentRef},
    refused::Refused,
};

/// The agent that asked reports the result of the answer, once.
///
/// # Errors
/// [`Refused::NotYours`], [`Refused::Invalid`], [`Refused::StillPending`], [`Refused::Erased`]; [`Refused::NotApproved`] for an approval
/// that is none; [`Refused::Unchanged`] when it has said exactly this, [`Refused::AlreadyReported`] when it has said
/// something else.
pub fn report(
    interaction: &Interaction,
    agent: &AgentRef,
    said: ReportDraft,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if agent.id != interaction.agent.id {
        return Err(Refused::NotYours);
    }
    let ReportDraft { outcome, text } = said;
    let mut faults = Faults::default();
    if let Some(text) = &text {
        faults.length("text", text, limits::REPORT_CHARS);
    }
    faults.into_result(()).map_err(Refused::Invalid)?;
    if interaction.state.is_pending() {
        return Err(Refused::StillPending);
    }
    not_erased(interaction)?;
    if interaction.approved() == Some(false) {
        return Err(Refused::NotApproved);
    }
    if let Some(report) = &interaction.report {
        let same = report.outcome == outcome && report.text == text;
        return Err(if same {
            Refused::Unchanged
        } else {
            Refused::AlreadyReported { at: report.at }
        });
    }
    let next = Interaction {
        report: Some(Report {
            outcome,
            text: text.clone(),
            at: now.at,
        }),
        collected_at: interaction.collected_at.or(Some(now.at)),
        ..interaction.clone()
    };
    let actor = Actor::Agent(agent.clone());
    let payload = InteractionEvent::Reported { outcome, text };
    Ok(advance(next, actor, payload, now))
}
