//! `target/site`: what the server embeds and serves at `/pkg/`. Names carry a hash of the content, so
//! browsers may keep the files for ever; `assets.json` tells the server which names are in force.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::files::{self, Files};
use crate::parts::{LOADER, Program, SCRIPT};

/// Starts the page. Who goes back before it runs gets the page of that address from the server: this one was
/// rendered for another, and would be taken over as if it were that.
const BOOT: &str = "\
const here = () => location.pathname + location.search;
const rendered = here();
const follow = () => { if (here() !== rendered) location.reload(); };
addEventListener('popstate', follow);
const { default: init, hydrate } = await import('./{script}');
await init({ module_or_path: new URL('./{wasm}', import.meta.url) });
await hydrate();
document.documentElement.dataset.runs = '';
removeEventListener('popstate', follow);
";

pub(crate) struct Site {
    directory: PathBuf,
    files: Files,
    boot: String,
    script: String,
    loader: String,
    wasm: String,
    /// The files of each part but the first.
    parts: BTreeMap<String, Vec<String>>,
    style: String,
}

impl Site {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            files: Files::new(),
            boot: String::new(),
            script: String::new(),
            loader: String::new(),
            wasm: String::new(),
            parts: BTreeMap::new(),
            style: String::new(),
        }
    }

    pub(crate) fn add_all(&mut self, prefix: &str, files: Files) {
        let files = files.into_iter();
        self.files
            .extend(files.map(|(name, content)| (format!("{prefix}{name}"), content)));
    }

    pub(crate) fn add_style(&mut self, style: Vec<u8>) {
        self.style = self.add_hashed("main", "css", style);
    }

    /// Adds the program and the module that starts it. A module of its own, because the page's
    /// content security policy admits no inline script.
    pub(crate) fn add_program(&mut self, program: Program) -> Result<()> {
        let mut loader = program.loader;
        let mut names = BTreeMap::new();
        for (called, part) in program.parts {
            let stem = called.trim_end_matches(".wasm").replace("split_", "");
            let name = self.add_hashed(&stem, "wasm", part);
            loader = rename(&loader, &format!("./{called}"), &name)?;
            names.insert(called, name);
        }
        for (part, files) in program.needs {
            let files = files.iter().filter_map(|called| names.get(called).cloned());
            self.parts.insert(part, files.collect());
        }
        self.wasm = self.add_hashed("handraise", "wasm", program.wasm);
        // Each of the two imports the other, so neither hash can have the other's name in it.
        let hash = hash([program.script.as_bytes(), loader.as_bytes()]);
        self.script = format!("handraise-{hash}.js");
        self.loader = format!("loader-{hash}.js");
        let script = rename(&program.script, LOADER, &self.loader)?;
        let loader = rename(&loader, SCRIPT, &self.script)?;
        self.files.insert(self.script.clone(), script.into_bytes());
        self.files.insert(self.loader.clone(), loader.into_bytes());
        let boot = BOOT
            .replace("{script}", &self.script)
            .replace("{wasm}", &self.wasm);
        self.boot = self.add_hashed("boot", "js", boot.into_bytes());
        self.add_all("snippets/", program.snippets);
        Ok(())
    }

    pub(crate) fn add_index(&mut self) -> Result<()> {
        let index = serde_json::to_vec_pretty(&json!({
            "boot": self.boot,
            "script": self.script,
            "loader": self.loader,
            "wasm": self.wasm,
            "parts": self.parts,
            "style": self.style,
        }))?;
        self.files.insert("assets.json".to_owned(), index);
        Ok(())
    }

    fn add_hashed(&mut self, stem: &str, extension: &str, content: Vec<u8>) -> String {
        let name = format!("{stem}-{}.{extension}", hash([content.as_slice()]));
        self.files.insert(name.clone(), content);
        name
    }

    /// Puts a `.br` beside each file worth it, taking over what an earlier build made of the same
    /// content.
    pub(crate) fn compress(&mut self) -> Result<()> {
        let present = files::below(&self.directory)?;
        let mut compressed = Files::new();
        for (name, content) in &self.files {
            let worth_it = [".js", ".wasm", ".css"];
            if !worth_it.iter().any(|ending| name.ends_with(ending)) {
                continue;
            }
            let brotli_name = format!("{name}.br");
            let smaller = match present.get(&brotli_name) {
                Some(earlier) if present.get(name) == Some(content) => earlier.clone(),
                _ => brotli(content).with_context(|| format!("compressing {name}"))?,
            };
            compressed.insert(brotli_name, smaller);
        }
        self.files.append(&mut compressed);
        Ok(())
    }

    /// The sizes of the parts in kB, plain and compressed; the first one comes first.
    pub(crate) fn wasm_sizes(&self) -> Vec<(&str, usize, usize)> {
        let wasm = self.files.iter().filter_map(|(name, content)| {
            let compressed = self.files.get(&format!("{name}.br"))?;
            let kb = |content: &[u8]| content.len() / 1000;
            name.ends_with(".wasm")
                .then_some((name.as_str(), kb(content), kb(compressed)))
        });
        let mut sizes: Vec<_> = wasm.collect();
        sizes.sort_by_key(|(name, ..)| *name != self.wasm);
        sizes
    }

    /// The size of the first part in kB, compressed.
    pub(crate) fn first_part(&self) -> Option<usize> {
        Some(self.files.get(&format!("{}.br", self.wasm))?.len() / 1000)
    }

    /// Describes what the site is made from: the files added so far, the compiled program, and this
    /// one, which does the making. For programs their times will do; hashing them takes seconds.
    pub(crate) fn fingerprint(&self, profile: &str, wasm: &Path) -> Result<String> {
        let mut description = profile.to_owned();
        for program in [wasm, &std::env::current_exe()?] {
            let metadata = fs::metadata(program)
                .with_context(|| format!("looking at {}", program.display()))?;
            let modified = metadata.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
            description += &format!(" {} {} {modified}", program.display(), metadata.len());
        }
        let files = self.files.iter();
        Ok(hash(
            files
                .flat_map(|(name, content)| [name.as_bytes(), content])
                .chain([description.as_bytes()]),
        ))
    }

    /// Whether what is there was made from what `fingerprint` describes.
    pub(crate) fn is_current(&self, fingerprint: &str) -> bool {
        self.directory.join("assets.json").exists()
            && fs::read_to_string(self.record()).is_ok_and(|record| record == fingerprint)
    }

    pub(crate) fn write(&self, fingerprint: &str) -> Result<()> {
        files::write(&self.directory, &self.files)?;
        let record = self.record();
        fs::write(&record, fingerprint).with_context(|| format!("writing {}", record.display()))
    }

    /// Beside the directory, not in it: everything in it is embedded.
    fn record(&self) -> PathBuf {
        self.directory.with_extension("fingerprint")
    }
}

