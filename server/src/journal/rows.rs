//! Holding what is stored of every interaction against the journal: a row that says something else than its events was
//! changed behind the program's back.

use std::{collections::BTreeSet, fmt};

use domain::{Interaction, InteractionId, State};
use store::Store;

/// How many rows are read at a time.
const PAGE: u32 = 20;
/// How many are named; after that it is clear that something is wrong.
const NAMED: usize = 20;

/// A row that does not say what its events say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Which row: an interaction's id, or what it is of.
    pub what: String,
    /// The difference.
    pub how: String,
}

/// All rows that do not say what their events say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RowsDiffer(pub Vec<Differs>);

impl fmt::Display for RowsDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(
            f,
            "the journal itself holds, but {count} of what stands beside it is not what it says:"
        )?;
        for Differs { what, how } in self.0.iter().take(NAMED) {
            write!(f, "\n  {what}: {how}")?;
        }
        match count.saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// Replays every interaction from its events and compares it with its row. `opened` are those that the journal has
/// seen opened.
///
/// # Errors
/// When the database cannot be read.
pub(super) async fn compare(
    store: &dyn Store,
    mut opened: BTreeSet<InteractionId>,
) -> anyhow::Result<Vec<Differs>> {
    let mut differ = Vec::new();
    let mut last = None;
    loop {
        let rows = store.stored_after(last, PAGE).await?;
        let Some(end) = rows.last() else { break };
        let end = end.id;
        for stray in store.strays_after(last, PAGE).await? {
            differ.push(Differs {
                what: stray.to_string(),
                how: "the columns by which it is found say something else than its content"
                    .to_owned(),
            });
        }
        for row in rows {
            let id = row.id;
            opened.remove(&id);
            if let Some(how) = difference(store, row, last).await? {
                differ.push(Differs {
                    what: id.to_string(),
                    how,
                });
            }
            last = Some(id);
        }
        last = Some(end);
    }
    let missing = opened.into_iter().map(|id| Differs {
        what: id.to_string(),
        how: "its row is gone".to_owned(),
    });
    differ.extend(missing);
    Ok(differ)
}

/// The difference. The row is read again as long as its events are ahead of it: a server may be at work.
async fn difference(
    store: &dyn Store,
    mut row: Interaction,
    before: Option<InteractionId>,
) -> anyhow::Result<Option<String>> {
    loop {
        let events = store::history_of(store, row.id, i64::MAX).await?;
        let Some(told) = Interaction::replay(&events) else {
            return Ok(Some("no event has opened it".to_owned()));
        };
        let told = told.with_team_as_in(&row);
        let ends = events.iter().filter(|event| event.payload.closes()).count();
        if ends > 1 {
            return Ok(Some("it has ended more than once".to_owned()));
        }
        if told.erased.is_some() && told != told.without_words() {
            return Ok(Some(
                "an event says that it was erased, and words of it are still there".to_owned(),
            ));
        }
        if told == row {
            return Ok(None);
        }
        let again = store.stored_after(before, 1).await?.into_iter().next();
        match again {
            Some(again) if again.id == row.id && again.version > row.version => row = again,
            _ => return Ok(Some(how(&row, &told))),
        }
    }
}

fn how(row: &Interaction, told: &Interaction) -> String {
    if row.state != told.state {
        let (row, told) = (word(&row.state), word(&told.state));
        return match row == told {
            true => {
                format!("its row says {row} with other words or another receipt than its events")
            }
            false => format!("its row says {row}, its events say {told}"),
        };
    }
    let parts = [
        ("what was asked", row.request != told.request),
        ("whether it was erased", row.erased != told.erased),
        ("who asked", row.agent != told.agent),
        ("the team", row.team != told.team),
        ("when it was asked", row.created_at != told.created_at),
        ("the deadline", row.expires_at != told.expires_at),
        (
            "when it was picked up",
            row.collected_at != told.collected_at,
        ),
        ("the run", row.consumed != told.consumed),
        ("the report", row.report != told.report),
        ("the callback", row.callback != told.callback),
        ("the card", row.card != told.card),
        ("the follow-ups", row.follow_ups != told.follow_ups),
    ];
    let parts = parts.into_iter().filter(|(_, differs)| *differs);
    let parts: Vec<_> = parts.map(|(name, _)| name).collect();
    match parts.is_empty() {
        true => format!(
            "its row is version {}, its events make {}",
            row.version, told.version
        ),
        false => format!("its row and its events differ in {}", parts.join(", ")),
    }
}

fn word(state: &State) -> &'static str {
    state
        .outcome()
        .map_or("pending", domain::interaction::Outcome::name)
}
