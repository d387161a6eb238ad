//! Making a webhook.

use domain::{
    delivery::{Format, Topic},
    limits,
};
use leptos::{html, prelude::*};

use super::{
    submit::Submit,
    team_ticks::TeamTicks,
    webhook_view::{format_word, topic_words},
    when_done::when_done,
};
use crate::{
    components::controls::Sending, load::Loaded, server_fns::CreateWebhook, view::WebhookList,
};

/// An address and what it hears of; the signing secret comes back.
#[component]
pub(crate) fn CreateWebhookForm(
    create: ServerAction<CreateWebhook>,
    webhooks: Loaded<WebhookList>,
) -> impl IntoView {
    let teams = Memo::new(move |_| {
        let list = webhooks.get().and_then(Result::ok);
        list.map(|list| list.teams).unwrap_or_default()
    });
    let sending = Sending::of(create);
    let form = NodeRef::<html::Form>::new();
    when_done(create, move |_, _| {
        if let Some(form) = form.get_untracked() {
            form.reset();
        }
    });
    view! {
        <section aria-labelledby="create-title">
            <h2 id="create-title" class="section-title">
                "Make a webhook"
            </h2>
            <ActionForm action=create node_ref=form attr:class="fields wide">
                <div class="labelled">
                    <label for="webhook-address">"Address"</label>
                    <input
                        id="webhook-address"
                        class="field"
                        type="url"
                        name="address"
                        placeholder="https://"
                        autocomplete="off"
                        spellcheck="false"
                        required
                        aria-describedby="address-hint create-problem"
                    />
                    <p id="address-hint" class="hint">
                        "News is posted there, with everything that agents ask. Only its host is shown later."
                    </p>
                </div>
                <div class="labelled">
                    <label for="webhook-name">"Name"</label>
                    <input
                        id="webhook-name"
                        class="field"
                        name="name"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        dir="auto"
                        aria-describedby="webhook-hint create-problem"
                    />
                    <p id="webhook-hint" class="hint">"Without one, its host."</p>
                </div>
                <fieldset class="option-list roles">
                    <legend>"It hears of"</legend>
                    {Topic::ALL
                        .map(|topic| {
                            view! {
                                <label class="option">
                                    <input type="checkbox" name="topics[]" value=topic.name() checked />
                                    <span class="option-text">
                                        <span>{topic_words(topic)}</span>
                                        <span class="option-more mono">{topic.name()}</span>
                                    </span>
                                </label>
                            }
                        })
                        .collect_view()}
                </fieldset>
                {move || {
                    view! { <TeamTicks legend="Beside what belongs to no team, of" teams=teams.get() chosen=Vec::new() /> }
                }}
                <label class="option alone">
                    <input type="checkbox" name="sync_only" value="true" />
                    <span class="option-text">
                        <span>"Only while an agent waits"</span>
                        <span class="option-more">
                            "Leaves out notifications, and questions whose agent goes on meanwhile"
                        </span>
                    </span>
                </label>
                <fieldset class="option-list roles">
                    <legend>"Format"</legend>
                    {Format::ALL
                        .map(|format| {
                            view! {
                                <label class="option">
                                    <input
                                        type="radio"
                                        name="format"
                                        value=format.name()
                                        checked=format == Format::default()
                                        required
                                    />
                                    <span class="option-text">
                                        <span>{format_word(format)}</span>
                                        <span class="option-more">{meaning(format)}</span>
                                    </span>
                                </label>
                            }
                        })
                        .collect_view()}
                </fieldset>
                <Submit
                    sending
                    label="Make webhook"
                    problem="create-problem"
                    done="The webhook is made."
                    primary=true
                    needs_script=true
                />
            </ActionForm>
        </section>
    }
}

fn meaning(format: Format) -> &'static str {
    match format {
        Format::Standard => "Type, time and the whole interaction",
        Format::Flat => "Seven fields and nothing around them, as Zapier likes it",
    }
}
