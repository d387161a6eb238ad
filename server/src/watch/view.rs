//! How the state looks. What others wrote goes through [`visible`] on its way here; nothing of it reaches the
//! terminal raw.

use app::view::Run;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{List, ListState, Paragraph},
};

use super::{
    answering::{Control, Draft, PLAN, control},
    desk::{Desk, how_it_ended, span},
    editor::Editor,
    fold::{folded, prose},
    item::Item,
};
use crate::visible;

/// Below this a row has three lines.
const NARROW: u16 = 72;

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const MARKED: Style = Style::new().add_modifier(Modifier::REVERSED);

pub(super) fn draw(frame: &mut Frame<'_>, desk: &Desk, colour: bool) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(foot_lines(desk, frame.area().width)),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(headline(desk)), head);
    match &desk.open {
        Some(open) => draw_open(frame, desk, open, body, colour),
        None => draw_list(frame, desk, body, colour),
    }
    let lines = foot_text(desk, foot.width);
    frame.render_widget(Paragraph::new(lines), foot);
}

fn headline(desk: &Desk) -> Line<'static> {
    let count = match (desk.is_loaded, desk.items.len()) {
        (false, _) => "connecting".to_owned(),
        (true, 0) => "nothing waits".to_owned(),
        (true, count) => format!("{count} waiting"),
    };
    let whose = match desk.read_only {
        true => " · agent token: its own questions, read only",
        false => "",
    };
    Line::styled(format!("Handraise · {count}{whose}"), BOLD)
}

/// What happened, what is wrong, and which keys there are.
fn foot_text(desk: &Desk, width: u16) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(away) = &desk.away {
        lines.extend(prose(away, width, BOLD));
    }
    if let Some(said) = &desk.said {
        lines.extend(prose(said, width, BOLD));
    }
    if desk.is_sending() {
        lines.extend(prose("Sending …", width, BOLD));
    }
    lines.extend(prose(&keys(desk), width, FAINT));
    lines
}

fn foot_lines(desk: &Desk, width: u16) -> u16 {
    u16::try_from(foot_text(desk, width).len()).unwrap_or(u16::MAX)
}

fn keys(desk: &Desk) -> String {
    if desk.reason.is_some() {
        return "Ctrl-S take back · Esc keep".to_owned();
    }
    let Some(open) = &desk.open else {
        return "j k move · Enter open · q leave".to_owned();
    };
    if desk.read_only || !open.is_pending() {
        return "PgUp PgDn scroll · Esc back".to_owned();
    }
    let control = control(open);
    let draft = desk.draft(&open.id);
    let answer = match &control {
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
    format!("{answer} · Ctrl-X take back · PgUp PgDn scroll · Esc back")
}

fn mode(item: &Item, colour: bool) -> Span<'static> {
    let (word, shade) = match &*item.mode {
        "sync" => ("SYNC", Color::Red),
        _ => ("ASYNC", Color::Blue),
    };
    let style = if colour { BOLD.fg(shade) } else { BOLD };
    Span::styled(format!("{word:5}"), style)
}

/// What kind of thing it is.
fn what(item: &Item, colour: bool) -> Vec<Span<'static>> {
    let mut facts = vec![mode(item, colour)];
    if item.is_urgent() {
        facts.push(Span::styled(" urgent", BOLD));
    }
    facts.push(Span::raw(format!(" {}", visible::line(&item.kind))));
    facts
}

/// For how long it has waited, and how long it will.
fn when(item: &Item, desk: &Desk) -> Span<'static> {
    let waits = span((desk.now - item.created_at).num_seconds());
    let left = item
        .expires_at
        .map(|end| span((end - desk.now).num_seconds()));
    let left = left.map_or_else(String::new, |left| format!(", {left} left"));
    Span::styled(format!("waits {waits}{left}"), FAINT)
}

