//! The limits of buttons, menus and fields.

use serde_json::Value;

use super::blocks::{ANY, Faults, PLAIN, length};

impl Faults {
    pub(super) fn element(&mut self, element: &Value, at: &str) {
        self.name(element, "action_id", at);
        if let Some(confirm) = element.get("confirm") {
            self.confirm(confirm, &format!("{at}/confirm"));
        }
        if let Some(placeholder) = element.get("placeholder") {
            self.text(placeholder, PLAIN, 150, &format!("{at}/placeholder"));
        }
        match element["type"].as_str().unwrap_or_default() {
            "button" => self.button(element, at),
            "static_select" | "multi_static_select" => self.menu(element, at),
            "overflow" => self.options(&element["options"], 5, PLAIN, at),
            "radio_buttons" | "checkboxes" => self.options(&element["options"], 10, ANY, at),
            "plain_text_input" => self.field(element, at),
            other => self.add(&format!("unsupported type: {other}"), &format!("{at}/type")),
        }
    }

    fn button(&mut self, button: &Value, at: &str) {
        self.text(&button["text"], PLAIN, 75, &format!("{at}/text"));
        for (name, most) in [("value", 2_000), ("url", 3_000)] {
            if let Some(value) = button.get(name) {
                let length = value.as_str().map_or(0, length);
                self.within(length, 1, most, &format!("{at}/{name}"));
            }
        }
        if let Some(style) = button.get("style")
            && style != "primary"
            && style != "danger"
        {
            self.add("must be primary or danger", &format!("{at}/style"));
        }
    }

    fn menu(&mut self, menu: &Value, at: &str) {
        let Some(groups) = menu.get("option_groups") else {
            self.options(&menu["options"], 100, PLAIN, at);
            return;
        };
        let groups = self.list(groups, 100, &format!("{at}/option_groups"));
        for (n, group) in groups.iter().enumerate() {
            let at = format!("{at}/option_groups/{n}");
            self.text(&group["label"], PLAIN, 75, &format!("{at}/label"));
            self.options(&group["options"], 100, PLAIN, &at);
        }
    }

    fn options(&mut self, options: &Value, most: usize, kinds: &[&str], at: &str) {
        let options = self.list(options, most, &format!("{at}/options"));
        for (n, option) in options.iter().enumerate() {
            let at = format!("{at}/options/{n}");
            self.text(&option["text"], kinds, 75, &format!("{at}/text"));
            let value = option["value"].as_str().map_or(0, length);
            self.within(value, 1, 75, &format!("{at}/value"));
            if let Some(description) = option.get("description") {
                self.text(description, kinds, 75, &format!("{at}/description"));
            }
        }
    }

    fn field(&mut self, field: &Value, at: &str) {
        for (name, least) in [("min_length", 0), ("max_length", 1)] {
            let Some(length) = field.get(name) else {
                continue;
            };
            if !length
                .as_u64()
                .is_some_and(|length| (least..=3_000).contains(&length))
            {
                let what = format!("must be {least} to 3000");
                self.add(&what, &format!("{at}/{name}"));
            }
        }
        if let Some(initial) = field.get("initial_value") {
            let length = initial.as_str().map_or(0, length);
            self.within(length, 0, 3_000, &format!("{at}/initial_value"));
        }
    }

    fn confirm(&mut self, confirm: &Value, at: &str) {
        for (name, kinds, most) in [
            ("title", PLAIN, 100),
            ("text", ANY, 300),
            ("confirm", PLAIN, 30),
            ("deny", PLAIN, 30),
        ] {
            self.text(&confirm[name], kinds, most, &format!("{at}/{name}"));
        }
    }
}
