//! The limits of blocks, each fault with its JSON pointer as Slack gives it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where blocks are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    Message,
    Modal,
}

/// What is wrong so far.
#[derive(Default)]
pub(super) struct Faults(pub(super) Vec<String>);

/// What kinds of text there may be.
pub(super) const PLAIN: &[&str] = &["plain_text"];
pub(super) const ANY: &[&str] = &["plain_text", "mrkdwn"];

/// All that is wrong with these blocks.
pub(super) fn check(blocks: &[Value], surface: Surface) -> Vec<String> {
    let mut faults = Faults::default();
    let most = match surface {
        Surface::Message => 50,
        Surface::Modal => 100,
    };
    if blocks.len() > most {
        faults.add(&format!("no more than {most} items allowed"), "/blocks");
    }
    let mut ids = BTreeSet::new();
    for (n, block) in blocks.iter().enumerate() {
        let at = format!("/blocks/{n}");
        if let Some(id) = faults.name(block, "block_id", &at)
            && !ids.insert(id.to_owned())
        {
            faults.add("block_id already exists", &format!("{at}/block_id"));
        }
        faults.block(block, surface, &at);
        let mut actions = BTreeSet::new();
        let elements = block["elements"].as_array().into_iter().flatten();
        for element in elements
            .chain(block.get("accessory"))
            .chain(block.get("element"))
        {
            if let Some(id) = element["action_id"].as_str()
                && !actions.insert(id)
            {
                faults.add(&format!("action_id `{id}` already exists"), &at);
            }
        }
    }
    faults.0
}

impl Faults {
    pub(super) fn add(&mut self, what: &str, at: &str) {
        self.0.push(format!("{what} [json-pointer:{at}]"));
    }

    fn block(&mut self, block: &Value, surface: Surface, at: &str) {
        match block["type"].as_str().unwrap_or_default() {
            "divider" => {}
            "header" => self.text(&block["text"], PLAIN, 150, &format!("{at}/text")),
            "section" => self.section(block, at),
            "context" => self.context(block, at),
            "actions" => {
                let elements = self.list(&block["elements"], 25, &format!("{at}/elements"));
                for (n, element) in elements.iter().enumerate() {
                    self.element(element, &format!("{at}/elements/{n}"));
                }
            }
            "markdown" => {
                let length = block["text"].as_str().map_or(0, length);
                self.within(length, 1, 12_000, &format!("{at}/text"));
            }
            "rich_text" => self.rich_text(block, at),
            "input" if surface == Surface::Modal => {
                self.text(&block["label"], PLAIN, 2_000, &format!("{at}/label"));
                if let Some(hint) = block.get("hint") {
                    self.text(hint, PLAIN, 2_000, &format!("{at}/hint"));
                }
                self.element(&block["element"], &format!("{at}/element"));
            }
            other => self.add(&format!("unsupported type: {other}"), &format!("{at}/type")),
        }
    }

    fn section(&mut self, block: &Value, at: &str) {
        let fields = block.get("fields");
        if let Some(text) = block.get("text") {
            self.text(text, ANY, 3_000, &format!("{at}/text"));
        } else if fields.is_none() {
            self.add("missing required field: text", at);
        }
        if let Some(fields) = fields {
            let items = self.list(fields, 10, &format!("{at}/fields"));
            for (n, field) in items.iter().enumerate() {
                self.text(field, ANY, 2_000, &format!("{at}/fields/{n}"));
            }
        }
        if block.get("expand").is_some_and(|it| !it.is_boolean()) {
            self.add("must be a boolean", &format!("{at}/expand"));
        }
        if let Some(accessory) = block.get("accessory") {
            self.element(accessory, &format!("{at}/accessory"));
        }
    }

    fn context(&mut self, block: &Value, at: &str) {
        let elements = self.list(&block["elements"], 10, &format!("{at}/elements"));
        for (n, element) in elements.iter().enumerate() {
            self.text(element, ANY, 3_000, &format!("{at}/elements/{n}"));
        }
    }

    /// Sections and preformatted text, of plain text.
    fn rich_text(&mut self, block: &Value, at: &str) {
        let parts = self.list(&block["elements"], 100, &format!("{at}/elements"));
        for (n, part) in parts.iter().enumerate() {
            let at = format!("{at}/elements/{n}");
            if part["type"] != "rich_text_section" && part["type"] != "rich_text_preformatted" {
                self.add(
                    &format!("unsupported type: {}", part["type"]),
                    &format!("{at}/type"),
                );
            }
            let texts = self.list(&part["elements"], 100, &format!("{at}/elements"));
            for (n, text) in texts.iter().enumerate() {
                let at = format!("{at}/elements/{n}");
                if text["type"] != "text" {
                    self.add("must be text", &format!("{at}/type"));
                }
                let length = text["text"].as_str().map_or(0, length);
                self.within(length, 1, 12_000, &format!("{at}/text"));
            }
        }
    }

    /// A text object of this length at most.
    pub(super) fn text(&mut self, text: &Value, kinds: &[&str], most: usize, at: &str) {
        let Some(words) = text["text"].as_str() else {
            self.add("missing required field: text", at);
            return;
        };
        if !kinds.iter().any(|kind| text["type"] == *kind) {
            self.add(
                &format!("must be {}", kinds.join(" or ")),
                &format!("{at}/type"),
            );
        }
        self.within(length(words), 1, most, &format!("{at}/text"));
    }

    pub(super) fn within(&mut self, length: usize, least: usize, most: usize, at: &str) {
        if length < least {
            self.add(&format!("must be more than {} characters", least - 1), at);
        } else if length > most {
            self.add(&format!("must be less than {} characters", most + 1), at);
        }
    }

    /// One to `most` items.
    pub(super) fn list<'a>(&mut self, list: &'a Value, most: usize, at: &str) -> &'a [Value] {
        let items = list.as_array().map_or(&[][..], Vec::as_slice);
        if items.is_empty() {
            self.add("no fewer than 1 items allowed", at);
        } else if items.len() > most {
            self.add(&format!("no more than {most} items allowed"), at);
        }
        items
    }

    /// A name of 255 characters at most, if there is one.
    pub(super) fn name<'a>(&mut self, of: &'a Value, name: &str, at: &str) -> Option<&'a str> {
        let id = of.get(name)?.as_str()?;
        self.within(length(id), 1, 255, &format!("{at}/{name}"));
        Some(id)
    }
}

/// As JavaScript counts, which is the strictest.
pub(super) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}
