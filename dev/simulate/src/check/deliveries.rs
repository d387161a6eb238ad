//! Deliveries: each obligation arrives, under one id, and of nothing that is not in the journal.

use std::collections::BTreeMap;

use domain::{
    DeliveryId, DestinationId, Event, InteractionEvent, InteractionId, PersonId,
    delivery::CallbackPlace,
};

use super::{Check, Ledger, rights::Standing};

pub(super) fn judge(ledger: &mut Ledger<'_>) {
    let by_seq: BTreeMap<i64, &Event> = ledger
        .events
        .iter()
        .map(|event| (event.seq, event))
        .collect();
    let mut found = Vec::new();
    for (id, destination, seq) in &ledger.received {
        let is_of = by_seq
            .get(seq)
            .is_some_and(|event| DeliveryId::of(event.id, *destination) == *id);
        if !is_of {
            found.push((
                Check::NothingUncommitted,
                None,
                format!("the delivery {id} tells of event {seq}, which is not in the journal"),
            ));
        }
    }
    for id in ledger.ids() {
        for (event, destination) in owed(ledger, id) {
            let delivery = DeliveryId::of(event.id, destination);
            if !ledger
                .received
                .contains(&(delivery, destination, event.seq))
            {
                let what = format!(
                    "nobody got {delivery}, of event {} ({})",
                    event.seq,
                    event.payload.event_type()
                );
                found.push((Check::OwedIsDelivered, Some(id), what));
            }
        }
    }
    for (check, about, what) in found {
        ledger.found(check, about, what);
    }
}

/// Who has to hear of it, by what was sent and by what the journal says: not by what the outbox has.
fn owed<'a>(ledger: &'a Ledger<'_>, id: InteractionId) -> Vec<(&'a Event, DestinationId)> {
    let mut owed = Vec::new();
    // What is erased before it is sent is sent no more.
    if ledger.is_erased(id) {
        return owed;
    }
    let address = ledger
        .body_of(id)
        .and_then(|body| body["callback_url"].as_str());
    let place = match (address, ledger.request(id)) {
        (Some(address), Some((_, agent, _))) => Some(CallbackPlace::of(agent.id, address).id()),
        _ => None,
    };
    for (event, told) in ledger.story(id) {
        match told {
            told if told.closes() => owed.extend(place.map(|place| (event, place))),
            InteractionEvent::FollowedUp { .. } => {
                owed.extend(place.map(|place| (event, place)));
            }
            InteractionEvent::Climbed { told, .. } => {
                // Whoever is kept out by the time it is sent gets nothing.
                let is_in = |person| {
                    let rights = &ledger.rights;
                    !rights.ever(person, event.seq, i64::MAX, Standing::is_out)
                };
                let now = told
                    .iter()
                    .filter(|one| !one.by.is_empty() && is_in(one.person.id));
                owed.extend(now.filter_map(|one| Some((event, reach(ledger, one.person.id)?))));
            }
            InteractionEvent::SummedUp { .. } => {}
            _ => {}
        }
    }
    owed
}

fn reach(ledger: &Ledger<'_>, person: PersonId) -> Option<DestinationId> {
    let mut people = ledger.world.cast.people.iter();
    people
        .find(|one| one.person.id == person)
        .map(|one| one.reach)
}
