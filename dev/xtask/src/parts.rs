//! Takes the compiled page apart: the first part is what every visit loads, the others come when a page
//! of theirs is opened. `#[wasm_split]` in `app` says where the cuts are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use walrus::ModuleConfig;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    files::{self, Files},
    order,
};

/// As the loader calls the bindings.
pub(crate) const SCRIPT: &str = "./handraise.js";
/// As the bindings call the loader.
pub(crate) const LOADER: &str = "./loader.js";

/// The page, before its files have the names by which they are served.
pub(crate) struct Program {
    /// The bindings.
    pub(crate) script: String,
    /// The first part.
    pub(crate) wasm: Vec<u8>,
    /// Fetches the others.
    pub(crate) loader: String,
    /// The others, as the loader calls them.
    pub(crate) parts: Files,
    /// Which of them a cut needs.
    pub(crate) needs: BTreeMap<String, Vec<String>>,
    /// What crates bring along in JavaScript.
    pub(crate) snippets: Files,
}

/// Splits the program and makes its bindings, by way of `directory`.
pub(crate) fn take_apart(wasm: &Path, directory: &Path) -> Result<Program> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    let cut = directory.join("parts");
    let first = directory.join("first.wasm");
    let whole = files::read(wasm)?;
    let mut options = wasm_split_cli_support::Options::new(&whole);
    options.output_dir = &cut;
    options.main_out_path = &first;
    options.main_module = SCRIPT;
    options.link_name = LOADER;
    let split = wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("splitting the program: {error:#}"))?;

    let bindings = directory.join("bindings");
    let mut output = Bindgen::new()
        .input_path(&first)
        .out_name("handraise")
        .web(true)?
        .typescript(false)
        // The wasm gets a name of its own, so the script cannot know where it is: `boot` tells it.
        .omit_default_module_path(true)
        // By these the parts get at the first one's functions and memory.
        .keep_lld_exports(true)
        .generate_output()
        .context("generating the bindings")?;
    output.emit(&bindings)?;

    let mut parts = files::below(&cut)?;
    let loader = parts
        .remove(LOADER.trim_start_matches("./"))
        .context("the split program has no loader")?;
    for part in parts.values_mut() {
        *part = lighten(part)?;
    }
    let needs = split.prefetch_map.into_iter();
    Ok(Program {
        script: String::from_utf8(files::read(&bindings.join("handraise.js"))?)?,
        wasm: lighten(&files::read(&bindings.join("handraise_bg.wasm"))?)?,
        loader: String::from_utf8(loader)?,
        parts,
        needs: needs
            .map(|(cut, stems)| {
                let files = stems.into_iter().map(|stem| format!("{stem}.wasm"));
                (cut, files.collect())
            })
            .collect(),
        snippets: files::below(&bindings.join("snippets"))?,
    })
}

/// Takes out the functions' names: a third of the file, with which a private window's cache takes none of it, and every
/// page loads all of it again. Ordered, it takes a twentieth less on the way.
fn lighten(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = ModuleConfig::new()
        .generate_name_section(false)
        .generate_producers_section(false)
        .parse(wasm)?;
    walrus::passes::gc::run(&mut module);
    order::in_order(&module.emit_wasm())
}
