//! Slack's limits, written down a second time and apart from the program: what these functions let pass, Slack
//! takes. Counted as Slack might count at worst: in UTF-16 units, after escaping.

use std::collections::HashSet;

use serde_json::Value;

use super::super::{Card, HomeView, View};

/// What is wrong with a card, as a message that is posted.
pub(super) fn of_card(card: &Card) -> Vec<String> {
    let mut faults = Faults::default();
    let raw = card.text.encode_utf16().count();
    faults.require(raw <= 3_900, "text is too long");
    faults.require(!card.text.trim().is_empty(), "text is empty");
    faults.require(is_escaped(&card.text), "text has markup");
    let blocks = serde_json::to_value(&card.blocks).unwrap();
    let blocks = blocks.as_array().unwrap();
    faults.require((1..=50).contains(&blocks.len()), "number of blocks");
    faults.blocks(blocks);
    // slackapi/bolt-js#2867: refused at 11,341 characters of text, for a limit nobody names.
    faults.require(faults.said <= 9_500, "all texts together");
    faults.found
}

/// What is wrong with a modal.
pub(super) fn of_view(view: &View) -> Vec<String> {
    let mut faults = Faults::default();
    let view = serde_json::to_value(view).unwrap();
    faults.require(view["type"] == "modal", "type");
    for part in ["title", "submit", "close"] {
        faults.plain(&view[part], 24);
    }
    faults.string(&view["callback_id"], 255);
    faults.string(&view["private_metadata"], 3_000);
    faults.require(view.to_string().len() <= 250_000, "view is too large");
    let blocks = view["blocks"].as_array().unwrap();
    faults.require((1..=100).contains(&blocks.len()), "number of blocks");
    faults.blocks(blocks);
    faults.found
}

/// What is wrong with the app's home.
pub(super) fn of_home(view: &HomeView) -> Vec<String> {
    let mut faults = Faults::default();
    let view = serde_json::to_value(view).unwrap();
    faults.require(view["type"] == "home", "type");
    faults.require(view.to_string().len() <= 250_000, "view is too large");
    let blocks = view["blocks"].as_array().unwrap();
    faults.require((1..=100).contains(&blocks.len()), "number of blocks");
    faults.blocks(blocks);
    faults.found
}

/// Every object with a button's or a menu's name, and the value it sends.
pub(super) fn controls(card: &Card) -> Vec<(String, String)> {
    let blocks = serde_json::to_value(&card.blocks).unwrap();
    let mut found = Vec::new();
    for block in blocks.as_array().unwrap() {
        for element in block["elements"].as_array().into_iter().flatten() {
            let Some(name) = element["action_id"].as_str() else {
                continue;
            };
            let options = element["options"].as_array().into_iter().flatten();
            let values = options
                .chain([element])
                .filter_map(|it| it["value"].as_str());
            found.extend(values.map(|value| (name.to_owned(), value.to_owned())));
            if element["url"].is_string() {
                found.push((name.to_owned(), String::new()));
            }
        }
    }
    found
}

/// Whether Slack finds no markup: each `&` begins an entity, and there is no `<` and no `>`.
pub(super) fn is_escaped(text: &str) -> bool {
    let entity = |rest: &str| ["amp;", "lt;", "gt;"].iter().any(|it| rest.starts_with(it));
    !text.contains(['<', '>']) && text.split('&').skip(1).all(entity)
}

#[derive(Default)]
struct Faults {
    found: Vec<String>,
    said: usize,
    block_ids: HashSet<String>,
}

