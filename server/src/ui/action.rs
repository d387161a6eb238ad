//! An action's view as HTML. It is made of escaped text and classes alone, and what is not in the action stands
//! in elements of the class `ours` or in attributes: the rest of the text is the action, in order.

use app::view::ActionView;
use visible::{
    Ink, Mark, Run,
    shape::{self, Change, Field, Line, Node, Row, Shown, Sign, Text, View},
};

pub(super) fn view(view: &View) -> ActionView {
    ActionView {
        html: html(view),
        marked: view.is_marked(),
        digest: view.digest.clone(),
        amendable: false,
    }
}

fn html(view: &View) -> String {
    let mut page = Html::default();
    page.runs("p", "action-tool", &view.tool);
    if !view.notes.is_empty() {
        page.open("ul", "ours action-notes");
        for note in &view.notes {
            page.runs("li", "", note);
        }
        page.close("ul");
    }
    match &view.arguments {
        Node::Fields(fields) => page.fields(fields),
        Node::Plain(text) => page.text(text),
        _ => page.ours("p", "(no arguments)"),
    }
    page.operands(&view.operands);
    page.0
}

/// A text as it is written: lines with numbers, and marks for what hides.
pub(super) fn source(text: &str) -> String {
    let mut page = Html::default();
    page.text(&shape::source(text));
    page.0
}

/// A text that is a file of its own; of a difference the lines that go and those that come are known. Above it stands how
/// many lines there are, and how they end, which nobody sees otherwise.
pub(super) fn file(text: &str, is_diff: bool) -> String {
    let text = match is_diff {
        true => shape::diff(text),
        false => shape::source(text),
    };
    let mut page = Html::default();
    page.ours("p", &shape::about(&text));
    page.text(&text);
    page.0
}

/// Lines with their numbers from this one on, and marks for what hides.
pub(super) fn numbered(lines: &[&str], first: usize) -> String {
    let mut page = Html::default();
    page.open("div", "code");
    for (n, line) in lines.iter().enumerate() {
        // One of them may hold what ends a line elsewhere.
        let runs: Vec<Run> = shape::source(line)
            .lines
            .into_iter()
            .flat_map(|line| line.runs)
            .collect();
        page.line("", first + n, &runs);
    }
    page.close("div");
    page.0
}

/// So many lines that stay are shown before and after those that do not.
const AROUND: usize = 3;

/// The lines that differ, with the words that do; of a long stretch that stays its ends.
pub(super) fn difference(change: &Change) -> String {
    let mut page = Html::default();
    page.open("div", "code");
    let mut stretches = stretches(&change.rows).peekable();
    let mut is_first = true;
    while let Some(stretch) = stretches.next() {
        if !stays(stretch) {
            page.hunk(stretch);
        } else {
            let before = if is_first { 0 } else { AROUND };
            let after = if stretches.peek().is_some() {
                AROUND
            } else {
                0
            };
            let left_out = stretch.len().saturating_sub(before + after);
            // One line takes no less room than to say so.
            match left_out {
                0 | 1 => page.same(stretch),
                _ => {
                    page.same(&stretch[..before]);
                    page.ours("p", &format!("{left_out} lines as before"));
                    page.same(&stretch[stretch.len() - after..]);
                }
            }
        }
        is_first = false;
    }
    page.close("div");
    page.0
}

/// Rows that stay, and rows that do not.
fn stretches(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|one, other| (one.sign == Sign::Same) == (other.sign == Sign::Same))
}

fn stays(stretch: &[Row]) -> bool {
    stretch.first().is_some_and(|row| row.sign == Sign::Same)
}

/// A tab, which has to be seen.
pub(super) const TAB: &str = "<span class=\"tab\">\t</span>";

/// A line of code among words, with marks for what hides.
pub(super) fn inline(text: &str) -> String {
    let mut page = Html::default();
    for Line { runs, .. } in shape::source(text).lines {
        runs.iter().for_each(|run| page.run(run));
    }
    page.0
}

