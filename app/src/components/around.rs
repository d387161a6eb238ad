//! Around an open blocker: who is on it and whom it is for, and the ways to claim it, to snooze it, and to hand it over.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{InteractionId, limits};
use leptos::{ev, html, prelude::*, server_fn::ServerFn};

use super::{
    controls::{Answering, Problem, Sending},
    moment::Until,
};
use crate::{
    live::Live,
    server_fns::{ClaimBlocker, EndSnooze, HandOverBlocker, ReleaseBlocker, SnoozeBlocker},
    view::{Around, ClaimView},
};

/// Who is on it, whom it is for, and that it is snoozed.
#[component]
pub(super) fn AroundLines(around: Around, live: Live) -> impl IntoView {
    let Around {
        claim,
        offline,
        policies,
        approvals,
        meant_for,
        why,
        snoozed_until,
        ..
    } = around;
    let claim = claim.map(|ClaimView { by, by_you, until }| {
        let who = match by_you {
            true => view! { "You are on it for another " }.into_any(),
            false => view! { <bdi>{by}</bdi> " is on it for another " }.into_any(),
        };
        view! {
            <p class="around-claim">
                {who} <Until at=until live /> "."
            </p>
        }
    });
    let meant_for = meant_for.map(|words| {
        let why = why.map(|why| view! { " " <q dir="auto">{why}</q> });
        view! {
            <p dir="auto">
                {words} {why}
            </p>
        }
    });
    let snoozed = snoozed_until.map(|until| {
        view! { <p>"You have snoozed it for another " <Until at=until live /> "."</p> }
    });
    let any = offline.is_some()
        || policies.is_some()
        || approvals.is_some()
        || claim.is_some()
        || meant_for.is_some()
        || snoozed.is_some();
    any.then(|| {
        view! {
            <div class="around">
                {offline.map(|words| view! { <p>{words}</p> })}
                {policies.map(|words| view! { <p class="around-policies" dir="auto">{words}</p> })}
                {approvals.map(|words| view! { <p dir="auto">{words}</p> })}
                {claim}
                {meant_for}
                {snoozed}
            </div>
        }
    })
}

/// The button by which a person is on it, or is no more.
#[component]
pub(super) fn ClaimForm(
    id: InteractionId,
    claim: Option<ClaimView>,
    answering: Answering,
) -> impl IntoView {
    let yours = claim.is_some_and(|claim| claim.by_you);
    let (claims, releases) = (ServerAction::new(), ServerAction::new());
    let sending = match yours {
        true => Sending::of(releases),
        false => Sending::of(claims),
    };
    answering.reloads_after(sending);
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if !sending.starts() {
            return;
        }
        let by = answering.whose();
        match yours {
            true => _ = releases.dispatch(ReleaseBlocker { id, by }),
            false => _ = claims.dispatch(ClaimBlocker { id, by }),
        }
    };
    let action = match yours {
        true => ReleaseBlocker::url(),
        false => ClaimBlocker::url(),
    };
    view! {
        <form class="claim-form" method="post" action=action on:submit=on_submit>
            <input type="hidden" name="id" value=id.to_string() />
            <button
                class="button quiet"
                type="submit"
                disabled=move || sending.is_busy()
                aria-describedby="claim-problem"
            >
                {if yours { "Give it up" } else { "I am on it" }}
                <kbd>"C"</kbd>
            </button>
            <Problem id="claim-problem" sending />
        </form>
    }
}

/// For how long it can be snoozed, in minutes.
const SPANS: [(i64, &str); 2] = [(15, "15 min"), (60, "1 h")];

