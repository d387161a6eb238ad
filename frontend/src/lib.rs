//! The page's entry in the browser. Uses `app`. Begin with `app`'s `App`: there is nothing else here.

use wasm_bindgen::prelude::wasm_bindgen;

/// Takes over the page the server rendered.
#[wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(app::App);
}
