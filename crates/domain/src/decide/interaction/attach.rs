//! The files that an ask or an answer names become part of it.

use crate::{
    attachment::{Attaching, Attachment, Holder, IS_USED, Part, Uploaded},
    changeset::{Changeset, Write},
    fault::Faults,
    interaction::{Interaction, State},
    refused::Refused,
};

/// What is asked is committed with the files that were found under the ids it names, or not at all.
///
/// # Errors
/// [`Refused::Invalid`] for a file that is part of something already, or is not the one that the changeset speaks of.
pub fn attach(
    mut changeset: Changeset,
    holder: Holder,
    found: &[Option<Uploaded>],
) -> Result<Changeset, Refused> {
    let Some(interaction) = changeset.interaction() else {
        return Ok(changeset);
    };
    fits(interaction.request.attached(), found)?;
    let attaching = Attaching::of(interaction.id, Part::Ask, Some(holder), found);
    let attaching = attaching.map(|attaching| Write::Attach(Box::new(attaching)));
    changeset.writes.extend(attaching);
    Ok(changeset)
}

/// As [`attach`], of an answer by this sender.
pub(super) fn attach_to_answer(
    changeset: &mut Changeset,
    holder: Option<Holder>,
    found: &[Option<Uploaded>],
) -> Result<(), Refused> {
    let Some(Interaction {
        id,
        state: State::Resolved { answer },
        ..
    }) = changeset.interaction()
    else {
        return Ok(());
    };
    fits(&answer.attachments, found)?;
    let attaching = Attaching::of(*id, Part::Answer, holder, found);
    if attaching.is_none() && !answer.attachments.is_empty() {
        // Nobody has sent them.
        return Err(Refused::FileMissing);
    }
    let attaching = attaching.map(|attaching| Write::Attach(Box::new(attaching)));
    changeset.writes.extend(attaching);
    Ok(())
}

fn fits(said: &[Attachment], found: &[Option<Uploaded>]) -> Result<(), Refused> {
    let mut faults = Faults::default();
    for (n, found) in found.iter().enumerate() {
        if found.as_ref().is_some_and(|found| found.part_of.is_some()) {
            faults.add(&format!("attachments[{n}]"), IS_USED);
        }
    }
    faults.into_result(()).map_err(Refused::Invalid)?;
    let there = found.iter().flatten().map(|found| &found.attachment);
    match there.eq(said) && found.iter().all(Option::is_some) {
        true => Ok(()),
        false => Err(Refused::FileMissing),
    }
}
