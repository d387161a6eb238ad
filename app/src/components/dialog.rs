//! A `<dialog>` that is a page: it has an address, and closing it goes back to where it was opened. Until
//! the wasm runs it is open without being modal, so its form works.

use leptos::{ev, html, prelude::*};
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
};

use super::held_lines::HeldLines;
use crate::desk::place::Place;

/// The page that was there before the dialog; the overview when there was none.
#[derive(Clone, Copy)]
pub(crate) struct CameFrom(RwSignal<String>);

impl CameFrom {
    /// Remembers each page that is no dialog, for what is below.
    pub(crate) fn provide() {
        let here = use_location();
        let from = RwSignal::new("/".to_owned());
        provide_context(Self(from));
        Effect::new(move |_| {
            let path = here.pathname.get();
            if Place::at(&path).is_none() {
                from.set(match here.search.get() {
                    search if search.is_empty() => path,
                    search => format!("{path}?{search}"),
                });
            }
        });
    }

    /// Its address.
    pub(crate) fn address() -> RwSignal<String> {
        match use_context::<Self>() {
            Some(Self(from)) => from,
            None => RwSignal::new("/".to_owned()),
        }
    }
}

/// The id of the heading that names the dialog.
pub(super) const TITLE: &str = "dialog-title";

/// A dialog over the desk.
#[component]
pub(crate) fn Dialog(children: Children) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let navigate = use_navigate();
    let back = CameFrom::address();
    let close = move || navigate(&back.get_untracked(), NavigateOptions::default());

    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            // The server sent it open; modal is something only a script can make it.
            dialog.close();
            let _ = dialog.show_modal();
            // While it is empty, the first thing in it is the way to undo what was sent before: a key would.
            let focused = document().active_element();
            if focused.is_some_and(|it| matches!(it.closest(".held-lines"), Ok(Some(_)))) {
                let _ = dialog.focus();
            }
        }
    });
    let on_cancel = {
        let close = close.clone();
        move |event: ev::Event| {
            event.prevent_default();
            close();
        }
    };
    let on_click = move |event: ev::MouseEvent| {
        // Only the backdrop: everything else in the dialog lies in its children.
        let backdrop = dialog
            .get_untracked()
            .is_some_and(|dialog| event.target().as_ref() == Some(dialog.as_ref()));
        if backdrop {
            close();
        }
    };
    view! {
        <dialog
            class="dialog"
            aria-labelledby=TITLE
            open
            tabindex="-1"
            node_ref=dialog
            on:cancel=on_cancel
            on:click=on_click
        >
            <div class="dialog-sheet">{children()}</div>
            <HeldLines />
        </dialog>
    }
}

/// Puts the focus where the arrow keys scroll, unless it is on something already: a text area takes it
/// itself, and to an approval's buttons nothing leads by accident.
pub(super) fn focus_what_is_read(main: NodeRef<html::Div>) {
    Effect::new(move |_| {
        let Some(main) = main.get() else { return };
        request_animation_frame(move || {
            let focused = document().active_element();
            let free = focused.is_none_or(|focused| {
                matches!(focused.tag_name().as_str(), "BODY" | "DIALOG")
                    || focused.class_list().contains("dialog-close")
            });
            if free {
                let _ = main.focus();
            }
        });
    });
}
