//! What a team is called, where it is shown in Slack, and its deadlines.

use chrono::TimeDelta;
use domain::{interaction::Kind, limits, time};
use leptos::prelude::*;

use crate::{
    components::{
        capital::capital,
        controls::Sending,
        kind_mark::kind_word,
        settings::{confirm_field::ConfirmField, submit::Submit},
    },
    load::Loaded,
    server_fns::ChangeTeam,
    view::{OneTeam, Visitor},
};

/// The deadlines to choose from, in seconds.
const DEADLINES: [i64; 11] = [
    300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 259_200, 604_800,
];

/// Name, channel and deadlines in one: they are one record.
#[component]
pub(super) fn ProfileForm(
    page: Memo<OneTeam>,
    change: ServerAction<ChangeTeam>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let sending = Sending::of(change);
    let id = page.with_untracked(|page| page.row.id.to_string());
    let name = move || page.with(|page| page.row.name.clone());
    let channel = move || page.with(|page| page.row.slack_channel.clone());
    let defaults = page.with_untracked(|page| page.defaults.clone());
    let deadlines = defaults.into_iter().map(move |(kind, default)| {
        let own = Memo::new(move |_| {
            page.with(|page| {
                let mut own = page.row.timeouts.iter();
                own.find(|(of, _)| *of == kind).map(|(_, own)| *own)
            })
        });
        view! { <DeadlineField kind own default /> }
    });
    view! {
        <section aria-labelledby="profile-title">
            <h3 id="profile-title" class="section-title">
                "Name, Slack and deadlines"
            </h3>
            <ActionForm action=change attr:class="fields wide">
                <input type="hidden" name="id" value=id />
                <div class="labelled">
                    <label for="profile-name">"Name"</label>
                    <input
                        id="profile-name"
                        class="field"
                        name="name"
                        value=name
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        dir="auto"
                        required
                        aria-describedby="profile-hint profile-problem"
                    />
                    <p id="profile-hint" class="hint">
                        "Agents that name the old one are refused."
                    </p>
                </div>
                <div class="labelled">
                    <label for="profile-channel">"Slack channel ID"</label>
                    <input
                        id="profile-channel"
                        class="field"
                        name="slack_channel"
                        value=channel
                        maxlength="31"
                        autocomplete="off"
                        autocapitalize="characters"
                        spellcheck="false"
                        aria-describedby="channel-hint profile-problem"
                    />
                    <p id="channel-hint" class="hint">
                        "Such as C0123ABCD: Slack shows it at the end of the channel's details. Everybody in that channel can read what the team is asked. Empty: it is shown in no channel."
                    </p>
                </div>
                <fieldset class="deadlines">
                    <legend>"Deadlines, where a request names none"</legend>
                    {deadlines.collect_view()}
                </fieldset>
                <ConfirmField visitor sending id="profile-confirm" problem="profile-problem" />
                <Submit sending label="Save" problem="profile-problem" done="Saved." />
            </ActionForm>
        </section>
    }
}

#[component]
fn DeadlineField(
    kind: Kind,
    /// The team's own; `Some(None)` = never.
    own: Memo<Option<Option<i64>>>,
    /// That of the settings; `None` = never.
    default: Option<i64>,
) -> impl IntoView {
    let field = format!("deadline-{}", kind.name());
    let choices = move || {
        let own = own.get();
        let mut choices: Vec<i64> = DEADLINES.to_vec();
        // Whatever was set at a terminal stays a choice.
        if let Some(Some(seconds)) = own
            && !choices.contains(&seconds)
        {
            choices.push(seconds);
            choices.sort_unstable();
        }
        let choices = choices.into_iter().map(move |seconds| {
            view! {
                <option value=seconds.to_string() selected=own == Some(Some(seconds))>
                    {words(Some(seconds))}
                </option>
            }
        });
        choices.collect_view()
    };
    view! {
        <div class="labelled">
            <label for=field.clone()>{capital(kind_word(kind))}</label>
            <select id=field class="field" name=format!("timeouts[{}]", kind.name())>
                <option value="" selected=move || own.get().is_none()>
                    {format!("{}, as in the settings", words(default))}
                </option>
                {choices}
                <option value="never" selected=move || own.get() == Some(None)>
                    "Never"
                </option>
            </select>
        </div>
    }
}

fn words(seconds: Option<i64>) -> String {
    let Some(seconds) = seconds else {
        return "Never".to_owned();
    };
    let span = TimeDelta::try_seconds(seconds).unwrap_or(TimeDelta::MAX);
    let words = time::words(span);
    // What is no whole number of its unit would read as another deadline.
    match DEADLINES.contains(&seconds) {
        true => words,
        false => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_deadline_is_told_without_rounding() {
        assert_eq!(words(None), "Never");
        assert_eq!(words(Some(900)), "15 min");
        assert_eq!(words(Some(604_800)), "7 days");
        assert_eq!(words(Some(3_700)), "3700 s");
    }
}
