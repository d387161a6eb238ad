//! The desk, the pure function that keeps it true, and what travels over the socket for it.

pub mod frames;
pub mod narrowing;
pub mod place;

use chrono::{DateTime, Utc};
use domain::interaction::{Mode, Outcome};
use serde::{Deserialize, Serialize};

use self::frames::Change;
use crate::view::{ClosedRow, Counts, Row, SnoozedRow};

/// How many rows of each list a desk holds.
pub const WAITING_ROWS: u32 = 500;
/// How many rows come with a page: what is on a large screen, and a little more. The page reads the rest when it runs.
pub const FIRST_ROWS: u32 = 40;
/// See [`WAITING_ROWS`].
pub const RECENT_ROWS: u32 = 20;

/// The blockers that wait and those that were closed lately, as of one point in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Desk {
    /// The last event this desk knows of.
    pub last_seq: i64,
    /// The server's time when it was read.
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub as_of: DateTime<Utc>,
    /// Sync before async, urgent before normal, then oldest first.
    pub waiting: Vec<Row>,
    /// How many more wait than `waiting` holds.
    pub more_waiting: usize,
    /// Last closed, or told, first.
    pub recent: Vec<ClosedRow>,
    /// The counts of the last 24 hours.
    pub counts: Counts,
    /// What the person whose desk it is has snoozed: it waits, and is not in their list.
    #[serde(default)]
    pub snoozed: Vec<SnoozedRow>,
}

impl Desk {
    /// Takes in one event. Events the desk already knows change nothing, so a feed may repeat itself.
    /// Returns whether it was news.
    pub fn apply(&mut self, seq: i64, change: Change) -> bool {
        if seq <= self.last_seq {
            return false;
        }
        self.last_seq = seq;
        match change {
            Change::Asked { row } => {
                // A desk is read a moment after its `last_seq`, so the row may be there already.
                if self.waiting.iter().all(|known| known.id != row.id) {
                    self.counts.asked += 1;
                    let place = self
                        .waiting
                        .partition_point(|known| order(known) <= order(&row));
                    // Behind the last row there may be others that this desk does not hold.
                    if self.more_waiting == 0 || place < self.waiting.len() {
                        self.waiting.insert(place, row);
                    } else {
                        self.more_waiting += 1;
                    }
                }
            }
            Change::Closed { id, closure } => {
                // Read between the two lists of a desk, it may be in the second already.
                let known = self.recent.iter().any(|closed| closed.row.id == id);
                if let Some(place) = self.waiting.iter().position(|row| row.id == id) {
                    let mut row = self.waiting.remove(place);
                    row.claim = None;
                    if known {
                        return true;
                    }
                    match closure.outcome {
                        Outcome::Expired | Outcome::Fallback => self.counts.expired += 1,
                        Outcome::Cancelled => self.counts.cancelled += 1,
                        _ => self.counts.answered += 1,
                    }
                    self.lately(ClosedRow {
                        row,
                        closure,
                        collected_at: None,
                        callback: None,
                        follow_ups: 0,
                    });
                } else if !known {
                    self.more_waiting = self.more_waiting.saturating_sub(1);
                }
            }
            Change::Progressed {
                id,
                answered,
                claimant,
            } => {
                if let Some(row) = self.waiting.iter_mut().find(|row| row.id == id) {
                    if let Some(progress) = &mut row.progress {
                        progress.answered = answered;
                    }
                    if claimant.is_some() && row.claimant == claimant {
                        (row.claim, row.claimant) = (None, None);
                    }
                }
            }
            Change::Claimed { id, name, claimant } => {
                if let Some(row) = self.waiting.iter_mut().find(|row| row.id == id) {
                    (row.claim, row.claimant) = (name, claimant);
                }
            }
            Change::HandedOver { id, name } => {
                if let Some(row) = self.waiting.iter_mut().find(|row| row.id == id) {
                    (row.to, row.claim, row.claimant) = (name, None, None);
                }
            }
            Change::Told { told } => {
                if self.recent.iter().all(|known| known.row.id != told.row.id) {
                    self.lately(told);
                }
            }
            Change::Collected { id, at } => {
                if let Some(closed) = self.recent.iter_mut().find(|closed| closed.row.id == id) {
                    closed.collected_at.get_or_insert(at);
                }
            }
            Change::CalledBack { id, callback } => {
                if let Some(closed) = self.recent.iter_mut().find(|closed| closed.row.id == id) {
                    closed.callback = Some(callback);
                }
            }
            Change::FollowedUp { id } => {
                if let Some(closed) = self.recent.iter_mut().find(|closed| closed.row.id == id) {
                    closed.follow_ups += 1;
                }
            }
            Change::Erased { id, preview } => {
                if let Some(closed) = self.recent.iter_mut().find(|closed| closed.row.id == id) {
                    closed.row.preview = preview;
                    (closed.row.about, closed.closure.answer) = (None, None);
                    (closed.row.session_id, closed.row.fingerprint) = (None, None);
                }
            }
            Change::Other => {}
        }
        true
    }