#[derive(Default)]
struct Html(String);

impl Html {
    fn operands(&mut self, operands: &[Shown]) {
        if operands.is_empty() {
            return;
        }
        self.ours("p", "It refers to these, as they are now:");
        self.open("ul", "operands");
        for operand in operands {
            self.open("li", "");
            self.runs("span", "operand-name", &operand.name);
            self.ours("span", " · ");
            self.runs("span", "", &operand.size);
            self.ours("span", " bytes · sha256 ");
            self.runs("span", "operand-hash", &operand.sha256);
            self.close("li");
        }
        self.close("ul");
    }

    fn fields(&mut self, fields: &[Field]) {
        for field in fields {
            match field {
                Field::One { name, value } => self.value(Name::Key(name), value),
                Field::Change(change) => self.change(change),
            }
        }
    }

    fn items(&mut self, items: &[Node]) {
        for (n, item) in items.iter().enumerate() {
            self.value(Name::Place(n + 1), item);
        }
    }

    /// A value below what it is called, or behind it if it is short.
    fn value(&mut self, name: Name<'_>, value: &Node) {
        self.open("div", "argument");
        self.open("p", "argument-head");
        match name {
            Name::Key(name) => self.runs("span", "action-name", &shape::named(name)),
            Name::Place(n) => self.ours("span", &n.to_string()),
        }
        self.ours("span", ": ");
        match value {
            Node::Inline(runs) => {
                self.runs("span", "", runs);
                self.close("p");
            }
            Node::Address(parts) => {
                let mut parts = parts.iter();
                self.runs("span", "", parts.next().map_or(&[][..], Vec::as_slice));
                self.close("p");
                for part in parts {
                    self.runs("p", "argument-more", part);
                }
            }
            Node::Text(text) | Node::Plain(text) => {
                self.ours("span", &shape::about(text));
                self.close("p");
                self.text(text);
            }
            Node::Json { spaced, node } => {
                self.ours("span", shape::about_json(*spaced));
                self.close("p");
                self.inner(node);
            }
            Node::Fields(_) | Node::Items(_) => {
                self.close("p");
                self.inner(value);
            }
        }
        self.close("div");
    }

    fn inner(&mut self, node: &Node) {
        self.open("div", "argument-inner");
        match node {
            Node::Fields(fields) => self.fields(fields),
            Node::Items(items) => self.items(items),
            Node::Text(text) | Node::Plain(text) => self.text(text),
            Node::Inline(runs) => self.runs("p", "", runs),
            Node::Address(parts) => parts.iter().for_each(|part| self.runs("p", "", part)),
            Node::Json { node, .. } => self.inner(node),
        }
        self.close("div");
    }

    fn text(&mut self, text: &Text) {
        let one = text.lines.len() == 1;
        let written = text.is_written();
        self.open("div", if one { "code one" } else { "code" });
        for (n, Line { sign, runs }) in text.lines.iter().enumerate() {
            let sign = match (written, *sign) {
                (true, _) => "new signed",
                (_, sign) => class(sign),
            };
            self.line(sign, n + 1, runs);
        }
        self.close("div");
    }

    fn change(&mut self, change: &Change) {
        self.open("div", "argument");
        self.open("p", "argument-head");
        self.runs("span", "action-name", &shape::named(&change.old_name));
        self.ours("span", " → ");
        self.runs("span", "action-name", &shape::named(&change.new_name));
        self.ours("span", &format!(": {}", change.summary()));
        self.close("p");
        self.open("div", "code");
        for stretch in stretches(&change.rows) {
            match stays(stretch) {
                true => self.same(stretch),
                false => self.hunk(stretch),
            }
        }
        self.close("div");
        self.close("div");
    }

    fn same(&mut self, rows: &[Row]) {
        for row in rows {
            self.line("", row.new.unwrap_or_default(), &row.runs);
        }
    }

    fn hunk(&mut self, rows: &[Row]) {
        self.open("div", "hunk");
        self.side("del", rows, Sign::Gone, |row| row.old);
        self.side("ins", rows, Sign::New, |row| row.new);
        self.close("div");
    }