impl Faults {
    fn require(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.found.push(otherwise.to_owned());
        }
    }

    fn string(&mut self, value: &Value, max: usize) {
        let text = value.as_str().unwrap_or_default();
        let worst: usize = text
            .chars()
            .map(|c| match c {
                '&' => 5,
                '<' | '>' => 4,
                c => c.len_utf16(),
            })
            .sum();
        self.said += worst;
        self.require(
            (1..=max).contains(&worst),
            &format!("{worst} characters of {max}: {value}"),
        );
    }

    fn only(&mut self, object: &Value, fields: &[&str]) {
        let object = object.as_object().unwrap();
        for field in object.keys() {
            self.require(
                fields.contains(&field.as_str()),
                &format!("unknown {field}: {object:?}"),
            );
        }
    }

    fn plain(&mut self, text: &Value, max: usize) {
        self.only(text, &["type", "text", "emoji"]);
        self.require(
            text["type"] == "plain_text" && text["emoji"] == false,
            "not plain",
        );
        self.string(&text["text"], max);
        let visible = |c: char| !c.is_whitespace() && c != '\u{200d}';
        self.require(
            text["text"].as_str().unwrap().chars().any(visible),
            "nothing to see",
        );
    }

    fn text(&mut self, text: &Value) {
        if text["type"] == "plain_text" {
            return self.plain(text, 3_000);
        }
        self.only(text, &["type", "text", "verbatim"]);
        self.require(
            text["type"] == "mrkdwn" && text["verbatim"] == true,
            "not verbatim",
        );
        self.string(&text["text"], 3_000);
        self.markup(text["text"].as_str().unwrap());
    }

    /// Only dates, links to the dashboard and our own words.
    fn markup(&mut self, text: &str) {
        let mut rest = text;
        let mut words = String::new();
        while let Some((before, after)) = rest.split_once('<') {
            words.push_str(before);
            let (marked, after) = after.split_once('>').unwrap_or((after, ""));
            let (target, label) = marked.split_once('|').unwrap_or((marked, ""));
            let ours =
                target.starts_with("!date^") || target.starts_with("https://handraise.example/");
            self.require(ours, &format!("markup {marked}"));
            let is_our_word = |c: char| c.is_ascii_alphanumeric() || " :-".contains(c);
            self.require(label.chars().all(is_our_word), &format!("label {label}"));
            rest = after;
        }
        words.push_str(rest);
        let known = [
            "",
            "If nobody answers by :",
            "Closed ",
            "Told ",
            "until ",
            "Until ",
            "Asked ",
            "Answer before ",
            "You are on it until ",
            "This is not all of it. ",
            "This is not all of it. The rest is on the dashboard.",
        ];
        self.require(known.contains(&&*words), &format!("words {words}"));
    }

    fn blocks(&mut self, blocks: &[Value]) {
        for block in blocks {
            let id = block["block_id"].as_str().unwrap_or_default().to_owned();
            self.require((1..=255).contains(&id.len()), "block_id");
            let new = self.block_ids.insert(id);
            self.require(new, "block_id stands twice");
            self.block(block);
        }
    }

    fn block(&mut self, block: &Value) {
        let elements = block["elements"].as_array().cloned().unwrap_or_default();
        match block["type"].as_str().unwrap() {
            "header" => {
                self.only(block, &["type", "block_id", "text"]);
                self.plain(&block["text"], 150);
            }
            "section" => {
                self.only(block, &["type", "block_id", "text", "expand"]);
                // Slack may fold it behind "See more" otherwise.
                self.require(block["expand"] == true, "may be folded");
                self.text(&block["text"]);
            }
            "context" => {
                self.only(block, &["type", "block_id", "elements"]);
                self.require((1..=10).contains(&elements.len()), "context elements");
                elements.iter().for_each(|element| self.text(element));
            }
            "rich_text" => {
                self.only(block, &["type", "block_id", "elements"]);
                self.require(elements.len() == 1, "parts of rich text");
                for part in &elements {
                    self.only(part, &["type", "elements"]);
                    for text in part["elements"].as_array().unwrap() {
                        self.only(text, &["type", "text", "style"]);
                        self.require(text["type"] == "text", "not text");
                        self.string(&text["text"], 3_000);
                    }
                }
            }
            "actions" => {
                self.only(block, &["type", "block_id", "elements"]);
                self.require((1..=25).contains(&elements.len()), "actions elements");
                let mut names = HashSet::new();
                for element in &elements {
                    let new = names.insert(element["action_id"].to_string());
                    self.require(new, "action_id stands twice");
                    self.element(element);
                }
            }
            "input" => {
                self.only(block, &["type", "block_id", "label", "element", "optional"]);
                self.plain(&block["label"], 2_000);
                self.element(&block["element"]);
            }
            other => self.require(false, other),
        }
    }

    fn confirm(&mut self, confirm: &Value) {
        if confirm.is_null() {
            return;
        }
        self.only(confirm, &["title", "text", "confirm", "deny"]);
        for (part, max) in [("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)] {
            self.plain(&confirm[part], max);
        }
    }

    fn element(&mut self, element: &Value) {
        self.string(&element["action_id"], 255);
        match element["type"].as_str().unwrap() {
            "button" => {
                self.only(
                    element,
                    &["type", "action_id", "text", "value", "url", "confirm"],
                );
                self.confirm(&element["confirm"]);
                self.plain(&element["text"], 75);
                if element["url"].is_null() {
                    self.string(&element["value"], 2_000);
                } else {
                    self.string(&element["url"], 3_000);
                }
            }
            "static_select" | "multi_static_select" => {
                self.only(
                    element,
                    &["type", "action_id", "placeholder", "options", "confirm"],
                );
                self.plain(&element["placeholder"], 150);
                let options = element["options"].as_array().unwrap();
                self.require((1..=100).contains(&options.len()), "options");
                for option in options {
                    self.only(option, &["text", "value", "description"]);
                    self.plain(&option["text"], 75);
                    self.string(&option["value"], 75);
                    if !option["description"].is_null() {
                        self.plain(&option["description"], 75);
                    }
                }
                self.confirm(&element["confirm"]);
            }
            "radio_buttons" => {
                self.only(element, &["type", "action_id", "options"]);
                let options = element["options"].as_array().unwrap();
                self.require((1..=10).contains(&options.len()), "radio buttons");
                for option in options {
                    self.only(option, &["text", "value", "description"]);
                    self.plain(&option["text"], 75);
                    self.string(&option["value"], 150);
                    if !option["description"].is_null() {
                        self.plain(&option["description"], 75);
                    }
                }
            }
            "plain_text_input" => {
                self.only(
                    element,
                    &["type", "action_id", "multiline", "min_length", "max_length"],
                );
                self.require(
                    element["min_length"].as_u64().is_some_and(|it| it <= 3_000),
                    "min",
                );
                let max = element["max_length"].as_u64();
                self.require(max.is_some_and(|it| (1..=3_000).contains(&it)), "max");
            }
            other => self.require(false, other),
        }
    }
}
