//! The members of a team: who sees what it is asked, and who answers.

use domain::{TeamId, team::Part};
use leptos::prelude::*;

use super::{team_view::TeamChanges, words::part_word};
use crate::{
    components::{
        controls::Sending,
        settings::{
            confirm_field::ConfirmField, role_field::role_word, submit::Submit,
            when_done::when_done,
        },
    },
    load::Loaded,
    server_fns::{RemoveMember, SetMember},
    view::{MemberRow, OneTeam, TeamPerson, Visitor},
};

const PARTS: [(Part, &str, &str); 2] = [
    (
        Part::Answers,
        "Answers",
        "Sees what the team is asked, and answers as far as their role lets them",
    ),
    (
        Part::Reads,
        "Only reads",
        "Sees what the team is asked, and answers nothing of it",
    ),
];

/// The members, and one more. Somebody who has not changed keeps their row, so what is about to be pressed stays.
#[component]
pub(super) fn Members(
    page: Memo<OneTeam>,
    id: TeamId,
    changes: TeamChanges,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let rows = move || page.with(|page| page.row.members.clone());
    let others = Memo::new(move |_| {
        let OneTeam {
            row, mut people, ..
        } = page.get();
        people.retain(|one| row.members.iter().all(|member| member.id != one.id));
        people
    });
    let said = changes.of_members;
    let changed = move |words| {
        said.set(words);
        changes.again.run(());
    };
    view! {
        <ul class="list" hidden=move || rows().is_empty()>
            <For each=rows key=MemberRow::clone let:row>
                <MemberLine row id visitor changed />
            </For>
        </ul>
        <p class="list-note" hidden=move || !rows().is_empty()>
            "Nobody is in it yet. Until then only admins see and answer what it is asked."
        </p>
        <AddMember id others add=changes.add visitor />
    }
}

#[component]
fn MemberLine(
    row: MemberRow,
    id: TeamId,
    visitor: Loaded<Visitor>,
    /// Called with what there is to say.
    changed: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let set = ServerAction::<SetMember>::new();
    let remove = ServerAction::<RemoveMember>::new();
    let (setting, removing) = (Sending::of(set), Sending::of(remove));
    let name = row.name.clone();
    when_done(set, move |asked, ()| {
        changed(match asked.part {
            Part::Answers => format!("{name} answers from now on."),
            Part::Reads => format!("{name} only reads from now on."),
        });
    });
    let name = row.name.clone();
    when_done(remove, move |_, ()| {
        changed(format!("{name} is in it no more."));
    });
    let (part, label, means) = match row.part {
        Part::Answers => (
            Part::Reads,
            "Let them only read",
            "They go on seeing what the team is asked, and answer nothing of it.",
        ),
        Part::Reads => (
            Part::Answers,
            "Let them answer",
            "They answer what the team is asked, as far as their role lets them.",
        ),
    };
    let problem = format!("member-problem-{}", row.id);
    view! {
        <li class="list-row member-line" class:out=row.is_disabled>
            <span class="person-name">
                <bdi>{row.name.clone()}</bdi>
            </span>
            <span>{part_word(&row)}</span>
            <span class="person-seen">
                {if row.is_disabled { "Disabled" } else { role_word(row.role) }}
            </span>
            <details class="confirm">
                <summary>"Change…"<span class="visually-hidden">" " {row.name.clone()}</span></summary>
                <p>{means}</p>
                <ActionForm action=set attr:class="fields">
                    <input type="hidden" name="team" value=id.to_string() />
                    <input type="hidden" name="person" value=row.id.to_string() />
                    <input type="hidden" name="part" value=part.name() />
                    <ConfirmField
                        visitor
                        sending=setting
                        id=format!("member-confirm-{}", row.id)
                        problem=problem.clone()
                    />
                    <Submit sending=setting label problem=problem.clone() />
                </ActionForm>
                <p>
                    "Taken out, they see and answer nothing of it any more, at once and on every surface. What they have answered stays."
                </p>
                <ActionForm action=remove>
                    <input type="hidden" name="team" value=id.to_string() />
                    <input type="hidden" name="person" value=row.id.to_string() />
                    <Submit
                        sending=removing
                        label="Take out of the team"
                        problem=format!("remove-problem-{}", row.id)
                    />
                </ActionForm>
            </details>
        </li>
    }
}

/// Everybody who can come in and is not in it.
#[component]
fn AddMember(
    id: TeamId,
    others: Memo<Vec<TeamPerson>>,
    add: ServerAction<SetMember>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let sending = Sending::of(add);
    let nobody = move || others.with(Vec::is_empty);
    view! {
        <details class="confirm add-more" hidden=nobody>
            <summary>"Add a member…"</summary>
            <ActionForm action=add attr:class="fields wide">
                <input type="hidden" name="team" value=id.to_string() />
                <div class="labelled">
                    <label for="member-person">"Person"</label>
                    <select
                        id="member-person"
                        class="field"
                        name="person"
                        required
                        aria-describedby="member-problem"
                    >
                        <option value="">"Choose…"</option>
                        <For each=move || others.get() key=TeamPerson::clone let:one>
                            <option value=one.id.to_string()>
                                {format!("{} ({})", one.name, role_word(one.role).to_lowercase())}
                            </option>
                        </For>
                    </select>
                </div>
                <fieldset class="option-list roles">
                    <legend>"Part"</legend>
                    {PARTS
                        .map(|(part, word, meaning)| {
                            view! {
                                <label class="option">
                                    <input
                                        type="radio"
                                        name="part"
                                        value=part.name()
                                        checked=part == Part::Answers
                                        required
                                    />
                                    <span class="option-text">
                                        <span>{word}</span>
                                        <span class="option-more">{meaning}</span>
                                    </span>
                                </label>
                            }
                        })
                        .collect_view()}
                </fieldset>
                <ConfirmField visitor sending id="member-confirm" problem="member-problem" />
                <Submit sending label="Add to the team" problem="member-problem" primary=true />
            </ActionForm>
        </details>
        <p class="hint" hidden=move || !nobody()>
            "Everybody is in it. "
            <a href="/settings/people">"Invite somebody"</a>
        </p>
    }
}