    /// Whether its person has snoozed it.
    pub fn is_snoozed(&self, id: domain::InteractionId) -> bool {
        self.snoozed.iter().any(|(snoozed, _)| *snoozed == id)
    }

    /// Whether so many rows have gone that those it does not hold should be read.
    pub fn runs_out(&self) -> bool {
        self.more_waiting > 0 && self.waiting.len() < WAITING_ROWS as usize / 2
    }

    /// How many wait in all, without those that its person has snoozed.
    pub fn count_waiting(&self) -> usize {
        let snoozed = |row: &&Row| self.is_snoozed(row.id);
        let snoozed = self.waiting.iter().filter(snoozed).count();
        self.waiting.len() - snoozed + self.more_waiting
    }

    /// Whether no agent has ever asked or told anything.
    pub fn is_untouched(&self) -> bool {
        self.waiting.is_empty() && self.recent.is_empty()
    }

    fn lately(&mut self, closed: ClosedRow) {
        self.recent.insert(0, closed);
        self.recent.truncate(RECENT_ROWS as usize);
    }
}

/// The order people should see blockers in. Ids grow with time.
fn order(row: &Row) -> (bool, bool, domain::InteractionId) {
    (row.mode != Mode::Sync, !row.urgent, row.id)
}

#[cfg(test)]
pub(crate) mod tests {
    use chrono::DateTime;
    use domain::{InteractionId, interaction::Kind};

    use super::*;
    use crate::view::Closure;

    pub(crate) fn row(id: u128, mode: Mode, urgent: bool) -> Row {
        Row {
            id: InteractionId(uuid::Uuid::from_u128(id)),
            kind: Kind::Question,
            mode,
            urgent,
            agent: "backend".into(),
            team: None,
            session_id: None,
            task_id: None,
            preview: "Which port?".into(),
            about: None,
            fingerprint: None,
            progress: None,
            level: None,
            claim: None,
            claimant: None,
            offline: false,
            to: None,
            created_at: DateTime::UNIX_EPOCH,
            expires_at: None,
        }
    }

    pub(crate) fn closed_row(id: u128) -> ClosedRow {
        ClosedRow {
            row: row(id, Mode::Async, false),
            closure: Closure {
                outcome: Outcome::Answered,
                by: Some("Ana".into()),
                at: DateTime::UNIX_EPOCH,
                answer: None,
            },
            collected_at: None,
            callback: None,
            follow_ups: 0,
        }
    }

    fn asked(id: u128, mode: Mode, urgent: bool) -> Change {
        Change::Asked {
            row: row(id, mode, urgent),
        }
    }

    fn closed(id: u128) -> Change {
        Change::Closed {
            id: InteractionId(uuid::Uuid::from_u128(id)),
            closure: closed_row(id).closure,
        }
    }

    fn ids(desk: &Desk) -> Vec<u128> {
        let ids = desk.waiting.iter().map(|row| row.id.0.as_u128());
        ids.collect()
    }

    #[test]
    fn of_what_is_erased_no_word_stays_on_the_desk() {
        let mut one = closed_row(1);
        one.row.session_id = Some("xyzzy".into());
        one.row.about = Some("xyzzy".into());
        one.row.preview = "xyzzy".into();
        one.row.fingerprint = Some(domain::Fingerprint(uuid::Uuid::from_u128(9)));
        one.closure.answer = Some("xyzzy".into());
        let mut desk = Desk {
            recent: vec![one, closed_row(2)],
            ..Desk::default()
        };
        let erased = Change::Erased {
            id: InteractionId(uuid::Uuid::from_u128(1)),
            preview: "Erased by Ana".into(),
        };
        assert!(desk.apply(1, erased));
        assert!(!format!("{:?}", desk.recent).contains("xyzzy"));
        assert_eq!(desk.recent[0].row.fingerprint, None);
        assert_eq!(desk.recent[0].row.preview, "Erased by Ana");
        assert_eq!(desk.recent[1], closed_row(2));
    }

