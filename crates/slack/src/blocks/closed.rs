//! The end of a card that is closed: no controls, but the outcome, its author, its time, and whether the agent
//! knows.

use domain::Interaction;

use super::{
    block::{Content, Text},
    card::{Sheet, id},
    text::{Address, Markup},
    words,
};

/// Stands where the controls were.
pub(super) fn ending(sheet: &mut Sheet, interaction: &Interaction, address: Option<&Address>) {
    let mut foot: Vec<Text> = Vec::new();
    match words::ending(interaction) {
        None => {
            let told = Markup::default().say("Told ").date(interaction.created_at);
            foot.push(told.into());
        }
        Some(ending) => {
            sheet.add(Content::bold(&ending.said));
            if let Some(text) = &ending.text
                && sheet.add_long(text)
            {
                sheet.add_rest_is_elsewhere(address);
            }
            if let Some(more) = &ending.more {
                sheet.add(Content::section(more.as_str()));
            }
            foot.push(Markup::default().say("Closed ").date(ending.at).into());
            let (pickup, since) = ending.pickup;
            foot.push(pickup.as_str().into());
            foot.extend(since.map(|at| Text::from(Markup::default().date(at))));
        }
    }
    if let Some(follow_ups) = words::follow_ups(interaction) {
        foot.push(follow_ups.as_str().into());
    }
    foot.push(id(interaction));
    if let Some(address) = address {
        foot.push(
            Markup::default()
                .link(address, "Open on the dashboard")
                .into(),
        );
    }
    sheet.add(Content::context(foot));
}
