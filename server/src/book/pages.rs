//! The pages, made from their files: HTML, and their parts for the search.

use std::sync::LazyLock;

use comrak::{
    Anchorizer, Arena, Options, format_html,
    nodes::{AstNode, NodeValue},
    parse_document,
};

/// Names a page and its file, from the root of the repository.
macro_rules! files {
    ($($name:literal: $path:literal),* $(,)?) => {
        [$(($name, $path, include_str!(concat!("../../../", $path)))),*]
    };
}

const FILES: [(&str, &str, &str); 47] = files![
    "index": "docs/index.md",
    "readme": "README.md",
    "install": "docs/install.md",
    "api": "docs/api.md",
    "agents": "docs/agents.md",
    "adapters": "docs/adapters.md",
    "moving": "docs/moving.md",
    "examples": "examples/README.md",
    "examples-python": "examples/python/README.md",
    "claude-code": "docs/claude-code.md",
    "mcp": "docs/mcp.md",
    "acp": "docs/acp.md",
    "opencode": "docs/opencode.md",
    "a2a": "docs/a2a.md",
    "answering": "docs/answering.md",
    "reach": "docs/reach.md",
    "second-factor": "docs/second-factor.md",
    "slack": "docs/slack.md",
    "sign-in": "docs/sign-in.md",
    "policies": "docs/policies.md",
    "teams": "docs/teams.md",
    "duty": "docs/duty.md",
    "ladders": "docs/ladders.md",
    "insights": "docs/insights.md",
    "operations": "docs/operations.md",
    "backup": "docs/backup.md",
    "scale": "docs/scale.md",
    "tracing": "docs/tracing.md",
    "attachments": "docs/attachments.md",
    "erasing": "docs/erasing.md",
    "performance": "docs/performance.md",
    "delivery": "docs/delivery.md",
    "receipts": "docs/receipts.md",
    "rules": "docs/rules.md",
    "guarantees": "docs/guarantees.md",
    "evidence": "docs/evidence.md",
    "security": "SECURITY.md",
    "inside": "docs/inside.md",
    "simulation": "docs/simulation.md",
    "architecture": "ARCHITECTURE.md",
    "decisions": "docs/decisions.md",
    "contributing": "CONTRIBUTING.md",
    "bench": "dev/bench/README.md",
    "scale-tried": "dev/scale/README.md",
    "prove": "dev/prove/README.md",
    "python": "clients/python/README.md",
    "typescript": "clients/typescript/README.md",
];

/// One page.
pub(super) struct Page {
    /// As in its address.
    pub(super) name: &'static str,
    /// Its first heading.
    pub(super) title: String,
    /// Its content.
    pub(super) html: String,
    /// The text under each heading, in order.
    pub(super) parts: Vec<Part>,
}

/// The text under a heading.
pub(super) struct Part {
    /// Its id in the page.
    pub(super) anchor: String,
    /// The heading.
    pub(super) title: String,
    /// Without any markup.
    pub(super) text: String,
}

/// The book.
pub(super) static BOOK: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let pages = FILES.iter();
    pages
        .map(|(name, path, text)| page(name, path, text))
        .collect()
});

fn page(name: &'static str, path: &str, text: &str) -> Page {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.header_id_prefix = Some(String::new());
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options);
    for node in root.descendants() {
        lead_within(node, path);
    }
    let parts = parts(root);
    let mut html = String::new();
    // Writing into a string cannot fail.
    let _ = format_html(root, &options, &mut html);
    // Content that has no room is moved to the side, and not the page with it.
    let html = html
        .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>");
    let title = parts.first().map_or(name, |part| &*part.title).to_owned();
    Page {
        name,
        title,
        html,
        parts,
    }
}

/// Links between files become links between pages; pictures, which are not here, what they say.
fn lead_within<'a>(node: &'a AstNode<'a>, path: &str) {
    let mut data = node.data.borrow_mut();
    match &mut data.value {
        NodeValue::Link(link) => {
            if let Some(address) = address(&link.url, path) {
                link.url = address;
            }
        }
        NodeValue::Image(_) => data.value = NodeValue::Emph,
        _ => {}
    }
}

