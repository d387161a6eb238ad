//! Comments on lines of a plan: each a place and a text. Without scripts there is room for one.

use domain::{InteractionId, limits};
use leptos::{ev, html, prelude::*, wasm_bindgen::JsCast};
use web_sys::{HtmlElement, HtmlInputElement, HtmlTextAreaElement};

use super::draft_area::focus_in_place;
use crate::draft::Draft;

/// The rows in the dialog.
const ROWS: &str = ".plan-comment";

/// Room for comments, with the lines of the plan to pick from.
#[component]
pub(super) fn PlanComments(
    id: InteractionId,
    /// The lines with their numbers; `None` where there are too many.
    source_html: Option<String>,
    comments: NodeRef<html::Details>,
) -> impl IntoView {
    // Each by a number of its own, which names its draft.
    let rows = RwSignal::new(vec![0]);
    Effect::new(move |_| {
        let Some(details) = comments.get() else {
            return;
        };
        let kept = (0..limits::COMMENTS).filter(|n| draft(id, *n).read().is_some());
        let mut kept: Vec<usize> = kept.collect();
        if !kept.is_empty() {
            details.set_open(true);
            // What was typed in it before the program ran is not kept yet.
            if kept.first() != Some(&0) {
                kept.insert(0, 0);
            }
            rows.set(kept);
        }
    });
    let add = move || {
        let next = (0..limits::COMMENTS).find(|n| rows.with_untracked(|rows| !rows.contains(n)));
        if let Some(next) = next {
            rows.update(|rows| rows.push(next));
        }
    };
    let on_line = move |event: ev::MouseEvent| {
        let Some(number) = line_of(&event) else {
            return;
        };
        if all(comments).last().is_none_or(|row| !row.is_free()) {
            add();
        }
        // A frame later: the row may not be in the document yet.
        request_animation_frame(move || {
            if let Some(row) = all(comments).last() {
                row.take(number);
            }
        });
    };
    view! {
        <details class="plan-comments" node_ref=comments>
            <summary>"Comment on lines"</summary>
            {source_html
                .map(|html| {
                    view! {
                        <p class="part-note">"Press a line to comment on it."</p>
                        <div
                            class="source plan-lines"
                            dir="ltr"
                            tabindex="0"
                            role="group"
                            aria-label="Lines of the plan"
                            inner_html=html
                            on:click=on_line
                        ></div>
                    }
                })}
            <For each=move || rows.get() key=|n| *n let:n>
                <CommentRow
                    id
                    n
                    remove=move || {
                        draft(id, n).forget();
                        rows.update(|rows| rows.retain(|row| *row != n));
                    }
                />
            </For>
            <button class="button quiet" type="button" on:click=move |_| add()>
                "Another comment"
            </button>
        </details>
    }
}

#[component]
fn CommentRow(
    id: InteractionId,
    n: usize,
    remove: impl Fn() + Send + Sync + 'static,
) -> impl IntoView {
    let row = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let Some(row) = row.get().and_then(|row| Row::of(&row)) else {
            return;
        };
        // What was typed before the program ran stays.
        if row.place.value().is_empty()
            && row.text.value().is_empty()
            && let Some(kept) = draft(id, n).read()
            && let Some((place, text)) = kept.split_once(": ")
        {
            row.place.set_value(place);
            row.text.set_value(text);
        }
    });
    let keep = move |_: ev::Event| {
        if let Some(row) = row.get_untracked().and_then(|row| Row::of(&row)) {
            let (place, text) = row.said();
            match place.is_empty() && text.is_empty() {
                true => draft(id, n).forget(),
                false => draft(id, n).keep(&format!("{place}: {text}")),
            }
        }
    };
    // In a field of one line a browser takes it for sending the form: a decision may be picked already.
    let on_place = move |event: ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.ctrl_key() && !event.meta_key() {
            event.prevent_default();
            if let Some(row) = row.get_untracked().and_then(|row| Row::of(&row)) {
                focus_in_place(&row.text);
            }
        }
    };
    let (place, text) = (format!("comment-place-{n}"), format!("comment-text-{n}"));
    view! {
        <div class="plan-comment" node_ref=row on:input=keep>
            <label for=place.clone()>"Lines"</label>
            <input
                id=place
                name="places[]"
                type="text"
                inputmode="text"
                autocomplete="off"
                placeholder="3 or 3-5"
                aria-describedby="answer-problem"
                on:keydown=on_place
            />
            <label for=text.clone()>"Comment"</label>
            <textarea
                id=text
                name="comments[]"
                rows="2"
                dir="auto"
                aria-describedby="answer-problem"
            ></textarea>
            <button class="button quiet" type="button" on:click=move |_| remove()>
                "Remove"
            </button>
        </div>
    }
}

