//! How the state looks. Other authors' texts go through [`visible`] on its way here; none of them reaches the
//! terminal raw.

use std::ops::Range;

use domain::interaction::ChoiceOption;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{List, ListState, Paragraph},
};
use visible::{self, Ink, Run, shape};

use super::{
    answering::{Control, Draft, PLAN, control},
    editor::Editor,
    fold::{barred, folded, is_whole, prose, quoted, quoted_line, row, said},
    given,
    item::Item,
    overtaken::Overtaken,
    reading::Drawn,
    state::{State, how_it_ended, span},
};

/// Below this a row has three lines.
const NARROW: u16 = 72;

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const MARKED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws everything, and returns what of the open item stands on the screen then.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State, colour: bool) -> Option<Drawn> {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(foot_lines(state, frame.area().width)),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(headline(state)), head);
    let drawn = match &state.open {
        Some(open) => Some(draw_open(frame, state, open, body, colour)),
        None => {
            draw_list(frame, state, body, colour);
            None
        }
    };
    let lines = foot_text(state, foot.width);
    frame.render_widget(Paragraph::new(lines), foot);
    drawn
}

fn headline(state: &State) -> Line<'static> {
    let count = match (state.is_loaded, state.items.len()) {
        (false, _) => "connecting".to_owned(),
        (true, 0) => "nothing waits".to_owned(),
        (true, count) => format!("{count} waiting"),
    };
    let whose = match state.read_only {
        true => " · agent token: its own questions, read only",
        false => "",
    };
    Line::styled(format!("Handraise · {count}{whose}"), BOLD)
}

/// What happened, what is wrong, and which keys there are.
fn foot_text(state: &State, width: u16) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(away) = &state.away {
        lines.extend(prose(away, width, BOLD));
    }
    if let Some(said) = &state.said {
        lines.extend(prose(said, width, BOLD));
    }
    if state.is_sending() {
        lines.extend(prose("Sending …", width, BOLD));
    }
    lines.extend(prose(&keys(state), width, FAINT));
    lines
}

fn foot_lines(state: &State, width: u16) -> u16 {
    u16::try_from(foot_text(state, width).len()).unwrap_or(u16::MAX)
}

fn keys(state: &State) -> String {
    if state.reason.is_some() {
        return "Ctrl-S take back · Esc keep".to_owned();
    }
    let Some(open) = &state.open else {
        return "j k move · Enter open · q leave".to_owned();
    };
    if state.read_only || !open.is_pending() {
        return "PgUp PgDn scroll · Esc back".to_owned();
    }
    if let Some(overtaken) = &state.overtaken {
        return format!("{} · PgUp PgDn scroll", overtaken.change.key());
    }
    let control = control(open);
    let draft = state.draft(&open.id);
    let unread = state.unread(open);
    let answer = match &control {
        Control::Approval if unread.is_some() && draft.decision.is_none() => "d deny",
        Control::Plan if unread.is_some() && draft.decision.is_none() => "4 adjust",
        Control::Acknowledgement if unread.is_some() => "",
        _ if draft.is_typing(&control) => "Enter new line · Ctrl-S send",
        Control::Options { multiple: true, .. } => {
            "j k move · Space or 1-9 pick, several · Enter send"
        }
        Control::Options { .. } => "j k move · Space or 1-9 pick · Enter send",
        Control::Acknowledgement => "a acknowledge",
        Control::Approval => "a approve · d deny",
        Control::Plan => "1-4 decide",
        Control::Text | Control::Unknown => "answered in the browser",
    };
    let rest = "Ctrl-X take back · PgUp PgDn scroll · Esc back";
    let parts = unread.as_deref().into_iter().chain([answer, rest]);
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

fn mode(item: &Item, colour: bool) -> Span<'static> {
    let (word, shade) = match &*item.mode {
        "sync" => ("SYNC", Color::Red),
        _ => ("ASYNC", Color::Blue),
    };
    let style = if colour { BOLD.fg(shade) } else { BOLD };
    Span::styled(format!("{word:5}"), style)
}

/// The kind of the item.
fn what(item: &Item, colour: bool) -> Vec<Span<'static>> {
    let mut facts = vec![mode(item, colour)];
    if item.is_urgent() {
        facts.push(Span::styled(" urgent", BOLD));
    }
    facts.push(Span::raw(format!(" {}", visible::line(&item.kind))));
    facts
}

