//! The controls that answer a blocker: one file a kind, and what they share. Every control is a plain form.

mod acknowledge;
mod answer_form;
mod approve;
mod cancel;
mod choice;
mod decide;
mod draft_area;
mod find_option;
mod follow_up;
mod form;
mod option_list;
mod plan_comments;
mod sending;
mod text;
mod together;

use domain::{InteractionId, PersonId};
use leptos::prelude::*;
use leptos_router::{
    NavigateOptions,
    hooks::{use_location, use_navigate},
};

pub(super) use cancel::{CancelForm, DismissForm};
pub use decide::title as decision_title;
pub(super) use follow_up::FollowUpForm;
#[cfg(feature = "ssr")]
pub(crate) use plan_comments::lines_of;
pub(super) use sending::{Problem, Sending};

use crate::{
    desk::place::Place,
    draft::Draft,
    error::UiError,
    held::{Call, Holding},
    live::{Live, Wanted},
    server_fns::{AnswerBlocker, CancelBlocker, FollowUpBlocker},
    view::{AnswerOutcome, Control, Row, SnoozedRow},
};

/// The doings of people on one blocker. It outlives reading the blocker again.
#[derive(Clone, Copy)]
pub(crate) struct Answering {
    answer: ServerAction<AnswerBlocker>,
    cancel: ServerAction<CancelBlocker>,
    pub(super) follow_up: ServerAction<FollowUpBlocker>,
    /// Where the text that is under way is kept.
    under_way: StoredValue<Option<Draft>>,
    /// How many answers of this page have got through.
    got_through: StoredValue<usize>,
    /// The question of a form that is shown, and how many answers had got through when it came.
    on_screen: StoredValue<Option<(String, usize)>>,
    /// The blocker, once it has been read.
    row: StoredValue<Option<Row>>,
    /// The answer that was undone.
    undone: StoredValue<Option<AnswerBlocker>>,
    /// Whether an answer was refused since others of the form have changed.
    changed: RwSignal<bool>,
    desk: Option<(Live, Holding)>,
    /// Reads the blocker again.
    again: Callback<()>,
}

impl Answering {
    /// Reads the blocker again with `reload` after everything that changes it.
    pub(crate) fn new(
        id: Option<InteractionId>,
        reload: impl Fn() + Copy + Send + Sync + 'static,
    ) -> Self {
        let desk = use_context::<Live>().zip(use_context::<Holding>());
        let undone = id
            .zip(desk)
            .and_then(|(id, (_, holding))| holding.take_undone(&[id]))
            .and_then(|undone| match undone {
                Call::Answer(answer) => Some(*answer),
                Call::Cancel(_) | Call::Together(_) => None,
            });
        let answering = Self {
            answer: ServerAction::new(),
            cancel: ServerAction::new(),
            follow_up: ServerAction::new(),
            under_way: StoredValue::new(None),
            got_through: StoredValue::new(0),
            on_screen: StoredValue::new(None),
            row: StoredValue::new(None),
            undone: StoredValue::new(undone),
            changed: RwSignal::new(false),
            desk,
            again: Callback::new(move |()| reload()),
        };
        let (here, navigate) = (use_location(), use_navigate());
        Effect::new(move |_| {
            let outcome = match answering.answer.value().get() {
                Some(Ok(outcome)) => outcome,
                Some(Err(UiError::Changed)) if answering.on_screen.get_value().is_some() => {
                    answering.changed.set(true);
                    reload();
                    return;
                }
                Some(Err(_)) | None => return,
            };
            answering.changed.set(false);
            answering.got_through.update_value(|count| *count += 1);
            // A text that came too late is shown as unsent: it is still needed.
            if let Some(draft) = answering.under_way.get_value()
                && outcome != AnswerOutcome::TooLate
            {
                draft.forget();
            }
            // From a question of a form that its reader went back to, on to the first that is open.
            if here.search.with_untracked(|search| !search.is_empty()) {
                let forward = NavigateOptions {
                    replace: true,
                    ..NavigateOptions::default()
                };
                navigate(&here.pathname.get_untracked(), forward);
            }
            if outcome != AnswerOutcome::Sent || !answering.goes_on() {
                reload();
            }
        });
        Effect::new(move |_| {
            if let Some(Ok(())) = answering.cancel.value().get()
                && !answering.goes_on()
            {
                reload();
            }
        });
        Effect::new(move |_| {
            if let Some(Ok(())) = answering.follow_up.value().get() {
                reload();
            }
        });
        answering
    }

    /// Whose page it is.
    pub(super) fn whose(self) -> Option<PersonId> {
        self.desk.and_then(|(_, holding)| holding.person())
    }

    /// Once the call of this form has succeeded.
    fn after(sending: Sending, then: impl Fn() + Send + Sync + 'static) {
        Effect::new(move |_| {
            if sending.is_done() {
                then();
            }
        });
    }

    /// Reads the blocker again once the call has succeeded.
    pub(super) fn reloads_after(self, sending: Sending) {
        Self::after(sending, move || self.again.run(()));
    }

    /// Snoozes it on this page once the call has succeeded, and goes on.
    pub(super) fn goes_on_after(
        self,
        sending: Sending,
        snoozed: impl Fn() -> SnoozedRow + Send + Sync + 'static,
    ) {
        Self::after(sending, move || {
            if let Some((live, _)) = self.desk {
                let row = snoozed();
                self.leaves(row.0);
                live.desk.update(|desk| {
                    desk.snoozed.retain(|(of, _)| *of != row.0);
                    desk.snoozed.push(row);
                });
            }
        });
    }