fn whose(item: &Item) -> String {
    let agent = visible::line(&item.agent.name);
    match &item.session_id {
        Some(session) => format!("{agent} ({})", visible::line(session)),
        None => agent,
    }
}

fn draw_list(frame: &mut Frame<'_>, desk: &Desk, area: Rect, colour: bool) {
    let narrow = area.width < NARROW;
    let rows = desk.items.iter().map(|item| {
        let about = item.title.as_ref().unwrap_or(&item.prompt);
        let about = Span::raw(format!("{}: {}", whose(item), visible::line(about)));
        let (mut what, when) = (what(item, colour), when(item, desk));
        if narrow {
            let indent = || Span::raw("  ");
            return vec![
                Line::from(what),
                Line::from(vec![indent(), when]),
                Line::from(vec![indent(), about]),
            ];
        }
        what.extend([Span::raw(" "), when, Span::raw("  "), about]);
        vec![Line::from(what)]
    });
    let list = List::new(rows)
        .highlight_symbol("> ")
        .highlight_style(MARKED);
    let mut state = ListState::default().with_selected(desk.row());
    frame.render_stateful_widget(list, area, &mut state);
}

fn draw_open(frame: &mut Frame<'_>, desk: &Desk, open: &Item, area: Rect, colour: bool) {
    let draft = desk.draft(&open.id);
    let controls = controls(desk, open, &draft, area.width);
    // The question keeps at least half of the room.
    let room = u16::try_from(controls.len()).unwrap_or(u16::MAX);
    let room = room.min(area.height / 2);
    let [above, below] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(room)]).areas(area);
    let text = about(desk, open, area.width, colour);
    let beyond = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let scroll = desk.scroll.min(beyond.saturating_sub(above.height));
    frame.render_widget(Paragraph::new(text).scroll((scroll, 0)), above);
    // Of what does not fit the end is shown: that is where one types.
    let hidden = controls.len().saturating_sub(usize::from(room));
    let hidden = u16::try_from(hidden).unwrap_or(u16::MAX);
    frame.render_widget(Paragraph::new(controls).scroll((hidden, 0)), below);
}

/// Everything one has to know to answer.
fn about(desk: &Desk, open: &Item, width: u16, colour: bool) -> Vec<Line<'static>> {
    let plain = Style::new();
    let mut lines = vec![Line::from(what(open, colour)), Line::from(when(open, desk))];
    lines.extend(prose(&format!("from {}", whose(open)), width, FAINT));
    if let Some(task) = &open.task {
        let parts = [Some(&task.id), task.title.as_ref(), task.step.as_ref()];
        let parts: Vec<_> = parts
            .into_iter()
            .flatten()
            .map(|part| visible::line(part))
            .collect();
        lines.extend(prose(&format!("task {}", parts.join(" · ")), width, FAINT));
    }
    lines.push(Line::default());
    if let Some(title) = &open.title {
        lines.extend(prose(&visible::line(title), width, BOLD));
    }
    lines.extend(prose(&open.prompt, width, plain));
    if let Some(plan) = &open.plan {
        lines.push(Line::default());
        lines.extend(prose(plan, width, plain));
    }
    if let Some(action) = &open.action {
        lines.push(Line::default());
        lines.extend(runs("tool ", visible::name(&action.tool), width));
        let arguments = action.arguments.0.as_object();
        for (name, value) in arguments.into_iter().flatten() {
            let mut argument = visible::name(name);
            argument.push(Run {
                text: ": ".to_owned(),
                marked: false,
            });
            argument.extend(visible::value(&value.to_string()));
            lines.extend(runs("  ", argument, width));
        }
        if let Some(digest) = &open.action_digest {
            lines.extend(prose(&visible::line(digest), width, FAINT));
        }
    }
    if let (Some(fallback), true) = (&open.fallback, open.is_pending()) {
        let fallback = fallback
            .as_str()
            .map_or_else(|| fallback.to_string(), str::to_owned);
        lines.push(Line::default());
        let fallback = format!("If nobody answers in time, it goes on with: {fallback}");
        lines.extend(prose(&fallback, width, FAINT));
    }
    lines
}

