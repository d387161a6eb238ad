//! One team, and what an admin may do about it.

use leptos::prelude::*;

use super::{
    agents::{HomeAgents, OpenAgents},
    delete_team::DeleteTeamForm,
    members::Members,
    profile::ProfileForm,
    words::members_word,
};
use crate::{
    components::{LadderOf, Said, capital::capital},
    load::Loaded,
    server_fns::{ChangeTeam, DeleteTeam, SetHome, SetMember, SetOpen},
    view::{OneTeam, Visitor},
};

/// The actions on one team. They outlive reading it again.
#[derive(Clone, Copy)]
pub(crate) struct TeamChanges {
    /// A member more.
    pub(crate) add: ServerAction<SetMember>,
    /// An agent more that is at home there.
    pub(crate) home: ServerAction<SetHome>,
    /// An agent more that may ask it by name.
    pub(crate) open: ServerAction<SetOpen>,
    /// Another name, channel or deadlines.
    pub(crate) change: ServerAction<ChangeTeam>,
    /// Away.
    pub(crate) delete: ServerAction<DeleteTeam>,
    /// The message about its members.
    pub(crate) of_members: RwSignal<String>,
    /// The message about its agents.
    pub(crate) of_agents: RwSignal<String>,
    /// Reads the team again.
    pub(crate) again: Callback<()>,
}

impl TeamChanges {
    /// Nothing yet.
    pub(crate) fn new(again: Callback<()>) -> Self {
        Self {
            add: ServerAction::new(),
            home: ServerAction::new(),
            open: ServerAction::new(),
            change: ServerAction::new(),
            delete: ServerAction::new(),
            of_members: RwSignal::new(String::new()),
            of_agents: RwSignal::new(String::new()),
            again,
        }
    }
}

/// One team, as it was found and as it is read from then on.
#[component]
pub(crate) fn TeamView(
    first: OneTeam,
    team: Loaded<OneTeam>,
    changes: TeamChanges,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let id = first.row.id;
    let page = Memo::new(move |last: Option<&OneTeam>| {
        let read = team.get().and_then(Result::ok);
        read.or_else(|| last.cloned())
            .unwrap_or_else(|| first.clone())
    });
    let name = move || page.with(|page| page.row.name.clone());
    let size = move || page.with(|page| capital(&members_word(page.row.members.len())));
    let waits = move || match page.with(|page| page.pending) {
        0 => "Nothing waits for it".to_owned(),
        1 => "1 question waits for it".to_owned(),
        many => format!("{many} questions wait for it"),
    };
    view! {
        <h2 class="person-title">
            <bdi>{name}</bdi>
        </h2>
        <p class="person-facts">
            <span>{size}</span>
            <span>{waits}</span>
        </p>
        <section aria-labelledby="members-title">
            <h3 id="members-title" class="section-title">
                "Members"
            </h3>
            <Said words=changes.of_members />
            <Members page id changes visitor />
        </section>
        <section aria-labelledby="agents-title">
            <h3 id="agents-title" class="section-title">
                "Agents"
            </h3>
            <Said words=changes.of_agents />
            <HomeAgents page id changes visitor />
            <OpenAgents page id changes />
        </section>
        <LadderOf team=Some(id) />
        <ProfileForm page change=changes.change visitor />
        <DeleteTeamForm page delete=changes.delete visitor />
    }
}
