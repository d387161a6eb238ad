//! A form on its way: from the button until the page shows what became of it.

use std::time::Duration;

use domain::limits;
use leptos::{
    prelude::*,
    server_fn::{ServerFn, error::FromServerFnError},
};

use crate::{
    components::read_to_end::is_read,
    error::UiError,
    live::{Live, LiveStatus, load_again},
};

/// How long what has just come on the screen cannot be answered: the second click of two that were meant for a row of
/// a list, or for the question before, was not meant for this. Systems count two clicks as one double click within
/// half a second, unless people have set it longer.
const REST: Duration = Duration::from_millis(700);

/// How the calls of one form go.
#[derive(Clone, Copy)]
pub(in crate::components) struct Sending {
    pending: Memo<bool>,
    /// How many calls have ended, and how the last one did.
    ended: Memo<(usize, Option<Result<(), UiError>>)>,
    /// How many had ended when the form was made.
    before: usize,
    /// The mistake, before anything is sent.
    wrong: RwSignal<Option<String>>,
    /// Whether an empty answer is asked about.
    doubted: RwSignal<bool>,
    /// Whether it has only just come on the screen.
    rests: RwSignal<bool>,
    /// How many calls had ended when the server came back: what could not be reached can be.
    back: RwSignal<usize>,
}

impl Sending {
    pub(in crate::components) fn of<S>(action: ServerAction<S>) -> Self
    where
        S: ServerFn<Error = UiError> + Clone + Send + Sync + 'static,
        S::Output: Clone + Send + Sync + 'static,
        S::Error: FromServerFnError + Clone + Send + Sync + 'static,
    {
        let version = action.version();
        let value = action.value();
        let before = version.get_untracked();
        let ended = Memo::new(move |_| {
            let end = value.with(|value| {
                let end = value.as_ref()?;
                Some(end.as_ref().map(|_| ()).map_err(Clone::clone))
            });
            (version.get(), end)
        });
        Effect::new(move |_| {
            let (ended, end) = ended.get();
            if ended != before && end == Some(Err(UiError::SignedOut)) {
                load_again();
            }
        });
        let back = RwSignal::new(0);
        let live = use_context::<Live>();
        let is_live =
            Memo::new(move |_| live.is_some_and(|live| live.status.get() == LiveStatus::Live));
        Effect::new(move |was: Option<bool>| {
            let is = is_live.get();
            if was == Some(false) && is {
                back.set(version.get_untracked());
            }
            is
        });
        Self {
            pending: action.pending(),
            ended,
            before,
            wrong: RwSignal::new(None),
            doubted: RwSignal::new(false),
            rests: RwSignal::new(false),
            back,
        }
    }

    /// For what may come under a pointer that was about to press something else. Without scripts nothing does.
    pub(super) fn after_a_rest(self) -> Self {
        let rests = self.rests;
        Effect::new(move |_| {
            rests.set(true);
            // From when it can be seen on.
            request_animation_frame(move || {
                set_timeout(move || _ = rests.try_set(false), REST);
            });
        });
        self
    }

    /// Whether it is under way.
    pub(in crate::components) fn is_pending(self) -> bool {
        self.pending.get()
    }

    /// Whether the last call got through, whenever that was.
    pub(in crate::components) fn got_through(self) -> bool {
        // A clock that ticks longer than its page may still ask.
        let Some((ended, end)) = self.ended.try_get() else {
            return false;
        };
        ended > 0 && end == Some(Ok(())) && !self.pending.try_get().unwrap_or_default()
    }

    /// Whether it must not be sent (again): what was sent is under way, or the page is about to show
    /// what became of it.
    pub(in crate::components) fn is_busy(self) -> bool {
        self.pending.get() || self.is_done()
    }

    /// Whether its buttons cannot be pressed.
    pub(super) fn is_shut(self) -> bool {
        self.is_busy() || self.rests.get()
    }

    /// Whether it got through.
    pub(in crate::components) fn is_done(self) -> bool {
        let (ended, end) = self.ended.get();
        ended != self.before && end == Some(Ok(()))
    }

    /// Whether it may be sent now. Takes back what was wrong.
    pub(in crate::components) fn starts(self) -> bool {
        self.wrong.set(None);
        if self.rests.get_untracked() {
            self.refuse("This has only just come on the screen. Press again.");
        }
        !untrack(|| self.is_shut())
    }

    /// Whether an answer that may be empty is meant: an empty one is sent when its person has been asked.
    pub(super) fn is_meant(self, is_empty: bool) -> bool {
        let is_meant = !is_empty || self.doubted.get_untracked();
        self.doubted.set(is_empty);
        if !is_meant {
            self.refuse(UiError::Empty.to_string());
        }
        is_meant
    }

    /// Whether the next press sends an empty answer.
    fn is_doubted(self) -> bool {
        self.doubted.get() || self.ended.get() == (0, Some(Err(UiError::Empty)))
    }

    /// Whether the end of what is asked has been on the screen. If not, the page reads on.
    pub(super) fn has_read(self) -> bool {
        let has_read = is_read();
        if !has_read {
            self.refuse("There is more to read.");
        }
        has_read
    }

    /// Whether this is short enough for an answer.
    pub(super) fn fits(self, text: &str) -> bool {
        let chars = text.chars().count();
        let fits = chars <= limits::TEXT_CHARS;
        if !fits {
            self.refuse(format!(
                "This is {chars} characters long. An answer may have {}.",
                limits::TEXT_CHARS
            ));
        }
        fits
    }

    pub(super) fn refuse(self, why: impl Into<String>) {
        self.wrong.set(Some(why.into()));
    }

    fn problem(self) -> Option<String> {
        self.wrong.get().or_else(|| match self.ended.get() {
            // The first comes with the page, when a browser without wasm sent the form.
            (ended, Some(Err(UiError::Unreachable))) if ended == self.back.get() => None,
            (ended, Some(Err(error))) if ended == 0 || ended != self.before => {
                Some(error.to_string())
            }
            _ => None,
        })
    }
}

/// The mistake, beside its field.
#[component]
pub(in crate::components) fn Problem(#[prop(into)] id: String, sending: Sending) -> impl IntoView {
    view! {
        <p id=id class="form-problem" role="alert">
            {move || sending.problem()}
        </p>
    }
}

/// The primary button, with its key.
#[component]
pub(super) fn SendButton(
    sending: Sending,
    label: &'static str,
    #[prop(default = "Ctrl ↵")] key: &'static str,
) -> impl IntoView {
    view! {
        <button
            class="button primary"
            type="submit"
            disabled=move || sending.is_shut()
            aria-busy=move || sending.is_busy().then_some("true")
        >
            {move || match (sending.is_busy(), sending.is_doubted()) {
                (true, _) => "Sending…",
                (false, true) => "Send it empty",
                (false, false) => label,
            }}
            <kbd>{key}</kbd>
        </button>
        // Without a script the form says by itself that its person has been asked.
        {move || {
            sending.is_doubted().then(|| view! { <input type="hidden" name="empty" value="1" /> })
        }}
    }
}