/// For how long it has waited, and how long it will.
fn when(item: &Item, state: &State) -> Span<'static> {
    let waits = span((state.now - item.created_at).num_seconds());
    let left = item
        .expires_at
        .map(|end| span((end - state.now).num_seconds()));
    let left = left.map_or_else(String::new, |left| format!(", {left} left"));
    let claim = item.claim.as_ref().filter(|it| it.until > state.now);
    let claim = claim.map(|it| format!(", {} is on it", visible::sentence(&it.by.name)));
    let to = item.to.as_ref().and_then(|to| to.name.as_deref());
    let to = to.map(|name| format!(", for {}", visible::sentence(name)));
    let (claim, to) = (claim.unwrap_or_default(), to.unwrap_or_default());
    Span::styled(format!("waits {waits}{left}{claim}{to}"), FAINT)
}

fn whose(item: &Item) -> String {
    let agent = visible::sentence(&item.agent.name);
    match &item.session_id {
        Some(session) => format!("{agent} ({})", visible::sentence(session)),
        None => agent,
    }
}

fn draw_list(frame: &mut Frame<'_>, state: &State, area: Rect, colour: bool) {
    let narrow = area.width < NARROW;
    let rows = state.items.iter().map(|item| {
        let about = item.title.as_ref().unwrap_or(&item.prompt);
        let about = row(&format!("{}: {}", whose(item), visible::sentence(about)));
        let (mut what, when) = (what(item, colour), when(item, state));
        if narrow {
            let indent = || Span::raw("  ");
            return vec![
                Line::from(what),
                Line::from(vec![indent(), when]),
                Line::from_iter(std::iter::once(indent()).chain(about)),
            ];
        }
        what.extend([Span::raw(" "), when, Span::raw("  ")]);
        what.extend(about);
        vec![Line::from(what)]
    });
    let list = List::new(rows)
        .highlight_symbol("> ")
        .highlight_style(MARKED);
    let mut list_state = ListState::default().with_selected(state.row());
    frame.render_stateful_widget(list, area, &mut list_state);
}

fn draw_open(frame: &mut Frame<'_>, state: &State, open: &Item, area: Rect, colour: bool) -> Drawn {
    let draft = state.draft(&open.id);
    let controls = controls(state, open, &draft, area.width);
    // The question keeps at least half of the room.
    let room = u16::try_from(controls.count()).unwrap_or(u16::MAX);
    let room = room.min(area.height / 2);
    let [above, below] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(room)]).areas(area);
    let text = about(state, open, area.width, colour);
    let of = text.len();
    let height = usize::from(above.height);
    let first = state.scroll.min(of.saturating_sub(height));
    let text: Vec<_> = text.into_iter().skip(first).take(height).collect();
    let whole = text.iter().take_while(|line| is_whole(line, area.width));
    let lines = first..first + whole.count();
    frame.render_widget(Paragraph::new(text), above);
    let (controls, mut options) = controls.fitted(usize::from(room));
    if !controls.iter().all(|line| is_whole(line, area.width)) {
        options = 0..0;
    }
    frame.render_widget(Paragraph::new(controls), below);
    Drawn {
        width: area.width,
        lines,
        of,
        options,
    }
}

/// Everything one has to know to answer: first what is decided about, then the words around it.
fn about(state: &State, open: &Item, width: u16, colour: bool) -> Vec<Line<'static>> {
    let plain = Style::new();
    let mut facts = what(open, colour);
    facts.extend([Span::raw(" "), when(open, state)]);
    let facts = facts.iter().flat_map(|fact| {
        let characters = fact.content.chars();
        characters.map(|c| (c, fact.style))
    });
    let mut lines = folded(facts, width);
    if open.action.is_some() {
        lines.extend(action(open, width));
        lines.push(Line::default());
    }
    if let Some(plan) = &open.plan {
        lines.extend(quoted(plan, width, plain));
        lines.push(Line::default());
    }
    for file in &open.attachments {
        let line = format!("with the attachment {}", visible::sentence(&file.name));
        lines.extend(quoted_line(&line, width, plain));
    }
    if let (Some((_, question)), true) = (open.next_question(), open.is_pending()) {
        lines.extend(given::lines(open, width));
        lines.extend(quoted(&question.prompt, width, BOLD));
        lines.push(Line::default());
    }
    lines.extend(quoted_line(&format!("from {}", whose(open)), width, FAINT));
    if let Some(title) = &open.title {
        lines.extend(quoted_line(&visible::sentence(title), width, BOLD));
    }
    lines.extend(quoted(&open.prompt, width, plain));
    if let (Some(ruled), true) = (&open.ruled, open.is_pending()) {
        lines.push(Line::default());
        for line in ruled.lines() {
            lines.extend(quoted(&line, width, BOLD));
        }
    }
    if let (Some(fallback), true) = (&open.fallback, open.is_pending()) {
        let fallback = fallback
            .as_str()
            .map_or_else(|| fallback.to_string(), str::to_owned);
        lines.push(Line::default());
        let ours = "If nobody answers in time, it goes on with:";
        lines.extend(prose(ours, width, FAINT));
        lines.extend(quoted(&fallback, width, FAINT));
    }
    if let Some(task) = &open.task {
        let parts = [Some(&task.id), task.title.as_ref(), task.step.as_ref()];
        let parts: Vec<_> = parts
            .into_iter()
            .flatten()
            .map(|part| visible::sentence(part))
            .collect();
        lines.extend(quoted_line(
            &format!("task {}", parts.join(" · ")),
            width,
            FAINT,
        ));
    }
    lines
}

