//! The control that answers several blockers at once: each that is ticked gets the same answer, as its own.

use domain::InteractionId;
use leptos::{ev, html, prelude::*, server_fn::ServerFn, wasm_bindgen::JsCast};

use super::{
    approve::{NEITHER, Verdict},
    draft_area::{DraftArea, typed},
    option_list::{OptionList, picked, picks_enough},
    sending::{Problem, SendButton, Sending},
};
use crate::{
    components::{group_line::Ticks, keys::is_submit_key},
    desk::place::Place,
    draft::Draft,
    held::{Call, Holding},
    live::{Live, Wanted},
    marks::Marks,
    server_fns::AnswerTogether,
    view::{Control, Row},
};

/// The id of the form, to which the ticks belong.
pub(in crate::components) const TOGETHER: &str = "together";

/// Sends, or holds, one answer for all that are ticked.
#[derive(Clone, Copy)]
struct Together {
    place: Place,
    /// Each with the digest of what was shown.
    of: StoredValue<Vec<(Row, String)>>,
    ticks: Ticks,
    draft: StoredValue<Draft>,
    live: Live,
    holding: Holding,
    marks: Marks,
}

impl Together {
    fn send(self, sending: Sending, verb: &'static str, answer: AnswerTogether) {
        let (rows, ticked): (Vec<Row>, Vec<String>) = self.of.with_value(|of| {
            let ticked = of.iter().filter(|(row, _)| self.ticks.has(row.id));
            ticked
                .map(|(row, digest)| (row.clone(), format!("{} {digest}", row.id)))
                .unzip()
        });
        if rows.is_empty() {
            sending.refuse("Tick at least one.");
            return;
        }
        let call = Call::Together(Box::new(AnswerTogether { ticked, ..answer }));
        self.draft.with_value(Draft::forget);
        self.holding.hold_together(self.place, &rows, call, verb);
        if self.place == Place::Marked {
            self.marks.clear();
        }
        let next = self.holding.beside(self.place, 1);
        self.live
            .wanted
            .set(Some(next.map_or(Wanted::Back, Wanted::Open)));
    }
}