    #[test]
    fn a_desk_is_untouched_until_an_agent_asks() {
        let mut desk = Desk::default();
        // A person was invited.
        desk.apply(1, Change::Other);
        assert!(desk.is_untouched());
        desk.apply(2, asked(1, Mode::Sync, false));
        assert!(!desk.is_untouched());
        desk.apply(3, closed(1));
        assert!(!desk.is_untouched());
    }

    #[test]
    fn rows_find_their_place() {
        let mut desk = Desk::default();
        desk.apply(1, asked(1, Mode::Async, false));
        desk.apply(2, asked(2, Mode::Async, true));
        desk.apply(3, asked(3, Mode::Sync, false));
        desk.apply(4, asked(4, Mode::Sync, false));
        desk.apply(5, asked(5, Mode::Sync, true));
        assert_eq!(ids(&desk), [5, 3, 4, 2, 1]);
    }

    #[test]
    fn a_row_says_who_is_on_it_and_whom_it_is_for_while_it_waits() {
        let id = InteractionId(uuid::Uuid::from_u128(1));
        let claimed = |name: Option<&str>| Change::Claimed {
            id,
            name: name.map(str::to_owned),
            claimant: None,
        };
        let mut desk = Desk::default();
        desk.apply(1, asked(1, Mode::Sync, false));
        desk.apply(2, claimed(Some("Ana")));
        assert_eq!(desk.waiting[0].claim.as_deref(), Some("Ana"));
        let to_ben = Change::HandedOver {
            id,
            name: Some("Ben".into()),
        };
        desk.apply(3, to_ben);
        let row = &desk.waiting[0];
        assert_eq!(
            (row.claim.as_deref(), row.to.as_deref()),
            (None, Some("Ben"))
        );
        desk.apply(4, claimed(Some("Ben")));
        desk.apply(5, claimed(None));
        assert_eq!(desk.waiting[0].claim, None);
        let me = domain::PersonId(uuid::Uuid::from_u128(7));
        let ran_out = Change::Claimed {
            id,
            name: None,
            claimant: Some(me),
        };
        desk.apply(6, ran_out);
        assert_eq!(desk.waiting[0].claimant, Some(me));
        let to_team = Change::HandedOver { id, name: None };
        desk.apply(7, to_team);
        assert_eq!(desk.waiting[0].claimant, None);
        desk.apply(8, claimed(Some("Ben")));
        desk.apply(9, closed(1));
        assert_eq!(desk.recent[0].row.claim, None);
    }

    #[test]
    fn a_repeated_feed_changes_nothing() {
        let feed = [
            asked(1, Mode::Sync, false),
            closed(1),
            asked(2, Mode::Sync, false),
        ];
        let mut desk = Desk::default();
        for (seq, change) in (1..).zip(feed.clone()) {
            assert!(desk.apply(seq, change));
        }
        let before = desk.clone();
        for (seq, change) in (1..).zip(feed) {
            assert!(!desk.apply(seq, change));
        }
        assert_eq!(desk, before);
    }

    #[test]
    fn a_row_read_ahead_of_its_event_is_not_doubled() {
        let mut desk = Desk {
            waiting: vec![row(1, Mode::Sync, false)],
            ..Desk::default()
        };
        desk.apply(1, asked(1, Mode::Sync, false));
        assert_eq!(ids(&desk), [1]);
    }

    #[test]
    fn a_row_read_from_both_lists_is_not_doubled() {
        let mut desk = Desk {
            waiting: vec![row(1, Mode::Sync, false)],
            ..Desk::default()
        };
        desk.apply(1, closed(1));
        let mut again = Desk {
            waiting: vec![row(1, Mode::Sync, false)],
            recent: desk.recent.clone(),
            ..Desk::default()
        };
        again.apply(1, closed(1));
        assert_eq!((again.waiting.len(), again.recent.len()), (0, 1));
    }

    #[test]
    fn what_is_closed_moves_to_recent() {
        let mut desk = Desk::default();
        for id in 1..=30 {
            desk.apply(id, asked(id as u128, Mode::Sync, false));
        }
        for id in 1..=25 {
            desk.apply(30 + id, closed(id as u128));
        }
        assert_eq!(ids(&desk), [26, 27, 28, 29, 30]);
        assert_eq!(desk.recent.len(), RECENT_ROWS as usize);
        assert_eq!(desk.recent[0].row.id.0.as_u128(), 25);
        desk.apply(100, closed(999));
        assert_eq!(desk.last_seq, 100);
    }
}
