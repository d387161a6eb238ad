//! The icons. Each stands beside a word and says nothing on its own.

use leptos::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Check,
    Cross,
    Clock,
    Pen,
    Info,
    Warning,
    Failed,
    Play,
    Denied,
}

impl Shape {
    fn path(self) -> &'static str {
        match self {
            Self::Check => "M3 8.5l3.5 3.5L13 4.5",
            Self::Cross => "M4 4l8 8M12 4l-8 8",
            Self::Clock => "M8 4v4.5l3 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13",
            Self::Pen => "M3 13l.5-3L11 2.5l2.5 2.5L6 12.5z",
            Self::Info => "M8 7v4.5M8 4.5v1M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13",
            Self::Warning => "M8 2l6.5 12h-13zM8 6.5v3.5M8 11.5v1",
            Self::Failed => {
                "M5.5 5.5l5 5M10.5 5.5l-5 5M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13"
            }
            Self::Play => "M5 3l7.5 5L5 13z",
            Self::Denied => "M3.5 3.5l9 9M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13",
        }
    }
}

/// A small drawing in the colour of the text.
#[component]
pub(super) fn Icon(shape: Shape) -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <path d=shape.path() fill="none" stroke="currentColor" stroke-width="1.5" />
        </svg>
    }
}