/// What is typed as comments: places and texts, those without a text left out.
///
/// # Errors
/// What is wrong with one of them, as a sentence. The server looks again.
pub(super) fn said(
    comments: NodeRef<html::Details>,
    lines: usize,
) -> Result<(Vec<String>, Vec<String>), String> {
    let mut said = (Vec::new(), Vec::new());
    for row in all(comments) {
        let (place, text) = row.said();
        if text.trim().is_empty() {
            continue;
        }
        let wrong = match lines_of(&place) {
            None => Some("Say which lines each comment is about: 3, or 3-5.".to_owned()),
            Some((from, to)) if from == 0 || to < from => {
                Some(format!("{place} is no place: lines are counted from 1."))
            }
            Some((_, to)) if to > lines => {
                Some(format!("Line {to} is not there: this plan has {lines}."))
            }
            Some(_) if text.chars().count() > limits::COMMENT_CHARS => Some(format!(
                "A comment may have {} characters.",
                limits::COMMENT_CHARS
            )),
            Some(_) => None,
        };
        if let Some(wrong) = wrong {
            let _ = row.place.focus();
            return Err(wrong);
        }
        said.0.push(place);
        said.1.push(text);
    }
    Ok(said)
}

/// `3`, or `3-5`.
pub(crate) fn lines_of(place: &str) -> Option<(usize, usize)> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    match place.split_once(['-', '–']) {
        Some((from, to)) => number(from).zip(number(to)),
        None => number(place).map(|line| (line, line)),
    }
}

fn draft(id: InteractionId, n: usize) -> Draft {
    Draft::step(id, &format!("comment.{n}"))
}

/// A row as it stands in the document.
struct Row {
    place: HtmlInputElement,
    text: HtmlTextAreaElement,
}

impl Row {
    fn of(row: &HtmlElement) -> Option<Self> {
        let part = |selector: &str| row.query_selector(selector).ok().flatten();
        Some(Self {
            place: part("input")?.dyn_into().ok()?,
            text: part("textarea")?.dyn_into().ok()?,
        })
    }

    fn said(&self) -> (String, String) {
        (self.place.value().trim().to_owned(), self.text.value())
    }

    /// Whether nothing is said in it yet: its place can still change.
    fn is_free(&self) -> bool {
        self.text.value().trim().is_empty()
    }

    /// Is about this line; from the one that it is about on, if that stands before it.
    fn take(&self, number: usize) {
        let place = match lines_of(&self.place.value()) {
            Some((from, _)) if from < number => format!("{from}-{number}"),
            _ => number.to_string(),
        };
        self.place.set_value(&place);
        focus_in_place(&self.text);
    }
}

fn all(comments: NodeRef<html::Details>) -> Vec<Row> {
    let Some(found) = comments
        .get_untracked()
        .and_then(|details| details.query_selector_all(ROWS).ok())
    else {
        return Vec::new();
    };
    (0..found.length())
        .filter_map(|n| Row::of(&found.get(n)?.dyn_into::<HtmlElement>().ok()?))
        .collect()
}

/// The number of the line that was pressed.
fn line_of(event: &ev::MouseEvent) -> Option<usize> {
    let pressed: web_sys::Element = event.target()?.dyn_into().ok()?;
    let line = pressed.closest(".line").ok().flatten()?;
    line.get_attribute("data-n")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::lines_of;

    #[test]
    fn a_place_is_a_line_or_some() {
        for (place, lines) in [
            ("3", Some((3, 3))),
            (" 3 - 5 ", Some((3, 5))),
            ("3–5", Some((3, 5))),
            ("", None),
            ("3-", None),
            ("-5", None),
            ("all", None),
        ] {
            assert_eq!(lines_of(place), lines, "{place}");
        }
    }
}
