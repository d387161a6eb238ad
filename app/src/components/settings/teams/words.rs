//! What is said of teams in more than one place.

use domain::{Role, team::Part};
use leptos::prelude::*;

use crate::view::MemberRow;

/// So many names stand in a line; of the others their number does.
const NAMED: usize = 4;

/// What a member may do with the team's questions, as far as their role goes.
pub(super) fn part_word(member: &MemberRow) -> &'static str {
    match (member.part, member.role) {
        (Part::Answers, Role::Responder | Role::Admin) => "Answers",
        (Part::Answers, Role::Viewer) => "Only reads, as a viewer",
        (Part::Reads, Role::Viewer | Role::Responder) => "Only reads",
        // Admins answer everywhere.
        (Part::Reads, Role::Admin) => "Answers, as an admin",
    }
}

/// The same, to the member themselves.
pub(super) fn own_part_word(member: &MemberRow) -> &'static str {
    match (member.part, member.role) {
        (Part::Answers, Role::Responder | Role::Admin) => "You answer",
        (Part::Answers, Role::Viewer) => "You only read, as a viewer",
        (Part::Reads, Role::Viewer | Role::Responder) => "You only read",
        (Part::Reads, Role::Admin) => "You answer, as an admin",
    }
}

/// "1 member", "3 members".
pub(super) fn members_word(members: usize) -> String {
    match members {
        0 => "no members".to_owned(),
        1 => "1 member".to_owned(),
        members => format!("{members} members"),
    }
}

/// "Ana, Ben, Cem, Dora and 3 more".
#[component]
pub(in crate::components::settings) fn Names(names: Vec<String>) -> impl IntoView {
    let (all, more) = (names.len(), names.len().saturating_sub(NAMED));
    // One name is shorter than "and 1 more", at most.
    let shown = if more == 1 { all } else { all - more };
    let names = names.into_iter().take(shown).enumerate().map(|(n, name)| {
        let comma = (n > 0).then_some(", ");
        view! { {comma} <bdi>{name}</bdi> }
    });
    let more = (shown < all).then(|| format!(" and {} more", all - shown));
    view! { {names.collect_view()} {more} }
}