/// The action of an approval, every character of it.
fn action(open: &Item, width: u16) -> Vec<Line<'static>> {
    let Some(action) = &open.action else {
        return Vec::new();
    };
    let digest = open.action_digest.as_deref().unwrap_or_default();
    let view = shape::of(action, digest);
    let lines = shape::lines(&view).into_iter();
    let mut lines: Vec<_> = lines.flat_map(|line| runs(&line, width)).collect();
    if !digest.is_empty() {
        lines.extend(said(&visible::line(digest), width, FAINT));
    }
    lines
}

fn runs(runs: &[Run], width: u16) -> Vec<Line<'static>> {
    let runs = runs.iter().flat_map(|run| {
        let style = style(run);
        run.text.chars().map(move |c| (c, style))
    });
    barred(runs, width)
}

fn style(run: &Run) -> Style {
    match run.ink {
        _ if run.is_marked() => MARKED,
        _ if run.changed => BOLD.add_modifier(Modifier::UNDERLINED),
        Ink::Ours => FAINT,
        Ink::Plain | Ink::Name | Ink::Keyword | Ink::Text | Ink::Number | Ink::Space => {
            Style::new()
        }
    }
}

/// The lines under the text.
struct Controls {
    head: Vec<Line<'static>>,
    /// Each whole or not at all.
    options: Vec<Vec<Line<'static>>>,
    /// The option that is looked at.
    at: usize,
    tail: Vec<Line<'static>>,
}

impl Controls {
    fn count(&self) -> usize {
        let options = self.options.iter().map(Vec::len).sum::<usize>();
        self.head.len() + options + self.tail.len()
    }

    /// As many lines as there is room for, and which options stand there. The option that is looked at is
    /// among them; of anything else that does not fit the end is shown: that is where one types.
    fn fitted(self, room: usize) -> (Vec<Line<'static>>, Range<usize>) {
        if self.options.is_empty() {
            let lines = self.head.into_iter().chain(self.tail);
            let lines: Vec<_> = lines.collect();
            let hidden = lines.len().saturating_sub(room);
            return (lines.into_iter().skip(hidden).collect(), 0..0);
        }
        let heights: Vec<_> = self.options.iter().map(Vec::len).collect();
        // Only the line between: a heading goes before an option does.
        let head = self.head.len().min(room.saturating_sub(heights[self.at]));
        let shown = around(&heights, self.at, room - head);
        let options = self.options.into_iter();
        let options = options.skip(shown.start).take(shown.len()).flatten();
        let lines = self.head.into_iter().take(head).chain(options);
        (lines.collect(), shown)
    }
}

/// Those that fit into the room whole, the one at `at` among them if it does.
fn around(heights: &[usize], at: usize, room: usize) -> Range<usize> {
    let mut left = room;
    let mut fits = |height: &usize| match left.checked_sub(*height) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let before = heights[..=at]
        .iter()
        .rev()
        .take_while(|it| fits(it))
        .count();
    if before == 0 {
        return at..at;
    }
    let after = heights[at + 1..].iter().take_while(|it| fits(it)).count();
    at + 1 - before..at + 1 + after
}

