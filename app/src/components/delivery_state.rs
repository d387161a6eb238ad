//! How a delivery stands: an icon and words. Colour carries nothing here.

use domain::delivery::DeliveryState;
use leptos::prelude::*;

use super::icon::{Icon, Shape};
use crate::view::DeliveryRow;

/// How it stands.
#[component]
pub(super) fn DeliveryStateWords(row: DeliveryRow) -> impl IntoView {
    let (shape, words) = match row.state {
        DeliveryState::Due if row.is_put_off() => (Shape::Clock, "Put off"),
        DeliveryState::Due if row.tries == 0 => (Shape::Clock, "Due"),
        DeliveryState::Due => (Shape::Warning, "Failed, due again"),
        DeliveryState::Sending => (Shape::Play, "Being sent"),
        DeliveryState::Delivered => (Shape::Check, "Delivered"),
        DeliveryState::Dead => (Shape::Failed, "Given up"),
        DeliveryState::Unknown => (Shape::Info, "Unknown"),
    };
    view! {
        <span class="outcome">
            <Icon shape />
            {words}
        </span>
    }
}

/// `1 try`, `3 tries`.
pub(super) fn tries(row: &DeliveryRow) -> String {
    match row.tries {
        0 if row.is_put_off() => "not shown yet".to_owned(),
        0 => "not tried yet".to_owned(),
        1 => "1 try".to_owned(),
        count => format!("{count} tries"),
    }
}