/// Where a link of this file leads in the book; `None` where it leads out of it, or stays on its page.
fn address(link: &str, path: &str) -> Option<String> {
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    if file.is_empty() || file.contains("://") {
        return None;
    }
    let mut place: Vec<&str> = path.split('/').collect();
    place.pop();
    for step in file.split('/') {
        match step {
            ".." => drop(place.pop()),
            "." => {}
            step => place.push(step),
        }
    }
    let place = place.join("/");
    let (name, ..) = FILES
        .iter()
        .find(|(_, path, _)| *path == place || path.strip_suffix("/README.md") == Some(&place))?;
    let fragment = match fragment {
        "" => String::new(),
        fragment => format!("#{fragment}"),
    };
    Some(format!("/docs/{name}{fragment}"))
}

fn parts<'a>(root: &'a AstNode<'a>) -> Vec<Part> {
    let mut anchors = Anchorizer::new();
    let mut parts: Vec<Part> = Vec::new();
    for block in root.children() {
        let text = text(block);
        if matches!(block.data.borrow().value, NodeValue::Heading(_)) {
            parts.push(Part {
                anchor: anchors.anchorize(&text),
                title: text,
                text: String::new(),
            });
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(&text);
            part.text.push(' ');
        }
    }
    parts
}

fn text<'a>(block: &'a AstNode<'a>) -> String {
    let mut text = String::new();
    for node in block.descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(words) => text.push_str(words),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::CodeBlock(code) => text.push_str(&code.literal),
            NodeValue::SoftBreak
            | NodeValue::LineBreak
            | NodeValue::TableCell
            | NodeValue::Item(_) => text.push(' '),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_page_of_the_folder_is_in_the_book() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let files = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name());
        let files = files.filter_map(|name| name.to_str().map(str::to_owned));
        let files: BTreeSet<String> = files.filter(|name| name.ends_with(".md")).collect();
        let there = FILES
            .iter()
            .filter_map(|(_, path, _)| path.strip_prefix("docs/"));
        assert_eq!(files, there.map(str::to_owned).collect());
    }

    #[test]
    fn no_link_of_the_book_leads_nowhere() {
        let ids = |name: &str| {
            let page = BOOK.iter().find(|page| page.name == name);
            page.map(|page| {
                page.parts
                    .iter()
                    .map(|part| part.anchor.clone())
                    .collect::<Vec<_>>()
            })
        };
        let mut wrong = Vec::new();
        let mut seen = 0;
        for page in BOOK.iter() {
            for link in page.html.split("href=\"").skip(1) {
                let link = link.split('"').next().unwrap();
                let (place, fragment) = link.split_once('#').unwrap_or((link, ""));
                let name = match place {
                    "" => page.name,
                    place => match place.strip_prefix("/docs/") {
                        Some(name) => name,
                        None => {
                            // Out of the book; files of the repository that are not pages cannot be followed.
                            assert!(
                                place.contains("://") || !place.contains(".md"),
                                "{}: {link}",
                                page.name
                            );
                            continue;
                        }
                    },
                };
                seen += 1;
                let found = ids(name);
                let leads = found
                    .is_some_and(|ids| fragment.is_empty() || ids.iter().any(|id| id == fragment));
                if !leads {
                    wrong.push(format!("{}: {link}", page.name));
                }
            }
        }
        assert!(seen > 300, "{seen}");
        assert_eq!(wrong, [] as [String; 0]);
    }

    #[test]
    fn the_ids_of_parts_are_those_of_the_page() {
        for page in BOOK.iter() {
            for part in &page.parts {
                let id = format!("id=\"{}\"", part.anchor);
                assert!(page.html.contains(&id), "{}: {id}", page.name);
            }
        }
    }

    #[test]
    fn a_link_between_files_is_one_between_pages() {
        for (link, path, expected) in [
            ("api.md#kinds", "docs/index.md", Some("/docs/api#kinds")),
            ("../SECURITY.md", "docs/index.md", Some("/docs/security")),
            ("docs/api.md", "README.md", Some("/docs/api")),
            ("../clients/python", "docs/index.md", Some("/docs/python")),
            ("#here", "docs/api.md", None),
            ("https://h.example/api.md", "docs/api.md", None),
            ("LICENSE-MIT", "README.md", None),
        ] {
            assert_eq!(address(link, path).as_deref(), expected, "{link}");
        }
    }
}
