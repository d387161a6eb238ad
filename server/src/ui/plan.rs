//! A plan among its versions: what is different from the one before, and what became of what was said of that.

use std::ops::RangeInclusive;

use app::{
    error::UiError,
    view::{CommentThen, Control, PlanBefore, PlanThen, PlanVersions},
};
use domain::{
    Interaction,
    interaction::{AnswerContent, Ask, Became, Comment, Outcome, Pair},
};
use service::{Before, PlanPlace};
use visible::shape;

use super::{
    action,
    backend::{ForPerson, told},
    blocker::made,
};

/// A plan of more lines is not listed to pick from.
const LISTED: usize = 2_000;
/// As many lines of a long comment are shown, and as much of all of them, in bytes: each of many may be on all of a plan.
const QUOTED: usize = 12;
const QUOTED_BYTES: usize = 64 * 1024;

/// A plan's lines with their numbers, as comments count them.
pub(super) fn listed(plan: &str) -> Option<String> {
    let lines: Vec<&str> = plan.lines().collect();
    (lines.len() <= LISTED).then(|| action::numbered(&lines, 1))
}

impl ForPerson {
    /// The control with the other versions of the plan, if it is about one that has any.
    pub(super) async fn with_versions(
        &self,
        control: Control,
        interaction: &Interaction,
    ) -> Result<Control, UiError> {
        let (
            Control::Decide {
                plan_html,
                digest,
                lines,
                source_html,
                versions: _,
            },
            Ask::PlanReview { plan, .. },
        ) = (&control, &interaction.request.ask)
        else {
            return Ok(control);
        };
        let principal = self.principal()?;
        let place = self.state.service.plan_place(interaction, &principal).await;
        let PlanPlace {
            number,
            before,
            newer,
        } = place.map_err(told)?;
        if before.is_none() && newer.is_none() {
            return Ok(control);
        }
        let before = match before {
            Some(before) => Some(PlanBefore {
                number: number.saturating_sub(1),
                shown: shown(before, plan.clone()).await?,
            }),
            None => None,
        };
        Ok(Control::Decide {
            plan_html: plan_html.clone(),
            digest: digest.clone(),
            lines: *lines,
            source_html: source_html.clone(),
            versions: Some(Box::new(PlanVersions {
                number,
                before,
                newer,
            })),
        })
    }
}

async fn shown(before: Before, plan: String) -> Result<Result<Box<PlanThen>, String>, UiError> {
    let why = match before {
        Before::Shown(before) => {
            return Ok(Ok(Box::new(made(move || compared(&before, &plan)).await?)));
        }
        Before::OfAnotherTeam => {
            "The version before belongs to another team by now, so it is not compared."
        }
        Before::Erased => "The version before was erased, so there is nothing to compare with.",
        Before::Altered => {
            "The version before is not as it was asked, so it is not compared. Tell whoever runs the server."
        }
    };
    Ok(Err(why.to_owned()))
}

/// The version before, held against the plan.
fn compared(before: &Interaction, plan: &str) -> PlanThen {
    let then = match &before.request.ask {
        Ask::PlanReview { plan, .. } => plan.as_str(),
        _ => "",
    };
    let change = shape::revised(then, plan);
    let pairs = change.pairs();
    let mut room = QUOTED_BYTES;
    let (feedback, comments) = match before.answer() {
        Some(AnswerContent::Plan {
            feedback, comments, ..
        }) => (feedback.clone(), comments.as_slice()),
        _ => (None, &[][..]),
    };
    PlanThen {
        id: before.id,
        // One that has just passed its deadline is over, whether or not the job has come by.
        outcome: before.state.outcome().unwrap_or(Outcome::Expired),
        by: before.state.closed_by().map(str::to_owned),
        summary: change.summary(),
        difference_html: (!change.is_none()).then(|| action::difference(&change)),
        feedback: feedback.filter(|text| !text.trim().is_empty()),
        comments: comments
            .iter()
            .map(|comment| said(comment, then, plan, &pairs, &mut room))
            .collect(),
    }
}

fn said(
    comment: &Comment,
    then: &str,
    plan: &str,
    pairs: &[Pair],
    room: &mut usize,
) -> CommentThen {
    let became = Became::of(&comment.lines(), pairs);
    let now = match &became {
        Became::Changed { now } => Some(now),
        Became::Stayed { .. } | Became::Gone => None,
    };
    CommentThen {
        place: comment.place(),
        became: became.in_words(),
        was_html: quoted(then, &comment.lines(), room),
        now_html: now.and_then(|now| quoted(plan, now, room)),
        text: comment.text.clone(),
    }
}

/// These lines, while there is room for them.
fn quoted(plan: &str, lines: &RangeInclusive<usize>, room: &mut usize) -> Option<String> {
    let first = *lines.start();
    let skipped = plan.lines().skip(first.saturating_sub(1));
    let quoted = skipped.take(lines.clone().count().min(QUOTED));
    let quoted: Vec<&str> = quoted.collect();
    let html = action::numbered(&quoted, first);
    *room = room.checked_sub(html.len())?;
    Some(html)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::html_text::text_of;

    #[test]
    fn lines_are_listed_as_comments_count_them() {
        let html = listed("# A\r\n\r\n1. b\n").unwrap();
        assert_eq!(html.matches("data-n=").count(), 3, "{html}");
        assert!(html.contains("data-n=\"3\"><span>1. b"), "{html}");
        assert!(!html.contains("data-n=\"4\""), "{html}");
        assert_eq!(listed(&"x\n".repeat(LISTED + 1)), None);
    }

    #[test]
    fn what_was_said_stands_with_its_lines_and_with_what_stands_there_now() {
        let (then, now) = (
            "1. Test\n2. Deploy on Friday",
            "1. Test\n2. Deploy on Monday",
        );
        let pairs = shape::revised(then, now).pairs();
        let comment = Comment {
            line: 2,
            to_line: None,
            text: "Not on a Friday".into(),
        };
        let mut room = QUOTED_BYTES;
        let shown = said(&comment, then, now, &pairs, &mut room);
        assert_eq!(
            (shown.place.as_str(), shown.became.as_str()),
            ("Line 2", "Changed: now line 2")
        );
        assert!(text_of(&shown.was_html.unwrap()).contains("2. Deploy on Friday"));
        assert!(text_of(&shown.now_html.unwrap()).contains("2. Deploy on Monday"));
        let above = Comment { line: 1, ..comment };
        let shown = said(&above, then, now, &pairs, &mut room);
        assert_eq!(shown.became, "Unchanged: line 1");
        assert_eq!(shown.now_html, None);
        let shown = said(&above, then, now, &pairs, &mut 10);
        assert_eq!(
            (shown.was_html, shown.became.as_str()),
            (None, "Unchanged: line 1")
        );
    }
}
