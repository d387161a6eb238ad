//! One person, and what an admin may do about them.

use leptos::prelude::*;

use super::{
    change_person::ChangePersonForm,
    disable_person::DisableForm,
    make_link::MakeLinkForm,
    people_list::{LastSeen, StandingWords},
    role_field::role_word,
    second_factor::FactorsOf,
    slack_id_form::SlackIdForm,
};
use crate::{
    live::Live,
    load::Loaded,
    server_fns::{ChangePerson, DisablePerson, MakeLink, SetSlackId},
    view::{PersonRow, Standing, Visitor},
};

/// The actions on one person. They outlive reading them again.
#[derive(Clone, Copy)]
pub(crate) struct PersonChanges {
    /// Another name or role.
    pub(crate) change: ServerAction<ChangePerson>,
    /// Another user of Slack, or none.
    pub(crate) slack: ServerAction<SetSlackId>,
    /// A new one-time link.
    pub(crate) link: ServerAction<MakeLink>,
    /// Out, or in again.
    pub(crate) disable: ServerAction<DisablePerson>,
    /// The link that was made last.
    pub(crate) made: RwSignal<Option<String>>,
    /// The message about their access.
    pub(crate) said: RwSignal<String>,
}

impl PersonChanges {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            change: ServerAction::new(),
            slack: ServerAction::new(),
            link: ServerAction::new(),
            disable: ServerAction::new(),
            made: RwSignal::new(None),
            said: RwSignal::new(String::new()),
        }
    }
}

/// One person.
#[component]
pub(crate) fn PersonView(
    row: PersonRow,
    changes: PersonChanges,
    visitor: Loaded<Visitor>,
    live: Live,
) -> impl IntoView {
    let out = row.standing == Standing::Disabled;
    view! {
        <h2 class="person-title">
            <bdi>{row.name.clone()}</bdi>
            {row.yourself.then_some(" (you)")}
        </h2>
        <p class="person-facts">
            <span>{role_word(row.role)}</span>
            <StandingWords row=row.clone() live />
            <span>
                <LastSeen at=row.seen_at live />
            </span>
        </p>
        <ChangePersonForm row=row.clone() change=changes.change visitor />
        <SlackIdForm row=row.clone() set=changes.slack />
        {(!out)
            .then(|| {
                view! { <MakeLinkForm row=row.clone() link=changes.link made=changes.made visitor live /> }
            })}
        {(!row.yourself).then(|| view! { <FactorsOf id=row.id /> })}
        <DisableForm row disable=changes.disable said=changes.said />
    }
}