/// Has one module import another by the name under which it is served. As a key of an object, the old name stays: the
/// program knows its imports by it.
fn rename(module: &str, from: &str, to: &str) -> Result<String> {
    let mut renamed = module.to_owned();
    for before in ["from ", "URL("] {
        let old = format!("{before}\"{from}\"");
        renamed = renamed.replace(&old, &format!("{before}\"./{to}\""));
    }
    ensure!(renamed != module, "no module imports {from}");
    Ok(renamed)
}

/// Sixty-four bits of SHA-256 in hexadecimal. The lengths keep neighbours apart.
fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let bytes = digest.iter().take(8);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn brotli(content: &[u8]) -> Result<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        size_hint: content.len(),
        ..Default::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &params)?;
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Program {
            script: format!("import * as import1 from \"{LOADER}\"\n({{ \"{LOADER}\": import1 }})"),
            wasm: vec![0; 1000],
            loader: format!(
                "import {{ initSync }} from \"{SCRIPT}\";\n\
                 fetch(new URL(\"./split_rest.wasm\", import.meta.url));"
            ),
            parts: Files::from([("split_rest.wasm".into(), vec![1; 1000])]),
            needs: BTreeMap::from([("rest".into(), vec!["split_rest.wasm".into()])]),
            snippets: Files::from([("a/inline0.js".into(), vec![1])]),
        }
    }

    fn site_in(directory: &Path) -> Site {
        let mut site = Site::new(directory.to_path_buf());
        site.add_style(b"body{}".to_vec());
        site.add_program(program()).unwrap();
        site.add_index().unwrap();
        site
    }

    #[test]
    fn names_follow_content_and_stale_files_go() {
        let directory = std::env::temp_dir().join(format!("xtask-site-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("handraise-old.js"), "stale").unwrap();

        let mut site = site_in(&directory);
        site.compress().unwrap();
        site.write("first").unwrap();
        let written = files::below(&directory).unwrap();
        assert!(site.is_current("first") && !site.is_current("second"));
        assert_eq!(written, site.files);
        assert!(written.contains_key("snippets/a/inline0.js"));
        assert!(written[&format!("{}.br", site.wasm)].len() < 1000);
        let boot = String::from_utf8(written[&site.boot].clone()).unwrap();
        assert!(boot.contains(&site.script) && boot.contains(&site.wasm));
        let text = |name: &str| String::from_utf8(written[name].clone()).unwrap();
        assert_eq!(
            text(&site.script),
            format!(
                "import * as import1 from \"./{}\"\n({{ \"{LOADER}\": import1 }})",
                site.loader
            )
        );
        let loader = text(&site.loader);
        assert!(loader.contains(&site.script) && loader.contains(&site.parts["rest"][0]));

        let stamp = |name: &str| {
            fs::metadata(directory.join(name))
                .unwrap()
                .modified()
                .unwrap()
        };
        let before = stamp(&site.script);
        let mut restyled = site_in(&directory);
        restyled.files.remove(&site.style);
        restyled.add_style(b"body{color:red}".to_vec());
        restyled.write("second").unwrap();
        assert_ne!(site.style, restyled.style);
        assert_eq!(before, stamp(&site.script));
        assert!(!directory.join(&site.style).exists());

        fs::remove_dir_all(&directory).unwrap();
        fs::remove_file(site.record()).unwrap();
    }
}