    /// Has it in the list of this page again once the call has succeeded.
    pub(super) fn returns_after(self, sending: Sending, id: InteractionId) {
        Self::after(sending, move || {
            if let Some((live, _)) = self.desk {
                live.desk
                    .update(|desk| desk.snoozed.retain(|(of, _)| *of != id));
                self.again.run(());
            }
        });
    }

    /// Goes on to the next one once the call has succeeded: what was given away is read no more.
    pub(super) fn leaves_after(self, sending: Sending) {
        Self::after(sending, move || {
            if let Some(row) = self.row.get_value() {
                self.leaves(row.id);
            }
        });
    }

    /// Goes on to the one beside it.
    fn leaves(self, id: InteractionId) {
        if let Some((live, holding)) = self.desk {
            let next = holding.beside(Place::Blocker(id), 1);
            live.wanted
                .set(Some(next.map_or(Wanted::Back, Wanted::Open)));
        }
    }

    fn sending(self) -> Sending {
        Sending::of(self.answer).after_a_rest()
    }

    /// A question of a form is about to be shown. The one that it replaces, if another person's answer did that and
    /// none of this page's.
    fn replaced_by(self, question: &str) -> Option<String> {
        let count =
            self.got_through.get_value() + usize::from(self.answer.pending().get_untracked());
        let shown = Some((question.to_owned(), count));
        let before = self
            .on_screen
            .try_update_value(|on_screen| std::mem::replace(on_screen, shown))??;
        (before.0 != question && before.1 == count).then_some(before.0)
    }

    /// Whether an answer of this page got through.
    pub(super) fn has_sent(self) -> bool {
        self.got_through.get_value() > 0
    }

    /// What it is about.
    pub(super) fn is_about(self, row: &Row) {
        self.row.set_value(Some(row.clone()));
    }

    /// The answer that was undone, to be shown once more.
    fn undone(self) -> Option<AnswerBlocker> {
        self.undone.get_value()
    }

    /// Sends the answer that ends it, or holds it.
    fn send(self, answer: AnswerBlocker, draft: Option<Draft>) {
        let said = said(&answer);
        match self.hold(Call::Answer(Box::new(answer)), said) {
            Some(Call::Answer(answer)) => self.send_part(*answer, draft),
            Some(Call::Cancel(_) | Call::Together(_)) | None => {}
        }
    }

    /// Sends the answer to one question of several.
    fn send_part(self, answer: AnswerBlocker, draft: Option<Draft>) {
        if let Some(draft) = &draft {
            draft.goes_out();
        }
        self.under_way.set_value(draft);
        if let Call::Answer(answer) = self.signed(Call::Answer(Box::new(answer))) {
            self.answer.dispatch(*answer);
        }
    }

    /// Takes it back, or holds that.
    fn take_back(self, cancel: CancelBlocker) {
        if let Some(Call::Cancel(cancel)) = self.hold(Call::Cancel(cancel), "Taken back") {
            self.cancel.dispatch(cancel);
        }
    }

    fn signed(self, call: Call) -> Call {
        match self.desk {
            Some((_, holding)) => holding.signed(call),
            None => call,
        }
    }

    /// Holds it and goes on; what cannot be held comes back.
    fn hold(self, call: Call, said: &'static str) -> Option<Call> {
        let (Some((_, holding)), Some(row)) = (self.desk, self.row.get_value()) else {
            return Some(call);
        };
        if let Err(call) = holding.hold(&row, call, said) {
            return Some(holding.signed(call));
        }
        self.leaves(row.id);
        None
    }

    /// On to the next one, if another waits.
    fn goes_on(self) -> bool {
        let (Some((live, holding)), Some(row)) = (self.desk, self.row.get_value()) else {
            return false;
        };
        holding.is_answered(row.id);
        let next = holding.beside(Place::Blocker(row.id), 1);
        if let Some(next) = next {
            live.wanted.set(Some(Wanted::Open(next)));
        }
        next.is_some()
    }
}

/// What was sent, in a word or two.
fn said(answer: &AnswerBlocker) -> &'static str {
    match (answer.approved, answer.decision) {
        (Some(true), _) => "Approved",
        (Some(false), _) => "Denied",
        (None, Some(_)) => "Decided",
        (None, None) if answer.typed.is_some() || answer.chosen.is_some() => "Answered",
        (None, None) => "Acknowledged",
    }
}

/// The control of a kind; nothing for a notification.
#[component]
pub(super) fn ControlView(
    id: InteractionId,
    control: Control,
    answering: Answering,
) -> impl IntoView {
    match control {
        Control::Text => view! { <TextControl id answering /> }.into_any(),
        Control::Choice(choice) => view! { <ChoiceControl id choice answering /> }.into_any(),
        Control::Acknowledge => view! { <AcknowledgeControl id answering /> }.into_any(),
        Control::Approve(action) => {
            let amendable = action.amendable;
            view! { <ApproveControl id digest=action.digest amendable answering /> }.into_any()
        }
        Control::Decide {
            digest,
            lines,
            source_html,
            ..
        } => view! { <DecideControl id digest lines source_html answering /> }.into_any(),
        Control::Form(steps) => view! { <FormControl id steps answering /> }.into_any(),
        Control::Nothing { .. } => ().into_any(),
    }
}

use acknowledge::AcknowledgeControl;
use approve::ApproveControl;
use choice::ChoiceControl;
use decide::DecideControl;
use form::FormControl;
use text::TextControl;
pub(super) use together::{TOGETHER, TogetherControl};