/// One control for all. Where no answer fits all of them, they can be taken back.
#[component]
pub(in crate::components) fn TogetherControl(
    place: Place,
    of: Vec<(Row, String)>,
    ticks: Ticks,
    control: Option<Control>,
) -> impl IntoView {
    let (live, holding) = (use_context::<Live>()?, use_context::<Holding>()?);
    let marks = use_context::<Marks>()?;
    let sending = Sending::of(ServerAction::<AnswerTogether>::new()).after_a_rest();
    let ids: Vec<InteractionId> = of.iter().map(|(row, _)| row.id).collect();
    let undone = match holding.take_undone(&ids) {
        Some(Call::Together(answer)) => *answer,
        _ => blank(),
    };
    let count = of.len();
    let all: Vec<String> = of
        .iter()
        .map(|(row, digest)| format!("{} {digest}", row.id))
        .collect();
    let draft = Draft::together(&ids);
    let together = Together {
        place,
        of: StoredValue::new(of),
        ticks,
        draft: StoredValue::new(draft.clone()),
        live,
        holding,
        marks,
    };
    let area = NodeRef::<html::Textarea>::new();
    let group = NodeRef::<html::Fieldset>::new();
    let pressed = RwSignal::new(None);
    let verdict = move |approved: bool| {
        let comment = typed(area);
        if sending.starts() && sending.fits(&comment) && (!approved || sending.has_read()) {
            pressed.set(Some(approved));
            let answer = AnswerTogether {
                approved: Some(approved),
                text: Some(comment).filter(|comment| !comment.is_empty()),
                ..blank()
            };
            together.send(
                sending,
                if approved { "Approved" } else { "Denied" },
                answer,
            );
        }
    };
    let text = move || {
        let text = typed(area);
        let is_empty = text.trim().is_empty();
        if sending.starts()
            && sending.fits(&text)
            && sending.has_read()
            && sending.is_meant(is_empty)
        {
            let answer = AnswerTogether {
                text: Some(text),
                typed: Some("1".to_owned()),
                ..blank()
            };
            together.send(sending, "Answered", answer);
        }
    };
    let choose = move |multiple: bool| {
        if !sending.starts() {
            return;
        }
        let selected = picked(group);
        if sending.has_read() && picks_enough(sending, &selected, multiple) {
            let answer = AnswerTogether {
                selected: Some(selected),
                chosen: Some("1".to_owned()),
                ..blank()
            };
            together.send(sending, "Answered", answer);
        }
    };
    let multiple = matches!(&control, Some(Control::Choice(choice)) if choice.multiple);
    let kind = StoredValue::new(control.clone());
    let submit = move |button: Option<String>| match kind.get_value() {
        Some(Control::Approve(_)) => match button.as_deref() {
            Some("true") => verdict(true),
            Some("false") => verdict(false),
            _ => sending.refuse(NEITHER),
        },
        Some(Control::Text) => text(),
        Some(Control::Choice(_)) => choose(multiple),
        Some(Control::Acknowledge) if sending.starts() && sending.has_read() => {
            together.send(sending, "Acknowledged", blank());
        }
        _ => {}
    };
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let button = event
            .submitter()
            .and_then(|button| button.dyn_into::<web_sys::HtmlButtonElement>().ok());
        submit(button.map(|button| button.value()));
    };
    let on_keydown = move |event: ev::KeyboardEvent| {
        if !is_submit_key(&event) {
            return;
        }
        event.prevent_default();
        // A key that is still held was pressed for what stood here before.
        if event.repeat() {
            return;
        }
        let button = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlButtonElement>().ok());
        submit(button.map(|button| button.value()));
    };
    let ticked = move || format!("{} of {count} ticked", ticks.count());
    let text_before = undone.text.clone().unwrap_or_default();
    let fields = match control {
        Some(Control::Approve(_)) => view! {
            <DraftArea
                draft
                name="text"
                label="Comment to each (optional)"
                area
                problem="answer-problem"
                before=text_before
                rows="2"
            />
            <div class="form-end">
                // Without scripts Enter on a tick presses the first button that can be pressed: no verdict.
                <button
                    class="visually-hidden"
                    type="submit"
                    tabindex="-1"
                    aria-hidden="true"
                    disabled=move || sending.is_shut()
                ></button>
                <Problem id="answer-problem" sending />
                <span class="group-count">{ticked}</span>
                <Verdict value="false" label="Deny" key="D" chosen=move || pressed.get() == Some(false) sending />
                <Verdict value="true" label="Approve" key="A" chosen=move || pressed.get() == Some(true) sending />
            </div>
        }
        .into_any(),
        Some(Control::Text) => view! {
            <input type="hidden" name="typed" value="1" />
            <DraftArea
                draft
                name="text"
                label="Your answer to each"
                area
                problem="answer-problem"
                before=text_before
                focused=true
            />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <span class="group-count">{ticked}</span>
                <SendButton sending label="Send answers" />
            </div>
        }
        .into_any(),
        Some(Control::Choice(choice)) => view! {
            <OptionList
                choice
                subject=place.address()
                group
                picked=undone.selected.clone().unwrap_or_default()
                problem="answer-problem"
            />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <span class="group-count">{ticked}</span>
                <SendButton sending label="Send answers" key="↵" />
            </div>
        }
        .into_any(),
        Some(Control::Acknowledge) => view! {
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <span class="group-count">{ticked}</span>
                <SendButton sending label="Acknowledge" key="↵" />
            </div>
        }
        .into_any(),
        _ => view! {
            <div class="form-end">
                <p class="part-note">"No one answer fits all of these. Open each, or take them back."</p>
                <Problem id="answer-problem" sending />
                <span class="group-count">{ticked}</span>
            </div>
        }
        .into_any(),
    };
    Some(view! {
        <form
            id=TOGETHER
            class="answer-form"
            method="post"
            action=AnswerTogether::url()
            on:submit=on_submit
            on:keydown=on_keydown
        >
            <input type="hidden" name="form" value="1" />
            {fields}
        </form>
        <TakeBack together all />
    })
}

/// Without scripts it takes all of them back: the ticks belong to the other form.
#[component]
fn TakeBack(together: Together, all: Vec<String>) -> impl IntoView {
    let sending = Sending::of(ServerAction::<AnswerTogether>::new());
    let reason = NodeRef::<html::Input>::new();
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if sending.starts() {
            let reason = reason.get_untracked().map(|reason| reason.value());
            let answer = AnswerTogether {
                take_back: Some("1".to_owned()),
                reason,
                ..blank()
            };
            together.send(sending, "Taken back", answer);
        }
    };
    view! {
        <details class="cancel-form">
            <summary>"Take them back" <kbd>"T"</kbd></summary>
            <form method="post" action=AnswerTogether::url() on:submit=on_submit>
                <input type="hidden" name="form" value="1" />
                <input type="hidden" name="take_back" value="1" />
                {all
                    .into_iter()
                    .map(|one| view! { <input type="hidden" name="ticked[]" value=one /> })
                    .collect_view()}
                <label for="cancel-reason">"Why, for their agents (optional)"</label>
                <div class="field-line">
                    <input
                        id="cancel-reason"
                        class="field"
                        type="text"
                        name="reason"
                        dir="auto"
                        maxlength=domain::limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        node_ref=reason
                        aria-describedby="cancel-problem"
                    />
                    <button class="button" type="submit" disabled=move || sending.is_busy()>
                        "Take them back"
                    </button>
                </div>
                <Problem id="cancel-problem" sending />
            </form>
        </details>
    }
}

fn blank() -> AnswerTogether {
    AnswerTogether {
        ticked: Vec::new(),
        text: None,
        typed: None,
        selected: None,
        chosen: None,
        approved: None,
        take_back: None,
        reason: None,
        empty: None,
        form: None,
        by: None,
    }
}