/// Snoozes it for who looks; only until a time before its deadline.
#[component]
pub(super) fn SnoozeForm(
    id: InteractionId,
    expires_at: Option<DateTime<Utc>>,
    snoozed: bool,
    answering: Answering,
    live: Live,
) -> impl IntoView {
    let (snoozes, ends) = (ServerAction::new(), ServerAction::new());
    let until = StoredValue::new(0);
    let (sending, ending) = (Sending::of(snoozes), Sending::of(ends));
    answering.goes_on_after(sending, move || (id, until.get_value()));
    answering.returns_after(ending, id);
    let fits = move |at: DateTime<Utc>| expires_at.is_none_or(|end| at < end);
    let snooze = move |at: DateTime<Utc>| {
        if sending.starts() {
            until.set_value(at.timestamp_millis());
            snoozes.dispatch(SnoozeBlocker {
                id,
                minutes: None,
                until: Some(at.timestamp_millis()),
                by: answering.whose(),
            });
        }
    };
    let spans = SPANS.map(|(minutes, words)| {
        let at = move || live.now.get() + TimeDelta::minutes(minutes);
        view! {
            <button
                class="button"
                type="submit"
                name="minutes"
                value=minutes
                hidden=move || !fits(at())
                disabled=move || sending.is_busy()
                on:click=move |event| {
                    event.prevent_default();
                    snooze(untrack(at));
                }
            >
                {words}
            </button>
        }
    });
    // Where the browser is, which the server does not know.
    let nine = RwSignal::new(None::<(DateTime<Utc>, &'static str)>);
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| nine.set(next_nine()));
    let morning = move || {
        let (at, words) = nine.get().filter(|(at, _)| fits(*at))?;
        Some(view! {
            <button
                class="button"
                type="button"
                disabled=move || sending.is_busy()
                on:click=move |_| snooze(at)
            >
                {words}
            </button>
        })
    };
    let nothing_fits = move || {
        let first = live.now.get() + TimeDelta::minutes(SPANS[0].0);
        (!fits(first)).then_some("Its deadline is too near to snooze it.")
    };
    view! {
        <details class="snooze-form">
            <summary>"Snooze" <kbd>"Z"</kbd></summary>
            <form
                method="post"
                action=SnoozeBlocker::url()
                on:submit=|event: ev::SubmitEvent| event.prevent_default()
            >
                <input type="hidden" name="id" value=id.to_string() />
                <p class="part-note">
                    "It leaves your list until then. Others still see it. " {nothing_fits}
                </p>
                <div class="field-line">
                    {spans} {morning}
                    {snoozed
                        .then(|| {
                            view! {
                                <button
                                    class="button quiet"
                                    type="submit"
                                    formaction=EndSnooze::url()
                                    disabled=move || ending.is_busy()
                                    on:click=move |event| {
                                        event.prevent_default();
                                        if ending.starts() {
                                            ends.dispatch(EndSnooze {
                                                id,
                                                by: answering.whose(),
                                            });
                                        }
                                    }
                                >
                                    "Show now"
                                </button>
                            }
                        })}
                </div>
                <Problem id="snooze-problem" sending />
                <Problem id="end-snooze-problem" sending=ending />
            </form>
        </details>
    }
}

/// The next nine in the morning. In the small hours that is today's.
#[cfg(feature = "hydrate")]
fn next_nine() -> Option<(DateTime<Utc>, &'static str)> {
    let date = js_sys::Date::new_0();
    let words = if date.get_hours() < 9 {
        "Today 9:00"
    } else {
        date.set_date(date.get_date() + 1);
        "Tomorrow 9:00"
    };
    date.set_hours(9);
    date.set_minutes(0);
    date.set_seconds(0);
    date.set_milliseconds(0);
    Some((
        DateTime::from_timestamp_millis(date.get_time() as i64)?,
        words,
    ))
}

/// Hands it over to a person or a team, with a line of why.
#[component]
pub(super) fn HandOverForm(
    id: InteractionId,
    people: Vec<(String, String)>,
    teams: Vec<(String, String)>,
    answering: Answering,
) -> impl IntoView {
    if people.is_empty() && teams.is_empty() {
        return None;
    }
    let hands = ServerAction::new();
    let sending = Sending::of(hands);
    answering.leaves_after(sending);
    let (to, why) = (
        NodeRef::<html::Select>::new(),
        NodeRef::<html::Input>::new(),
    );
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if sending.starts() {
            hands.dispatch(HandOverBlocker {
                id,
                to: to.get_untracked().map(|to| to.value()).unwrap_or_default(),
                why: why.get_untracked().map(|why| why.value()),
                by: answering.whose(),
            });
        }
    };
    let options = |label: &'static str, of: Vec<(String, String)>| {
        (!of.is_empty()).then(|| {
            let of = of.into_iter();
            let of = of.map(|(value, name)| view! { <option value=value>{name}</option> });
            view! { <optgroup label=label>{of.collect_view()}</optgroup> }
        })
    };
    Some(view! {
        <details class="hand-over-form">
            <summary>"Hand over" <kbd>"H"</kbd></summary>
            <form method="post" action=HandOverBlocker::url() on:submit=on_submit>
                <input type="hidden" name="id" value=id.to_string() />
                <label for="hand-over-to">"To"</label>
                <select
                    id="hand-over-to"
                    class="field"
                    name="to"
                    required
                    node_ref=to
                    aria-describedby="hand-over-problem"
                >
                    <option value="" disabled selected>
                        "Choose"
                    </option>
                    {options("People", people)}
                    {options("Teams", teams)}
                </select>
                <label for="hand-over-why">"Why, for them (optional)"</label>
                <div class="field-line">
                    <input
                        id="hand-over-why"
                        class="field"
                        type="text"
                        name="why"
                        dir="auto"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        node_ref=why
                        aria-describedby="hand-over-problem"
                    />
                    <button
                        class="button"
                        type="submit"
                        disabled=move || sending.is_busy()
                        aria-busy=move || sending.is_busy().then_some("true")
                    >
                        "Hand it over"
                    </button>
                </div>
                <Problem id="hand-over-problem" sending />
            </form>
        </details>
    })
}
