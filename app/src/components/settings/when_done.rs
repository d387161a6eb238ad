//! The end of an action: lists are read again, and the page says what happened.

use leptos::{prelude::*, server_fn::ServerFn};

use crate::error::UiError;

/// Calls `then`, each time a call gets through, with what was asked for and what came back.
pub(crate) fn when_done<S>(action: ServerAction<S>, then: impl Fn(S, S::Output) + 'static)
where
    S: ServerFn<Error = UiError> + Clone + Send + Sync + 'static,
    S::Output: Clone + Send + Sync + 'static,
{
    let asked = StoredValue::new(None);
    let input = action.input();
    Effect::new(move |_| {
        // It is gone by the time the call ends.
        if let Some(input) = input.get() {
            asked.set_value(Some(input));
        }
    });
    let value = action.value();
    Effect::new(move |_| {
        if let Some(Ok(done)) = value.get()
            && let Some(input) = asked.try_update_value(Option::take).flatten()
        {
            untrack(|| then(input, done));
        }
    });
}

/// The last action's message, for eyes and for screen readers. It stays where it is when the page is read again.
#[component]
pub(crate) fn Said(words: RwSignal<String>) -> impl IntoView {
    view! {
        <p class="said" role="status">
            {move || Some(words.get()).filter(|words| !words.is_empty())}
        </p>
    }
}
