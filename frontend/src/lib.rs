//! The page's entry in the browser. Uses `app`. Begin with `app`'s `App`: there is nothing else here.

use wasm_bindgen::prelude::wasm_bindgen;

/// Takes over the page the server rendered.
#[wasm_bindgen]
pub async fn hydrate() {
    console_error_panic_hook::set_once();
    app::load_for_this_page().await;
    // Not lazily: what the page shows is here, and the build takes out the code that could wait for it.
    leptos::mount::hydrate_body(app::App);
}
