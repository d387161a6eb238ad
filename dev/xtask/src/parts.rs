//! Takes the compiled page apart: the first part is what every visit loads, the others come when a page
//! of theirs is opened. `#[wasm_split]` in `app` says where the cuts are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, Module, ModuleConfig};
use wasm_bindgen_cli_support::Bindgen;

use crate::files::{self, Files};

/// As the loader calls the bindings.
pub(crate) const SCRIPT: &str = "./handraise.js";
/// As the bindings call the loader.
pub(crate) const LOADER: &str = "./loader.js";

/// Leptos can hydrate step by step, for which every kind of view has code of its own, named like this.
/// `frontend` hydrates at once; nothing calls it, but tables of functions keep it: 6 % of the first part.
const NEVER_CALLED: &str = "hydrate_async";

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

/// Takes out what is never called, and the functions' names: a third of the file, with which a private
/// window's cache takes none of it, and every page loads all of it again.
fn lighten(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = ModuleConfig::new()
        .generate_name_section(false)
        .generate_producers_section(false)
        .parse(wasm)?;
    let never_called: Vec<_> = module
        .funcs
        .iter_local()
        .map(|(id, _)| id)
        .filter(|&id| {
            let name = module.funcs.get(id).name.as_deref();
            name.is_some_and(|name| name.contains(NEVER_CALLED))
        })
        .collect();
    for id in never_called {
        empty(&mut module, id);
    }
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Leaves a function that stops the program if it is called after all.
fn empty(module: &mut Module, function: FunctionId) {
    let kind = module.types.get(module.funcs.get(function).ty());
    let (parameters, results) = (kind.params().to_vec(), kind.results().to_vec());
    let mut body = FunctionBuilder::new(&mut module.types, &parameters, &results);
    body.func_body().unreachable();
    let arguments = parameters.iter().map(|&kind| module.locals.add(kind));
    let body = body.local_func(arguments.collect());
    module.funcs.get_mut(function).kind = FunctionKind::Local(body);
}
