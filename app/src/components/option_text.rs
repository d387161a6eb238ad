//! What an option says.

use leptos::prelude::*;

/// Its label, and more about it below.
#[component]
pub(super) fn OptionText(label_html: String, description_html: Option<String>) -> impl IntoView {
    view! {
        <span class="option-label" inner_html=label_html></span>
        {description_html
            .map(|html| view! { <span class="option-label option-more" inner_html=html></span> })}
    }
}