/// What can be done, and what was typed so far.
fn controls(state: &State, open: &Item, draft: &Draft, width: u16) -> Controls {
    let mut lines = vec![Line::styled("─".repeat(width.into()), FAINT)];
    let mut options = Vec::new();
    let mut tail = Vec::new();
    if let Some(reason) = &state.reason {
        lines.extend(prose("Take it back. Why, if you like:", width, BOLD));
        tail = typed(reason, width);
    } else if !open.is_pending() {
        lines.extend(ended(state, open, draft, width));
    } else if state.read_only {
        lines.extend(prose("Waiting for a person.", width, FAINT));
    } else if let Some(Overtaken { change, left }) = &state.overtaken {
        lines.extend(prose(change.words(), width, BOLD));
        if !left.is_empty() {
            lines.extend(prose("What you wrote was not sent:", width, BOLD));
            tail = prose(left, width, Style::new());
        }
    } else {
        if let (Some((n, _)), Some(all)) = (open.next_question(), &open.questions) {
            let number = format!("Question {} of {}", n + 1, all.len());
            lines.extend(prose(&number, width, FAINT));
        }
        let control = control(open);
        match &control {
            Control::Options {
                options: all,
                multiple,
            } => {
                let numbered = all.iter().enumerate();
                let drawn = numbered.map(|(n, it)| option(draft, n, it, *multiple, width));
                options = drawn.collect();
            }
            other => lines.extend(offered(other, draft, width)),
        }
        if draft.is_typing(&control) {
            tail = typed(&draft.editor, width);
        }
    }
    let last = options.len().saturating_sub(1);
    Controls {
        head: lines,
        options,
        at: draft.at.min(last),
        tail,
    }
}

/// How it ended, and what was not sent.
fn ended(state: &State, open: &Item, draft: &Draft, width: u16) -> Vec<Line<'static>> {
    let ended = how_it_ended(open, state.now);
    let mut lines = prose(&format!("This is {ended}:"), width, BOLD);
    lines.extend(prose(&open.answer_words(), width, Style::new()));
    if !draft.editor.text.is_empty() {
        lines.extend(prose("What you wrote was not sent:", width, BOLD));
        lines.extend(prose(&draft.editor.text, width, Style::new()));
    }
    lines
}

fn option(
    draft: &Draft,
    n: usize,
    option: &ChoiceOption,
    multiple: bool,
    width: u16,
) -> Vec<Line<'static>> {
    let at = if n == draft.at { '>' } else { ' ' };
    let mark = match (draft.picked.contains(&n), multiple) {
        (true, true) => "[x]",
        (false, true) => "[ ]",
        (true, false) => "(•)",
        (false, false) => "( )",
    };
    let label = visible::option(&option.label, &option.value);
    let ours = format!("{at} {mark} {}", n + 1);
    let mut lines = said(&format!("{ours} {label}"), width, Style::new());
    if lines.len() > 1 {
        // A continued line could pass for an option of its own.
        lines = said(&ours, width, Style::new());
        lines.extend(quoted_line(&label, width, Style::new()));
    }
    if let Some(more) = &option.description {
        lines.extend(quoted_line(&visible::sentence(more), width, FAINT));
    }
    lines
}

/// The choices where there are no options of the agent's.
fn offered(control: &Control<'_>, draft: &Draft, width: u16) -> Vec<Line<'static>> {
    let line = match control {
        Control::Approval => match draft.decision {
            None => "Nothing is decided yet.",
            Some(0) => "Approve exactly this action. A comment, if you like:",
            Some(_) => "Deny. Why, if you like:",
        },
        Control::Plan => match draft.decision.and_then(|n| PLAN.get(n)) {
            Some((name, what)) => {
                let line = format!("{name}: {what}. Your feedback:");
                return prose(&line, width, BOLD);
            }
            None => {
                let decisions = PLAN.iter().enumerate();
                let decisions = decisions.flat_map(|(n, (name, what))| {
                    prose(&format!("{} {name}: {what}", n + 1), width, Style::new())
                });
                return decisions.collect();
            }
        },
        Control::Text => "Your answer:",
        Control::Acknowledgement => "Press a when you have seen it.",
        Control::Unknown => "Answer it in the browser.",
        Control::Options { .. } => return Vec::new(),
    };
    prose(line, width, BOLD)
}

/// The text being typed, with a mark where the next character goes.
fn typed(editor: &Editor, width: u16) -> Vec<Line<'static>> {
    let (before, after) = editor.text.split_at(editor.at);
    prose(&format!("{before}▏{after}"), width, Style::new())
}
