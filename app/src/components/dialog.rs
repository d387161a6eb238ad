//! A `<dialog>` that is a page: it has an address, and closing it goes back to the desk. Until the wasm
//! runs it is open without being modal, so its form works.

use leptos::{ev, html, prelude::*};
use leptos_router::{NavigateOptions, hooks::use_navigate};

/// A dialog over the desk.
#[component]
pub(crate) fn Dialog(children: Children) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let navigate = use_navigate();
    let close = move || navigate("/", NavigateOptions::default());

    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            // The server sent it open; modal is something only a script can make it.
            dialog.close();
            let _ = dialog.show_modal();
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
        // Only the backdrop: everything else in the dialog lies in its one child.
        let backdrop = dialog
            .get_untracked()
            .is_some_and(|dialog| event.target().as_ref() == Some(dialog.as_ref()));
        if backdrop {
            close();
        }
    };
    view! {
        <dialog class="dialog" open node_ref=dialog on:cancel=on_cancel on:click=on_click>
            <div class="dialog-sheet">{children()}</div>
        </dialog>
    }
}