    fn side(&mut self, element: &str, hunk: &[Row], sign: Sign, number: fn(&Row) -> Option<usize>) {
        self.open(element, "side");
        for row in hunk.iter().filter(|row| row.sign == sign) {
            let classes = format!("{} signed", class(sign));
            self.line(&classes, number(row).unwrap_or_default(), &row.runs);
        }
        self.close(element);
    }

    fn line(&mut self, sign: &str, number: usize, runs: &[Run]) {
        let gap = if sign.is_empty() { "" } else { " " };
        self.0.push_str(&format!(
            "<div class=\"line{gap}{sign}\" data-n=\"{number}\">"
        ));
        self.runs("span", "", runs);
        self.0.push_str("</div>");
    }

    fn runs(&mut self, element: &str, class: &str, runs: &[Run]) {
        self.open(element, class);
        for run in runs {
            self.run(run);
        }
        self.close(element);
    }

    /// Blanks are underlined and tabs are arrows: an underline below a tab alone is drawn by no browser.
    fn space(&mut self, text: &str, class: &str) {
        for part in text.split_inclusive('\t') {
            let blanks = part.trim_end_matches('\t');
            if !blanks.is_empty() {
                self.open("span", class);
                self.escaped(blanks);
                self.close("span");
            }
            if blanks.len() < part.len() {
                self.0.push_str(TAB);
            }
        }
    }

    fn run(&mut self, run: &Run) {
        let (element, class) = match (run.mark, run.ink) {
            (Some(Mark::Instead(..) | Mark::Beside), _) => ("mark", "written-out"),
            (None, Ink::Ours) => ("span", "ours"),
            (None, Ink::Plain) => ("span", ""),
            (None, Ink::Name) => ("span", "ink-name"),
            (None, Ink::Keyword) => ("span", "ink-keyword"),
            (None, Ink::Text) => ("span", "ink-text"),
            (None, Ink::Number) => ("span", "ink-number"),
            (None, Ink::Space) => ("span", "ink-space"),
        };
        let changed = if run.changed { "changed" } else { "" };
        let gap = if class.is_empty() || changed.is_empty() {
            ""
        } else {
            " "
        };
        let classes = format!("{class}{gap}{changed}");
        if classes.is_empty() {
            self.escaped(&run.text);
            return;
        }
        if run.ink == Ink::Space && !run.is_marked() {
            self.space(&run.text, &classes);
            return;
        }
        self.open(element, &classes);
        self.escaped(&run.text);
        self.close(element);
    }

    fn ours(&mut self, element: &str, text: &str) {
        self.open(element, "ours");
        self.escaped(text);
        self.close(element);
    }

    fn open(&mut self, element: &str, class: &str) {
        if class.is_empty() {
            self.0.push_str(&format!("<{element}>"));
        } else {
            self.0.push_str(&format!("<{element} class=\"{class}\">"));
        }
    }

    fn close(&mut self, element: &str) {
        self.0.push_str(&format!("</{element}>"));
    }

    fn escaped(&mut self, text: &str) {
        escape(text, &mut self.0);
    }
}

enum Name<'a> {
    Key(&'a [Run]),
    Place(usize),
}

fn class(sign: Sign) -> &'static str {
    match sign {
        Sign::Same => "",
        Sign::Gone => "gone",
        Sign::New => "new",
        Sign::Altered => "altered",
        Sign::Place => "place",
    }
}