fn runs(before: &str, runs: Vec<Run>, width: u16) -> Vec<Line<'static>> {
    let before = before.chars().map(|c| (c, FAINT));
    let runs = runs.iter().flat_map(|run| {
        let style = if run.marked { MARKED } else { Style::new() };
        run.text.chars().map(move |c| (c, style))
    });
    folded(before.chain(runs), width)
}

/// What can be done, and what was typed so far.
fn controls(desk: &Desk, open: &Item, draft: &Draft, width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled("─".repeat(width.into()), FAINT)];
    if let Some(reason) = &desk.reason {
        lines.extend(prose("Take it back. Why, if you like:", width, BOLD));
        lines.extend(typed(reason, width));
        return lines;
    }
    if !open.is_pending() {
        let ended = how_it_ended(open, desk.now);
        lines.extend(prose(&format!("This is {ended}:"), width, BOLD));
        lines.extend(prose(&open.answer_words(), width, Style::new()));
        if !draft.editor.text.is_empty() {
            lines.extend(prose("What you wrote was not sent:", width, BOLD));
            lines.extend(prose(&draft.editor.text, width, Style::new()));
        }
        return lines;
    }
    if desk.read_only {
        lines.extend(prose("Waiting for a person.", width, FAINT));
        return lines;
    }
    if let (Some((n, question)), Some(all)) = (open.next_question(), &open.questions) {
        let number = format!("Question {} of {}", n + 1, all.len());
        lines.extend(prose(&number, width, FAINT));
        lines.extend(prose(&question.prompt, width, BOLD));
    }
    let control = control(open);
    match &control {
        Control::Options { options, multiple } => {
            for (n, option) in options.iter().enumerate() {
                let at = if n == draft.at { '>' } else { ' ' };
                let mark = match (draft.picked.contains(&n), multiple) {
                    (true, true) => "[x]",
                    (false, true) => "[ ]",
                    (true, false) => "(•)",
                    (false, false) => "( )",
                };
                let label = visible::line(&option.label);
                let line = format!("{at} {mark} {} {label}", n + 1);
                lines.extend(prose(&line, width, Style::new()));
                if let Some(more) = &option.description {
                    let more = format!("        {}", visible::line(more));
                    lines.extend(prose(&more, width, FAINT));
                }
            }
        }
        Control::Approval => lines.extend(prose(
            match draft.decision {
                None => "Nothing is decided yet.",
                Some(0) => "Approve exactly this action. A comment, if you like:",
                Some(_) => "Deny. Why, if you like:",
            },
            width,
            BOLD,
        )),
        Control::Plan => match draft.decision.and_then(|n| PLAN.get(n)) {
            Some((name, what)) => {
                let line = format!("{name}: {what}. Your feedback:");
                lines.extend(prose(&line, width, BOLD));
            }
            None => {
                for (n, (name, what)) in PLAN.iter().enumerate() {
                    let line = format!("{} {name}: {what}", n + 1);
                    lines.extend(prose(&line, width, Style::new()));
                }
            }
        },
        Control::Text => lines.extend(prose("Your answer:", width, BOLD)),
        Control::Acknowledgement => {
            lines.extend(prose("Press a when you have seen it.", width, BOLD));
        }
        Control::Unknown => lines.extend(prose("Answer it in the browser.", width, BOLD)),
    }
    if draft.is_typing(&control) {
        lines.extend(typed(&draft.editor, width));
    }
    lines
}

/// What is being typed, with a mark where the next character goes.
fn typed(editor: &Editor, width: u16) -> Vec<Line<'static>> {
    let (before, after) = editor.text.split_at(editor.at);
    prose(&format!("{before}▏{after}"), width, Style::new())
}
