//! Holding ladders and quiet hours against the journal: who is told when nobody answers is for admins to say, and nobody is
//! left alone who has not said so.

use std::collections::BTreeMap;

use domain::{
    LadderEvent, PersonId, TeamEvent, TeamId,
    ladder::{Ladder, Quiet},
};
use store::Store;

use super::rows::Differs;

/// Ladders and quiet hours, as the journal tells of them.
#[derive(Debug, Default)]
pub(super) struct KnownLadders {
    /// That of everyone has no team.
    ladders: BTreeMap<Option<TeamId>, Ladder>,
    quiet: BTreeMap<PersonId, Quiet>,
}

impl KnownLadders {
    pub(super) fn take(&mut self, event: LadderEvent) {
        match event {
            LadderEvent::Set { team, ladder } => {
                self.ladders.insert(team.map(|team| team.id), ladder);
            }
            LadderEvent::Cleared { team } => {
                self.ladders.remove(&team.map(|team| team.id));
            }
            LadderEvent::QuietHoursSet { person, quiet } => {
                match quiet {
                    Some(quiet) => self.quiet.insert(person.id, quiet),
                    None => self.quiet.remove(&person.id),
                };
            }
        }
    }

    /// A team's goes with it.
    pub(super) fn end_of_team(&mut self, event: &TeamEvent) {
        if let TeamEvent::Deleted(team) = event {
            self.ladders.remove(&Some(team.id));
        }
    }

    /// The rows that are not as their events say.
    pub(super) async fn compare(&self, store: &dyn Store) -> anyhow::Result<Vec<Differs>> {
        let mut differ = Vec::new();
        let ladders: BTreeMap<_, _> = store.ladders().await?.into_iter().collect();
        if ladders != self.ladders {
            differ.push(Differs {
                what: "how silence climbs".to_owned(),
                how: "a ladder is other than the events say".to_owned(),
            });
        }
        let quiet: BTreeMap<_, _> = store.all_quiet_hours().await?.into_iter().collect();
        if quiet != self.quiet {
            differ.push(Differs {
                what: "quiet hours".to_owned(),
                how: "somebody's are other than the events say".to_owned(),
            });
        }
        Ok(differ)
    }
}
