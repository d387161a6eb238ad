//! Blockers that wait, as links of one line each.

use leptos::prelude::*;

use super::{badge::Badge, kind_mark::KindMark, moment::Since};
use crate::{live::Live, view::Row};

/// Leads to the dialog.
#[component]
pub(super) fn WaitingLink(row: Row, live: Live) -> impl IntoView {
    view! {
        <a class="waiting-link" href=format!("/blockers/{}", row.id)>
            <Badge mode=row.mode />
            <span class="waiting-text" dir="auto">
                {row.preview.clone()}
            </span>
            <KindMark row=row.clone() live />
            <span class="waiting-since">"waits " <Since at=row.created_at live /></span>
        </a>
    }
}

/// The blockers that wait; hidden when there are none.
#[component]
pub(super) fn WaitingLinks(rows: Vec<Row>, live: Live) -> impl IntoView {
    (!rows.is_empty()).then(|| {
        view! {
            <ul class="waiting-links">
                {rows
                    .into_iter()
                    .map(|row| {
                        view! {
                            <li>
                                <WaitingLink row live />
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        }
    })
}
