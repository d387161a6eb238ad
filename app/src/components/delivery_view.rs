//! One delivery: what it tells of, every try, and trying again.

use domain::delivery::{DeliveryState, DestinationKind};
use leptos::prelude::*;

use super::{
    capital::capital,
    controls::Sending,
    delivery_list::NextTry,
    delivery_state::{DeliveryStateWords, tries},
    icon::{Icon, Shape},
    moment::At,
    settings::Submit,
};
use crate::{
    live::Live,
    server_fns::RetryDelivery,
    view::{Again, DeliveryStory, Try, TryEnd},
};

/// One delivery.
#[component]
pub(crate) fn DeliveryView(
    story: DeliveryStory,
    retry: ServerAction<RetryDelivery>,
    live: Live,
) -> impl IntoView {
    let DeliveryStory {
        row,
        webhook,
        again,
        tries: tried,
        as_of,
    } = story;
    let live = live.as_of(as_of);
    let sending = row.state == DeliveryState::Sending;
    let settings = webhook.map(|id| format!("/settings/webhooks/{id}"));
    let next = row.next_at.filter(|_| row.tries > 0 || row.is_put_off());
    let kind = row.kind;
    let is_slack = kind == DestinationKind::Slack;
    let is_hook = matches!(
        row.kind,
        DestinationKind::Webhook | DestinationKind::Callback
    );
    let id_is = if !is_hook { "Id" } else { "webhook-id" };
    let untried = tried.is_empty();
    view! {
        <h1 class="page-title delivery-title">
            <span class="mono">{row.event_type.clone()}</span>
            " to "
            <bdi>{row.destination.name.clone()}</bdi>
        </h1>
        <p class="delivery-marks">
            <DeliveryStateWords row=row.clone() />
            <span>{tries(&row)}</span>
            {next.map(|at| view! { <span><NextTry at live /></span> })}
        </p>
        <dl class="facts wide">
            <dt>"Made"</dt>
            <dd>
                <At at=row.created_at live />
            </dd>
            {row
                .ended_at
                .map(|at| {
                    let word = if row.state == DeliveryState::Delivered { "Arrived" } else { "Given up" };
                    view! {
                        <dt>{word}</dt>
                        <dd>
                            <At at live />
                        </dd>
                    }
                })}
            {row
                .interaction
                .map(|id| {
                    view! {
                        <dt>"About"</dt>
                        <dd>
                            <a href=format!("/interactions/{id}")>"The interaction and its timeline"</a>
                        </dd>
                    }
                })}
            {settings
                .clone()
                .map(|href| {
                    view! {
                        <dt>"Webhook"</dt>
                        <dd>
                            <a href=href>"Its settings"</a>
                        </dd>
                    }
                })}
            <dt>{id_is}</dt>
            <dd class="mono">{row.id.to_string()}</dd>
        </dl>
        <RetryForm id=row.id.to_string() again kind retry />
        <section aria-labelledby="tries-title">
            <h2 id="tries-title" class="section-title">
                "Tries"
            </h2>
            <ol class="list" hidden=untried>
                {tried
                    .into_iter()
                    .enumerate()
                    .map(|(n, one)| view! { <TryLine one under_way=n == 0 && sending is_slack live /> })
                    .collect_view()}
            </ol>
            {untried.then(|| view! { <p class="list-note">"It has not been tried yet."</p> })}
        </section>
    }
}

#[component]
fn RetryForm(
    id: String,
    again: Again,
    kind: DestinationKind,
    retry: ServerAction<RetryDelivery>,
) -> impl IntoView {
    let sending = Sending::of(retry);
    match again {
        Again::Possible => view! {
            <ActionForm action=retry attr:class="retry-one">
                <input type="hidden" name="id" value=id />
                <Submit sending label="Try again" problem="retry-problem" done="It is due again." />
                <p class="hint">
                    {match kind {
                        DestinationKind::Slack => {
                            "Now. If it may be there already, it is looked for first."
                        }
                        DestinationKind::Webhook | DestinationKind::Callback => {
                            "Now, with the same id and body, and its whole schedule before it."
                        }
                        DestinationKind::Push
                        | DestinationKind::Mail
                        | DestinationKind::Ntfy
                        | DestinationKind::Direct => {
                            "Now, if it still waits for an answer."
                        }
                    }}
                </p>
            </ActionForm>
        }
        .into_any(),
        Again::Needless => ().into_any(),
        Again::Disabled => view! {
            <p class="hint">"It cannot be tried again while its webhook is disabled."</p>
        }
        .into_any(),
        Again::Deleted => view! {
            <p class="hint">"It cannot be tried again: its webhook was deleted."</p>
        }
        .into_any(),
    }
}

#[component]
fn TryLine(
    one: Try,
    /// Whether it goes on at the moment.
    under_way: bool,
    /// The words of Slack's client on an answer are all there is to show of it.
    is_slack: bool,
    live: Live,
) -> impl IntoView {
    let (shape, words) = match &one.end {
        None if under_way => (Shape::Play, "Under way".to_owned()),
        None => (
            Shape::Warning,
            "Interrupted: nobody knows whether it arrived".to_owned(),
        ),
        // It begins with the name of a method.
        Some(TryEnd {
            error: Some(error), ..
        }) if is_slack => (Shape::Failed, error.clone()),
        Some(TryEnd {
            error: Some(error), ..
        }) => (Shape::Failed, capital(error)),
        Some(_) if is_slack => (Shape::Check, "Arrived".to_owned()),
        Some(TryEnd { status, .. }) => (
            Shape::Check,
            status.map_or_else(|| "Arrived".to_owned(), |code| format!("Answered {code}")),
        ),
    };
    view! {
        <li class="list-row try-line">
            <p class="try-head">
                <span class="try-number">"Try " {one.number}</span>
                <span class="outcome try-end">
                    <Icon shape />
                    <bdi>{words}</bdi>
                </span>
                <span class="try-facts">
                    {one.end.as_ref().map(|end| format!("{} · ", took(end.latency)))}
                    <At at=one.started_at live />
                </span>
            </p>
            {one.end.map(|end| view! { <Answer number=one.number end is_slack /> })}
        </li>
    }
}

/// The receiver's answer. It may be anything, so it is text and nothing but text.
#[component]
fn Answer(number: i64, end: TryEnd, is_slack: bool) -> impl IntoView {
    let answered = end.status.is_some() && !is_slack;
    match end.answer.is_empty() {
        false => view! {
            <div class="try-answer" role="group" tabindex="0" aria-label=format!("Answer to try {number}")>
                <pre class="command" dir="auto">
                    {end.answer}
                </pre>
            </div>
        }
        .into_any(),
        true => answered
            .then(|| view! { <p class="hint">"The answer was empty."</p> })
            .into_any(),
    }
}

/// `12 ms`, `4.9 s`.
fn took(latency: i64) -> String {
    match latency.max(0) {
        short @ 0..1_000 => format!("{short} ms"),
        long => format!("{}.{} s", long / 1_000, long % 1_000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::took;

    #[test]
    fn how_long_a_try_took_reads_naturally() {
        assert_eq!(
            [-1, 0, 999, 1_000, 5_049].map(took),
            ["0 ms", "0 ms", "999 ms", "1.0 s", "5.0 s"]
        );
    }
}
