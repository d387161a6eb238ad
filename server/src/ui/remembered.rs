//! What is shown of earlier answers and earlier approvals: what was answered to questions like the one that waits;
//! whether an answer may stand for the same question; and the grant that a person is offered, once.

use app::view::{AnsweredBefore, Blocker, BlockerStatus, SuggestionView};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{Interaction, Principal, decide, interaction::AnswerContent};
use visible::{isolated, unhidden};

use super::{backend::ForPerson, blocker::persons_answer, story::day_of};

/// Days are called by their names for so long.
const NAMED: TimeDelta = TimeDelta::days(7);

impl ForPerson {
    /// Only the dialog shows it: what is offered there counts as offered. Nobody waits for it, so that a question is there to
    /// be decided where it cannot be had.
    pub(super) async fn add_what_is_remembered(
        &self,
        blocker: &mut Blocker,
        interaction: &Interaction,
        by: &Principal,
    ) {
        let service = &self.state.service;
        if let BlockerStatus::Closed(ending) = &mut blocker.status {
            ending.may_stand = decide::memory::can_be_kept(interaction, by);
        } else if blocker.may_answer {
            blocker.answered_before = self.answered_before(interaction, by).await;
        }
        match service.suggestion(interaction, by).await {
            Ok(suggestion) => {
                blocker.suggestion = suggestion.and_then(|(from, suggestion)| {
                    Some(SuggestionView {
                        from,
                        count: suggestion.count,
                        since: day_of(suggestion.since),
                        matcher: suggestion.matcher.digest().ok()?,
                    })
                });
            }
            Err(error) => {
                tracing::error!(%error, interaction.id = %interaction.id, "no grant is offered");
            }
        }
    }

    /// What was answered to questions like this one, for a person who may answer it. Nothing where it cannot be had.
    pub(super) async fn answered_before(
        &self,
        interaction: &Interaction,
        by: &Principal,
    ) -> Vec<AnsweredBefore> {
        let service = &self.state.service;
        match service.earlier_answers(interaction, by).await {
            Ok(found) => {
                let now = service.now();
                let found = found.iter();
                found
                    .filter_map(|one| answered_before(interaction, one, now))
                    .collect()
            }
            Err(error) => {
                tracing::error!(%error, interaction.id = %interaction.id, "earlier answers are not shown");
                Vec::new()
            }
        }
    }
}

fn answered_before(
    asked: &Interaction,
    earlier: &Interaction,
    now: DateTime<Utc>,
) -> Option<AnsweredBefore> {
    let answer = earlier.answer()?;
    let is_same = earlier.request.repeatable() == asked.request.repeatable();
    let (text, values) = match answer {
        AnswerContent::Selected { selected } => (String::new(), selected.clone()),
        AnswerContent::Text { text } => (text.clone(), Vec::new()),
        _ => return None,
    };
    let harmless = |text: &str| isolated(&unhidden(text));
    Some(AnsweredBefore {
        id: earlier.id,
        by: earlier.state.closed_by().unwrap_or("Somebody").to_owned(),
        day: day(earlier.state.closed_at()?, now),
        question: (!is_same).then(|| harmless(&earlier.request.prompt)),
        shown: harmless(&persons_answer(answer, &earlier.request.ask)),
        text,
        values,
    })
}

/// When, as a person says it.
fn day(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    if at.date_naive() == now.date_naive() {
        return "today".to_owned();
    }
    let words = match now - at < NAMED {
        true => at.format("on %A"),
        false => at.format("on %-d %B %Y"),
    };
    words.to_string()
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn a_day_is_called_as_people_call_it() {
        let now = "2026-11-27T02:00:00Z".parse().unwrap();
        for (at, words) in [
            ("2026-11-27T01:59:00Z", "today"),
            ("2026-11-26T23:59:00Z", "on Thursday"),
            ("2026-11-20T03:00:00Z", "on Friday"),
            ("2026-11-20T01:00:00Z", "on 20 November 2026"),
            ("2025-03-03T12:00:00Z", "on 3 March 2025"),
        ] {
            assert_eq!(day(at.parse().unwrap(), now), words, "{at}");
        }
    }
}
