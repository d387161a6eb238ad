//! What this program was built from. `cargo xtask build` tells the compiler.

/// The lines of `handraise --version --verbose`: a name and a value each, after the version itself.
pub(crate) fn built() -> String {
    let unknown = "unknown: not built by cargo xtask build";
    let linked = if cfg!(target_feature = "crt-static") {
        "static"
    } else {
        "dynamic"
    };
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    let page = server::ui::assets::names().map_or("none".to_owned(), |names| names.script);
    format!(
        "handraise {}\ncommit: {}\nrustc: {}\ntarget: {} {}, {linked}\nprofile: {profile}\nschema: {}\npage: {page}\n",
        env!("CARGO_PKG_VERSION"),
        option_env!("HANDRAISE_BUILT_FROM").unwrap_or(unknown),
        option_env!("HANDRAISE_BUILT_BY").unwrap_or(unknown),
        std::env::consts::ARCH,
        std::env::consts::OS,
        store::newest_schema(),
    )
}
