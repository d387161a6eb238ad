//! From parsed markdown to HTML. Nothing is left out: where markdown has something that other renderers keep to
//! themselves (where a link leads, what a picture says, what a fence is called), it stands there as text.

use std::borrow::Cow;

use comrak::{
    Node,
    nodes::{ListType, NodeLink, NodeTable, NodeValue, TableAlignment},
};

use super::masked::Masked;
use crate::ui::action::escape;

/// Deeper text is shown as it is written.
const DEPTH: usize = 64;
/// More lists and quotes in each other than these leave a phone no room, and people cannot follow them.
const NESTED: usize = 5;
/// A table has room in one of them.
const AROUND_TABLE: usize = 1;
/// Longer numbers, with the sign behind them, leave no room on a phone for what they number.
const LIST_SIGN: usize = 4;
/// As far as a tab goes.
const TAB: usize = 4;
/// A table with more columns has no room on a phone, and is shown as it is written.
const COLUMNS: usize = 8;

/// Makes HTML of one block after the other.
pub(super) struct Renderer<'a> {
    masked: &'a Masked,
    lines: &'a [&'a str],
    html: String,
    /// In how many lists and quotes it is.
    nested: usize,
}

/// Too deep or too wide to be drawn, or written as it is for a reason.
pub(super) struct TooMuch;

type Drawn = Result<(), TooMuch>;

