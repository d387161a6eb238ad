//! A password, which can be shown while it is typed.

use domain::limits;
use leptos::prelude::*;

/// A labelled field for a password.
#[component]
pub(crate) fn PasswordField(
    label: &'static str,
    /// Its name in the form, and its id.
    name: &'static str,
    /// `current-password`, or `new-password` for one that is chosen here.
    autocomplete: &'static str,
    #[prop(optional)] hint: Option<&'static str>,
    /// Whether a person may start to type at once.
    #[prop(optional)]
    focused: bool,
    /// The id of the element that says what is wrong.
    described_by: &'static str,
) -> impl IntoView {
    let shown = RwSignal::new(false);
    let runs = RwSignal::new(false);
    Effect::new(move |_| runs.set(true));
    let hint_id = hint.map(|_| format!("{name}-hint"));
    let described_by = format!("{} {described_by}", hint_id.clone().unwrap_or_default());
    let fewest = (autocomplete == "new-password").then(|| limits::PASSWORD_MIN_CHARS.to_string());
    view! {
        <div class="labelled">
            <label for=name>{label}</label>
            <div class="field-line">
                <input
                    id=name
                    class="field"
                    type=move || if shown.get() { "text" } else { "password" }
                    name=name
                    autocomplete=autocomplete
                    autocapitalize="none"
                    spellcheck="false"
                    minlength=fewest
                    maxlength=limits::PASSWORD_MAX_CHARS.to_string()
                    required
                    autofocus=focused
                    aria-describedby=described_by.trim().to_owned()
                />
                // Nothing without a script, so hidden until one runs.
                <button
                    class="button"
                    type="button"
                    hidden=move || !runs.get()
                    aria-label=move || format!("{}: {label}", show_or_hide(shown))
                    on:click=move |_| shown.update(|shown| *shown = !*shown)
                >
                    {move || show_or_hide(shown)}
                </button>
            </div>
            {hint.map(|hint| view! { <p id=hint_id class="hint">{hint}</p> })}
        </div>
    }
}

fn show_or_hide(shown: RwSignal<bool>) -> &'static str {
    if shown.get() { "Hide" } else { "Show" }
}
