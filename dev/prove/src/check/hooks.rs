//! What webhooks and agents that are called back were told, held against the journal.

use std::collections::{HashMap, HashSet};

use super::audit::Journal;
use super::{Promise, Violation};
use crate::world::receiver::Heard;

/// What one receiver is owed: an event of an interaction, by its type.
pub(crate) type Owed = HashSet<(String, String)>;

/// What has not come yet.
pub(crate) fn missing(heard: &[Heard], owed: &Owed) -> Vec<(String, String)> {
    let came: HashSet<(&str, &str)> = heard
        .iter()
        .map(|one| (&*one.interaction, &*one.event))
        .collect();
    let missing = owed
        .iter()
        .filter(|(id, event)| !came.contains(&(&**id, &**event)));
    missing.cloned().collect()
}

pub(crate) fn check(name: &str, heard: &[Heard], owed: &Owed, journal: &Journal) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut broken = |promise: Promise, id: &str, what: String| {
        found.push(promise.broken(Some(id), format!("{name}: {what}")));
    };
    let mut ids: HashMap<(&str, &str), HashSet<&str>> = HashMap::new();
    let mut bodies: HashMap<&str, HashSet<[u8; 32]>> = HashMap::new();
    for one in heard {
        let (id, event) = (&*one.interaction, &*one.event);
        ids.entry((id, event)).or_default().insert(&one.id);
        bodies.entry(&one.id).or_default().insert(one.digest);
        if !one.is_signed {
            broken(
                Promise::DeliveryForged,
                id,
                format!("{event} has no signature that holds"),
            );
        }
        if !owed.contains(&(one.interaction.clone(), one.event.clone())) {
            broken(
                Promise::DeliveryInvented,
                id,
                format!("{event} was told and did not happen"),
            );
            continue;
        }
        let ending = journal
            .interactions
            .get(id)
            .and_then(|one| one.endings.first());
        if let Some((kind, ending)) = ending.filter(|(kind, _)| kind == event) {
            let is_so = one.outcome.as_ref() == Some(&ending.outcome)
                && one.by == ending.by
                && one.said == ending.said;
            if !is_so {
                let told = format!("{:?} by {:?} {}", one.outcome, one.by, one.said);
                broken(
                    Promise::DeliveryChanged,
                    id,
                    format!("{kind} was told as {told}, and was {ending:?}"),
                );
            }
        }
    }
    for ((id, event), under) in ids {
        if under.len() > 1 {
            broken(
                Promise::DeliveryUnderTwoIds,
                id,
                format!("{event} came under {under:?}"),
            );
        }
    }
    for (id, bodies) in bodies {
        if bodies.len() > 1 {
            broken(
                Promise::DeliveryChanged,
                id,
                "different bodies came under this id".to_owned(),
            );
        }
    }
    for (id, event) in missing(heard, owed) {
        broken(Promise::DeliveryLost, &id, format!("{event} never came"));
    }
    found
}
