//! The paths that documents name exist: a file that has moved is not looked for where it was.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::workspace::Workspace;

/// The pages at the root; those in `docs/` are found.
const PAGES: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
];

/// The beginnings of our paths.
const ROOMS: [&str; 10] = [
    "app/",
    "clients/",
    "crates/",
    "dev/",
    "docs/",
    "end2end/",
    "frontend/",
    "migrations/",
    "server/",
    "style/",
];

/// The output of test runs.
const MADE: [&str; 1] = ["end2end/test-results"];

#[test]
fn every_path_that_a_document_names_is_there() {
    let root = Workspace::find().unwrap().root;
    let mut pages: Vec<PathBuf> = PAGES.iter().map(|page| root.join(page)).collect();
    for page in fs::read_dir(root.join("docs")).unwrap() {
        let page = page.unwrap().path();
        pages.extend(Some(page).filter(|page| page.extension().is_some_and(|it| it == "md")));
    }
    let mut missing = Vec::new();
    let mut seen = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for path in text.split(['`', '(', ')', ' ', '\n']).flat_map(paths) {
            seen += 1;
            if !is_there(&root, &path) {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert_eq!(missing, [] as [String; 0]);
}

/// Those that a word names: `server/src/{api,mcp}/` names two.
fn paths(word: &str) -> Vec<String> {
    let word = word.trim_end_matches(['.', ',', ';', ':']);
    let word = word.split('#').next().unwrap_or(word);
    if !ROOMS.iter().any(|room| word.starts_with(room)) || word.contains(['*', '<', '$']) {
        return Vec::new();
    }
    match word.split_once('{').zip(word.split_once('}')) {
        Some(((before, _), (inner, after))) => {
            let choices = inner.split_once('{').map_or("", |(_, choices)| choices);
            let all = choices.split(',');
            all.map(|choice| format!("{before}{choice}{after}"))
                .collect()
        }
        None => vec![word.to_owned()],
    }
}

fn is_there(root: &Path, path: &str) -> bool {
    MADE.contains(&path) || root.join(path).exists()
}

#[test]
fn a_word_names_its_paths() {
    assert_eq!(paths("`".trim()), [] as [String; 0]);
    assert_eq!(
        paths("server/src/{a,b}.rs"),
        ["server/src/a.rs", "server/src/b.rs"]
    );
    assert_eq!(paths("docs/api.md#kinds,"), ["docs/api.md"]);
    assert_eq!(paths("docs/slack/*.png"), [] as [String; 0]);
}