/// Text as HTML, in an element or an attribute.
pub(super) fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{interaction::Action, json::AnyJson};
    use proptest::prelude::*;

    use super::*;
    use crate::ui::html_text;
    use visible::testing::hostile;

    proptest! {
        #[test]
        fn the_page_shows_every_character_of_the_view_and_no_tag_of_the_agent(
            tool in hostile(),
            fields in prop::collection::vec((hostile(), hostile()), 0..5),
        ) {
            let fields = fields.into_iter().map(|(key, value)| (key, value.into()));
            let arguments = AnyJson(serde_json::Value::Object(fields.collect()));
            let action = Action { tool, arguments, operands: Vec::new(), attachments: Vec::new() };
            let view = shape::of(&action, "");
            let lines = shape::lines(&view);
            // Tabs and ends of lines are what the two show in ways of their own.
            let solid = |text: &str| text.replace([' ', '\t', '\n', '→'], "");
            let told: String = lines
                .iter()
                .flatten()
                .filter(|run| run.ink != Ink::Ours)
                // Of an arrow that could be a tab, where tabs are arrows.
                .filter(|run| run.mark != Some(Mark::Beside) || run.text != "⟨U+2192⟩")
                .map(|run| solid(&run.text))
                .collect();
            let html = html(&view);
            prop_assert_eq!(uncounted(&solid(&html_text::text_of(&html))), uncounted(&told));
            let tags = ["<p", "<s", "<d", "<m", "<u", "<l", "<i", "</"];
            for (at, _) in html.match_indices('<') {
                prop_assert!(tags.iter().any(|tag| html[at..].starts_with(tag)), "{}", html);
            }
        }
    }

    /// Without the numbers of blanks: at the end of a line the page underlines them.
    fn uncounted(text: &str) -> String {
        let mut parts = text.split('⟨');
        let mut rest = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once('⟩') {
                Some((mark, after)) if mark.ends_with("space") || mark.ends_with("spaces") => {
                    rest += after;
                }
                _ => rest = format!("{rest}⟨{part}"),
            }
        }
        rest
    }

    #[test]
    fn a_tab_is_drawn_apart_from_blanks() {
        let arguments = serde_json::json!({"command": "cat <<-X\n\t\tX \t"});
        let action = Action {
            tool: "Bash".to_owned(),
            arguments: AnyJson(arguments),
            operands: Vec::new(),
            attachments: Vec::new(),
        };
        let html = html(&shape::of(&action, ""));
        assert_eq!(html.matches(TAB).count(), 3, "{html}");
        assert!(
            html.contains("<span class=\"ink-space\"> </span><span class=\"tab\">"),
            "{html}"
        );
    }

    #[test]
    fn a_difference_leaves_out_what_stays_far_from_it_and_says_how_much() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl";
        let html = difference(&shape::revised(before, &before.replace('h', "H")));
        assert!(
            html.contains("<p class=\"ours\">4 lines as before</p>"),
            "{html}"
        );
        for (number, is_there) in [(4, false), (5, true), (8, true), (11, true)] {
            let line = format!("data-n=\"{number}\"");
            assert_eq!(html.contains(&line), is_there, "{number}: {html}");
        }
        // Behind it three stay, and the fourth stands there instead of a word on it.
        assert!(html.contains("data-n=\"12\""), "{html}");
        let all = html.matches("data-n=").count();
        assert_eq!(all, 3 + 2 + 4);
    }

    #[test]
    fn of_a_file_stands_how_its_lines_end() {
        for (text, is_diff, about) in [
            ("a\nb", false, "2 lines"),
            ("a\r\nb\r\n", false, "3 lines, each ends with CR LF"),
            ("--- a\n+++ b\n", true, "patch, 3 lines"),
        ] {
            let html = file(text, is_diff);
            let expected = format!("<p class=\"ours\">{about}</p>");
            assert!(html.starts_with(&expected), "{html}");
        }
    }

    #[test]
    fn before_and_after_stand_in_one_hunk() {
        let arguments = serde_json::json!({"old_string": "a\n1", "new_string": "a\n2"});
        let action = Action {
            tool: "Edit".to_owned(),
            arguments: AnyJson(arguments),
            operands: Vec::new(),
            attachments: Vec::new(),
        };
        let html = html(&shape::of(&action, ""));
        let expected = "<div class=\"hunk\"><del class=\"side\"><div class=\"line gone signed\" data-n=\"2\"><span>1";
        assert!(html.contains(expected), "{html}");
    }
}