impl<'a> Renderer<'a> {
    /// Of the text that was parsed, by its lines.
    pub(super) fn new(masked: &'a Masked, lines: &'a [&'a str]) -> Self {
        Self {
            masked,
            lines,
            html: String::new(),
            nested: 0,
        }
    }

    /// The HTML of a block of the document.
    pub(super) fn block(mut self, block: Node<'_>) -> Result<String, TooMuch> {
        self.node(block, 0)?;
        Ok(self.html)
    }

    fn node(&mut self, node: Node<'_>, depth: usize) -> Drawn {
        if depth > DEPTH {
            return Err(TooMuch);
        }
        let value = node.data().value.clone();
        let nests = matches!(value, NodeValue::BlockQuote | NodeValue::List(_));
        self.nested += usize::from(nests);
        let is_of_lines = matches!(value, NodeValue::Paragraph | NodeValue::Heading(_));
        let is_written_so =
            (is_of_lines && self.has_indented_lines(node)) || self.loses_lines_or_signs(node);
        if self.nested > NESTED || is_written_so {
            return Err(TooMuch);
        }
        match value {
            NodeValue::Paragraph if is_tight(node) => self.children(node, depth)?,
            NodeValue::Paragraph => self.within("p", node, depth)?,
            NodeValue::Heading(heading) => {
                self.within(&format!("h{}", heading.level), node, depth)?;
            }
            NodeValue::BlockQuote => self.within("blockquote", node, depth)?,
            NodeValue::ThematicBreak => self.html.push_str("<hr>\n"),
            NodeValue::CodeBlock(code) => {
                if !code.info.is_empty() {
                    self.classed("p", "info", &code.info);
                }
                self.html.push_str("<pre><code>");
                self.text(&code.literal);
                self.html.push_str("</code></pre>\n");
            }
            NodeValue::HtmlBlock(block) => self.classed("p", "as-is", block.literal.trim_end()),
            NodeValue::List(list) => {
                let tag = match list.list_type {
                    ListType::Bullet => "ul",
                    ListType::Ordered => "ol",
                };
                self.html.push_str(&format!("<{tag}>"));
                self.children(node, depth)?;
                self.html.push_str(&format!("</{tag}>\n"));
            }
            NodeValue::Item(_) | NodeValue::TaskItem(_) => self.item(node, &value, depth)?,
            NodeValue::Table(table) => self.table(node, &table, depth)?,
            NodeValue::Text(text) => self.text(&text),
            NodeValue::Escaped => {
                self.backslash();
                self.children(node, depth)?;
            }
            NodeValue::LineBreak if self.ends_with_backslash(node) => {
                self.backslash();
                self.html.push_str("<br>\n");
            }
            NodeValue::SoftBreak | NodeValue::LineBreak => self.html.push_str("<br>\n"),
            NodeValue::Code(code) => {
                self.html.push_str("<code>");
                self.text(&code.literal);
                self.html.push_str("</code>");
            }
            NodeValue::HtmlInline(html) | NodeValue::Raw(html) => {
                for (n, line) in html.split('\n').enumerate() {
                    self.html.push_str(if n > 0 { "<br>\n" } else { "" });
                    self.text(line);
                }
            }
            NodeValue::Emph => self.emphasis("em", node, depth)?,
            NodeValue::Strong => self.emphasis("strong", node, depth)?,
            NodeValue::Strikethrough => self.emphasis("del", node, depth)?,
            NodeValue::Link(link) => self.link(node, &link, depth)?,
            NodeValue::Image(image) => self.image(node, &image, depth)?,
            // Of extensions that are off.
            _ => self.children(node, depth)?,
        }
        self.nested -= usize::from(nests);
        Ok(())
    }

    fn children(&mut self, node: Node<'_>, depth: usize) -> Drawn {
        node.children()
            .try_for_each(|child| self.node(child, depth + 1))
    }

    fn within(&mut self, tag: &str, node: Node<'_>, depth: usize) -> Drawn {
        self.html.push_str(&format!("<{tag}>"));
        self.children(node, depth)?;
        self.html.push_str(&format!("</{tag}>"));
        if node.data().value.block() {
            self.html.push('\n');
        }
        Ok(())
    }

    /// With its signs: in a command they are a pattern or a part of a name, and no program can tell which texts are
    /// commands.
    fn emphasis(&mut self, tag: &str, node: Node<'_>, depth: usize) -> Drawn {
        let sign = self.sign(node).ok_or(TooMuch)?;
        let sign = format!("<span class=\"sign\">{sign}</span>");
        self.html.push_str(&format!("<{tag}>{sign}"));
        self.children(node, depth)?;
        self.html.push_str(&format!("{sign}</{tag}>"));
        Ok(())
    }

    /// The sign around it in the source.
    fn sign(&self, node: Node<'_>) -> Option<String> {
        let data = node.data();
        let start = data.sourcepos.start;
        let line = self.lines.get(start.line.checked_sub(1)?)?;
        let signs = line.get(start.column.checked_sub(1)?..)?;
        let first = signs.chars().next().filter(|c| "*_~".contains(*c))?;
        let times = match data.value {
            NodeValue::Emph => 1,
            NodeValue::Strong => 2,
            _ => signs.chars().take_while(|c| *c == first).count().min(2),
        };
        Some(first.to_string().repeat(times))
    }

    /// With the number or the sign that its author gave it, not a counted one, and with its box.
    fn item(&mut self, node: Node<'_>, value: &NodeValue, depth: usize) -> Drawn {
        let sign = self.list_sign(node).ok_or(TooMuch)?;
        if sign.len() > LIST_SIGN {
            return Err(TooMuch);
        }
        self.html.push_str("<li><span class=\"list-sign\">");
        self.text(&sign);
        self.html.push_str("</span><div>");
        if let NodeValue::TaskItem(task) = value {
            let (ticked, says) = match task.symbol {
                Some(_) => (" checked", "ticked"),
                None => ("", "not ticked"),
            };
            self.html.push_str(&format!(
                "<input type=\"checkbox\" aria-label=\"{says}\" disabled{ticked}> "
            ));
        }
        self.children(node, depth)?;
        self.html.push_str("</div></li>\n");
        Ok(())
    }

    /// Whether lines of a paragraph or heading but its first stand further in than it does: they would be drawn as if they did
    /// not.
    fn has_indented_lines(&self, paragraph: Node<'_>) -> bool {
        let place = paragraph.data().sourcepos;
        let Some(first) = place
            .start
            .line
            .checked_sub(1)
            .and_then(|n| self.lines.get(n))
        else {
            return false;
        };
        let Some(more) = self.lines.get(place.start.line..place.end.line) else {
            return false;
        };
        let own = place.start.column.saturating_sub(1);
        let quotes = |line: &str| {
            let signs = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
            line[..signs].matches('>').count()
        };
        let width =
            |blank: &str| -> usize { blank.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum() };
        more.iter().any(|line| {
            let text = line.trim_start_matches([' ', '\t', '>']);
            let before = &line[..line.len() - text.len()];
            // A line that goes on without the sign of its quote, or outside of its item, reads as if it stood in it.
            quotes(line) != quotes(first)
                || match before.rsplit_once('>') {
                    // One space belongs to the sign.
                    Some((_, blank)) => width(blank) > 1,
                    None => width(before) != own,
                }
        })
    }

    /// Whether markdown would take away what a program reads: line breaks in code, indentation of a fence's lines, signs
    /// under and behind a heading.
    fn loses_lines_or_signs(&self, node: Node<'_>) -> bool {
        let data = node.data();
        let place = data.sourcepos;
        match &data.value {
            NodeValue::Code(_) => place.start.line != place.end.line,
            NodeValue::CodeBlock(code) => code.fenced && code.fence_offset > 0,
            NodeValue::Heading(heading) => {
                let line = place
                    .start
                    .line
                    .checked_sub(1)
                    .and_then(|n| self.lines.get(n));
                heading.setext || line.is_some_and(|line| line.trim_end().ends_with('#'))
            }
            NodeValue::Link(link) | NodeValue::Image(link) => link.title.contains('\n'),
            _ => false,
        }
    }

    /// As it is written.
    fn list_sign(&self, item: Node<'_>) -> Option<String> {
        let start = item.data().sourcepos.start;
        let line = self.lines.get(start.line.checked_sub(1)?)?;
        let marker = line.get(start.column.checked_sub(1)?..)?.trim_start();
        let digits = marker.bytes().take_while(u8::is_ascii_digit).count();
        Some(marker.chars().take(digits + 1).collect())
    }

    fn table(&mut self, node: Node<'_>, table: &NodeTable, depth: usize) -> Drawn {
        if table.alignments.len() > COLUMNS || self.nested > AROUND_TABLE {
            return Err(TooMuch);
        }
        self.html.push_str("<table>");
        for (n, row) in node.children().enumerate() {
            let (cell, before, after) = match n {
                0 => ("th", "<thead><tr>", "</tr></thead>"),
                1 => ("td", "<tbody><tr>", "</tr>"),
                _ => ("td", "<tr>", "</tr>"),
            };
            // What stands behind the last column is dropped by the parser, whichever signs it is of.
            if self.cells(row) > table.alignments.len() {
                return Err(TooMuch);
            }
            self.html.push_str(before);
            for (column, content) in row.children().enumerate() {
                let align = match table.alignments.get(column) {
                    Some(TableAlignment::Left) => " align=\"left\"",
                    Some(TableAlignment::Center) => " align=\"center\"",
                    Some(TableAlignment::Right) => " align=\"right\"",
                    Some(TableAlignment::None) | None => "",
                };
                self.html.push_str(&format!("<{cell}{align}>"));
                self.children(content, depth + 2)?;
                self.html.push_str(&format!("</{cell}>"));
            }
            self.html.push_str(after);
            self.html.push('\n');
        }
        if node.children().nth(1).is_some() {
            self.html.push_str("</tbody>");
        }
        self.html.push_str("</table>\n");
        Ok(())
    }

    /// How many cells a row has as it is written.
    fn cells(&self, row: Node<'_>) -> usize {
        let start = row.data().sourcepos.start;
        let line = self.lines.get(start.line.saturating_sub(1));
        let source = line.and_then(|line| line.get(start.column.saturating_sub(1)..));
        let source = source.unwrap_or_default().trim();
        // No bar is escaped: backslashes are masked.
        let inner = source.strip_prefix('|').unwrap_or(source);
        let inner = inner.strip_suffix('|').unwrap_or(inner);
        inner.matches('|').count() + 1
    }

    /// Its words, and where it leads if they are anything else.
    fn link(&mut self, node: Node<'_>, link: &NodeLink, depth: usize) -> Drawn {
        let url = self.masked.unmask(&link.url).into_owned();
        let leads = ["http://", "https://", "mailto:"].iter().any(|scheme| {
            url.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        if leads {
            self.html.push_str("<a href=\"");
            escape(&url, &mut self.html);
            self.html.push_str("\">");
        }
        let from = self.html.len();
        self.children(node, depth)?;
        let words = super::super::html_text::text_of(&self.html[from..]);
        if leads {
            self.html.push_str("</a>");
        }
        let added = ["", "http://", "mailto:"];
        let says = added
            .iter()
            .any(|added| url.strip_prefix(added) == Some(words.as_str()));
        if !says || !link.title.is_empty() {
            self.html.push_str("<span class=\"target\">");
            if !says {
                escape(&url, &mut self.html);
            }
            self.title(&link.title);
            self.html.push_str("</span>");
        }
        Ok(())
    }

    /// Its words and its address: it would be fetched from there.
    fn image(&mut self, node: Node<'_>, image: &NodeLink, depth: usize) -> Drawn {
        self.html.push_str("![");
        self.children(node, depth)?;
        self.html.push_str("](");
        self.text(&image.url);
        self.title(&image.title);
        self.html.push(')');
        Ok(())
    }

    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.html.push_str("<span class=\"ours\"> “</span>");
            self.text(title);
            self.html.push_str("<span class=\"ours\">”</span>");
        }
    }

    fn classed(&mut self, tag: &str, class: &str, text: &str) {
        self.html.push_str(&format!("<{tag} class=\"{class}\">"));
        self.text(text);
        self.html.push_str(&format!("</{tag}>\n"));
    }

    /// In a path it stands between names, and in a command it makes text of what follows.
    fn backslash(&mut self) {
        self.html.push_str("<span class=\"sign\">\\</span>");
    }

    fn ends_with_backslash(&self, line_break: Node<'_>) -> bool {
        let number = line_break.data().sourcepos.start.line;
        let line = number.checked_sub(1).and_then(|n| self.lines.get(n));
        line.is_some_and(|line| line.ends_with('\\'))
    }

    fn text(&mut self, text: &str) {
        let text: Cow<'_, str> = self.masked.unmask(text);
        with_blanks(&text, &mut self.html);
    }
}

/// White space that browsers would draw as one blank stays as it is: it may belong to a name.
pub(super) fn with_blanks(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(at) = wide_blank(rest) {
        let (before, from) = rest.split_at(at);
        let after = from.trim_start_matches([' ', '\t']);
        escape(before, html);
        let blanks = &from[..from.len() - after.len()];
        html.push_str(&format!("<span class=\"blanks\">{blanks}</span>"));
        rest = after;
    }
    escape(rest, html);
}

/// Where white space begins that is more than one blank.
fn wide_blank(text: &str) -> Option<usize> {
    let double = text.find("  ");
    let tab = text
        .find('\t')
        .map(|at| at - usize::from(text[..at].ends_with(' ')));
    match (double, tab) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Whether a paragraph stands in a list whose items are not spaced.
fn is_tight(paragraph: Node<'_>) -> bool {
    let list = paragraph.parent().and_then(|item| {
        let is_item = matches!(
            item.data().value,
            NodeValue::Item(_) | NodeValue::TaskItem(_)
        );
        item.parent().filter(|_| is_item)
    });
    list.is_some_and(|list| matches!(&list.data().value, NodeValue::List(list) if list.tight))
}
