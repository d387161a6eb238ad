//! The answers that a person has sent and this page still holds: for five seconds they can be undone. A page that
//! goes sends them as it goes.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, Utc};
use domain::{InteractionId, PersonId};
use leptos::{ev, prelude::*, server_fn::ServerFn, task::spawn_local};

use crate::{
    desk::{
        narrowing::Narrowing,
        place::{Item, Place, beside, items, shared_words},
    },
    draft,
    error::UiError,
    live::Live,
    server_fns::{AnswerBlocker, AnswerTogether, CancelBlocker},
    view::{AnswerOutcome, Answered, Row},
};

/// How long an answer is held.
pub(crate) const HOLD: Duration = Duration::from_secs(5);
/// An answer that is not certain to be in time after that is sent at once.
const IN_TIME: i64 = 30;
/// A body of more bytes is not sent by a page that goes: browsers take 64 KiB in all.
const GOES_ALONG: usize = 16 * 1024;
/// How long a row stays out of the list for an answer of which this page has not heard what became.
const UNHEARD: Duration = Duration::from_secs(10);
/// The browser's storage has this under [`OFF_KEY`] where answers are sent at once.
const OFF: &str = "off";
const OFF_KEY: &str = "handraise.undo";
/// A person who signs out in one tab changes this for all of them.
const LEAVING: &str = "handraise.leaving";

/// An answer, or the taking back of a question; to one, or to several.
#[derive(Clone)]
pub(crate) enum Call {
    Answer(Box<AnswerBlocker>),
    Cancel(CancelBlocker),
    Together(Box<AnswerTogether>),
}

impl Call {
    /// What became of each.
    async fn send(self, ids: &[InteractionId]) -> Vec<Answered> {
        let end = match self {
            Self::Answer(answer) => answer.run_on_client().await,
            Self::Cancel(cancel) => cancel.run_on_client().await.map(|()| AnswerOutcome::Sent),
            Self::Together(together) => match together.run_on_client().await {
                Ok(ends) => return ends,
                Err(error) => Err(error),
            },
        };
        ids.iter().map(|id| (*id, end.clone())).collect()
    }

    /// The same for some of those that it is for.
    fn only(&self, ids: &[InteractionId]) -> Self {
        let Self::Together(together) = self else {
            return self.clone();
        };
        let ids: Vec<String> = ids.iter().map(InteractionId::to_string).collect();
        let is_for = |ticked: &&String| ids.iter().any(|id| ticked.starts_with(id));
        Self::Together(Box::new(AnswerTogether {
            ticked: together.ticked.iter().filter(is_for).cloned().collect(),
            ..AnswerTogether::clone(together)
        }))
    }

    /// Where it goes, and its body.
    fn encoded(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Answer(answer) => Some((AnswerBlocker::url(), serde_qs::to_string(answer).ok()?)),
            Self::Cancel(cancel) => Some((CancelBlocker::url(), serde_qs::to_string(cancel).ok()?)),
            Self::Together(all) => Some((AnswerTogether::url(), serde_qs::to_string(all).ok()?)),
        }
    }
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It can be undone.
    Held,
    Sending,
    /// Another person, or the deadline, was faster.
    Late,
    Failed(UiError),
}

/// One of them.
#[derive(Clone)]
pub(crate) struct Held {
    n: usize,
    /// Where it was made.
    pub(crate) place: Place,
    /// For which blockers, and what their rows say.
    of: Vec<(InteractionId, String)>,
    call: Call,
    verb: &'static str,
    pub(crate) stage: Stage,
}

impl Held {
    /// Names it on the page, at its stage.
    pub(crate) fn key(&self) -> (usize, u8) {
        let stage = match self.stage {
            Stage::Held => 0,
            Stage::Sending => 1,
            Stage::Late => 2,
            Stage::Failed(_) => 3,
        };
        (self.n, stage)
    }

    /// What it is, in words.
    pub(crate) fn said(&self) -> String {
        let texts: Vec<&str> = self.of.iter().map(|(_, text)| text.as_str()).collect();
        let (verb, count) = (self.verb, texts.len());
        match (&self.stage, count) {
            (_, 0 | 1) => format!("{verb}: {}", texts.concat()),
            // Each that did not get through has a name.
            (Stage::Late | Stage::Failed(_), _) => format!("{verb} {count}: {}", texts.join("; ")),
            (Stage::Held | Stage::Sending, _) => {
                format!("{verb} {count}: {}", shared_words(&texts))
            }
        }
    }

    fn ids(&self) -> Vec<InteractionId> {
        self.of.iter().map(|(id, _)| *id).collect()
    }
}

/// All of them.
#[derive(Clone, Copy)]
pub(crate) struct Holding {
    held: RwSignal<Vec<Held>>,
    /// What is answered as far as this page knows, though the desk may still list it.
    gone: RwSignal<HashSet<InteractionId>>,
    /// How many there have been.
    count: StoredValue<usize>,
    /// The one that was undone last, with those that it was for: the control that shows these again shows it.
    undone: StoredValue<Option<(Vec<InteractionId>, Call)>>,
    /// How often one was undone: what is shown then begins anew.
    pub(crate) undos: RwSignal<usize>,
    /// Whose page this is.
    person: StoredValue<Option<PersonId>>,
    live: Live,
    /// What their list is narrowed to.
    narrowed: Memo<Narrowing>,
}

impl Holding {
    /// Makes it available to everything below.
    pub(crate) fn provide(live: Live, narrowed: Memo<Narrowing>) -> Self {
        let holding = Self {
            held: RwSignal::default(),
            gone: RwSignal::default(),
            count: StoredValue::new(0),
            undone: StoredValue::new(None),
            undos: RwSignal::new(0),
            person: StoredValue::new(None),
            live,
            narrowed,
        };
        provide_context(holding);
        Effect::new(move |_| {
            // Browsers tell a page that is closed from one that is left only on some systems.
            for going in ["pagehide", "visibilitychange"] {
                let listener = window_event_listener_untyped(going, move |_| {
                    if going == "pagehide" || document().hidden() {
                        holding.send_along();
                    }
                });
                on_cleanup(move || listener.remove());
            }
            let listener = window_event_listener(ev::storage, move |event| {
                if event.key().as_deref() == Some(LEAVING) {
                    spawn_local(holding.send_all());
                }
            });
            on_cleanup(move || listener.remove());
        });
        holding
    }

    /// The same about a desk that the server has read: it gives every part of a page its own.
    pub(crate) fn seen_by(self, live: Live) -> Self {
        Self { live, ..self }
    }

    /// Whose page this is, as far as drawing it needs that: on the server nothing is kept.
    pub(crate) fn drawn_for(self, person: PersonId) {
        self.person.set_value(Some(person));
    }

    /// Whose page this is: an answer that goes with the cookie of a person who has signed in since is refused.
    pub(crate) fn belongs_to(self, person: PersonId) {
        self.drawn_for(person);
        draft::belong_to(person);
    }

    /// Whose page this is.
    pub(crate) fn person(self) -> Option<PersonId> {
        self.person.get_value()
    }

    /// As the person of this page sends it.
    pub(crate) fn signed(self, call: Call) -> Call {
        let by = self.person.get_value();
        match call {
            Call::Answer(answer) => Call::Answer(Box::new(AnswerBlocker { by, ..*answer })),
            Call::Cancel(cancel) => Call::Cancel(CancelBlocker { by, ..cancel }),
            Call::Together(all) => Call::Together(Box::new(AnswerTogether { by, ..*all })),
        }
    }

    /// Whether answers are held in this browser.
    pub(crate) fn is_on() -> bool {
        let kept = storage().and_then(|storage| storage.get_item(OFF_KEY).ok().flatten());
        kept.as_deref() != Some(OFF)
    }

    /// From now on they are held, or not.
    pub(crate) fn switch(on: bool) {
        if let Some(storage) = storage() {
            let _ = match on {
                true => storage.remove_item(OFF_KEY),
                false => storage.set_item(OFF_KEY, OFF),
            };
        }
    }

    /// What is on its way, oldest first.
    pub(crate) fn all(self) -> Vec<Held> {
        self.held.get()
    }

    /// The blockers that wait for this person: without those that they have just answered.
    pub(crate) fn waiting(self) -> Vec<Row> {
        self.gone.with(|gone| {
            self.live.desk.with(|desk| {
                let is_here = |row: &&Row| !gone.contains(&row.id) && !desk.is_snoozed(row.id);
                let left = desk.waiting.iter().filter(is_here);
                left.cloned().collect()
            })
        })
    }

    /// What the list is narrowed to.
    pub(crate) fn narrowed(self) -> Memo<Narrowing> {
        self.narrowed
    }

    /// The lines of the list.
    pub(crate) fn items(self) -> Vec<Item> {
        let is_in = self.is_in();
        items(self.waiting().into_iter().filter(is_in))
    }

    /// Whether a row is in the list, as it is narrowed.
    fn is_in(self) -> impl Fn(&Row) -> bool {
        let narrowing = self.narrowed.get();
        // Each tick would make the list anew.
        let now = match narrowing.soon {
            true => self.live.now.get(),
            false => self.live.now.get_untracked(),
        };
        move |row| narrowing.takes(row, now)
    }

    /// The place after this in the list, or before it.
    pub(crate) fn beside(self, here: Place, step: isize) -> Option<Place> {
        let list = untrack(|| {
            let is_in = self.is_in();
            self.gone.with(|gone| {
                self.live.desk.with(|desk| {
                    let is_here = |row: &&Row| {
                        here == Place::Blocker(row.id)
                            || (!gone.contains(&row.id) && !desk.is_snoozed(row.id))
                    };
                    let rows = desk.waiting.iter().filter(is_here);
                    items(rows.filter(|row| is_in(row)).cloned())
                })
            })
        });
        beside(&list, here, step)
    }

    /// This page knows that it is answered.
    pub(crate) fn is_answered(self, id: InteractionId) {
        self.gone.update(|gone| _ = gone.insert(id));
    }

    /// Holds it, or hands it back if it cannot wait.
    pub(crate) fn hold(self, row: &Row, call: Call, verb: &'static str) -> Result<(), Call> {
        if !self.can_wait(std::slice::from_ref(row), &call) {
            return Err(call);
        }
        self.takes(
            Place::Blocker(row.id),
            std::slice::from_ref(row),
            call,
            verb,
            true,
        );
        Ok(())
    }

    /// Holds what was decided about several at once, or sends it if it cannot wait.
    pub(crate) fn hold_together(self, place: Place, rows: &[Row], call: Call, verb: &'static str) {
        let waits = self.can_wait(rows, &call);
        self.takes(place, rows, call, verb, waits);
    }

    fn can_wait(self, rows: &[Row], call: &Call) -> bool {
        let left = |until: DateTime<Utc>| (until - self.live.now.get_untracked()).num_seconds();
        let in_time = |row: &Row| row.expires_at.is_none_or(|until| left(until) > IN_TIME);
        let is_short = call
            .encoded()
            .is_some_and(|(_, body)| body.len() <= GOES_ALONG);
        Self::is_on() && rows.iter().all(in_time) && is_short
    }

    fn takes(self, place: Place, rows: &[Row], call: Call, verb: &'static str, waits: bool) {
        let n = self.count.get_value();
        self.count.set_value(n + 1);
        let call = self.signed(call);
        self.replaced_by(rows);
        self.gone
            .update(|gone| gone.extend(rows.iter().map(|row| row.id)));
        rows.iter().for_each(|row| draft::all_go_out(row.id));
        self.held.update(|held| {
            let text = |row: &Row| row.about.clone().unwrap_or_else(|| row.preview.clone());
            held.push(Held {
                n,
                place,
                of: rows.iter().map(|row| (row.id, text(row))).collect(),
                call,
                verb,
                stage: Stage::Held,
            });
        });
        let send = move || {
            if let Some(call) = self.starts(n, &Stage::Held) {
                spawn_local(self.send(n, call));
            }
        };
        match waits {
            true => set_timeout(send, HOLD),
            false => send(),
        }
    }

    /// What is held of these is sent no more: their person decides anew.
    fn replaced_by(self, rows: &[Row]) {
        let is_new = |id: &InteractionId| rows.iter().any(|row| row.id == *id);
        self.held.update(|held| {
            for one in held.iter_mut().filter(|one| one.stage == Stage::Held) {
                one.of.retain(|(id, _)| !is_new(id));
                one.call = one.call.only(&one.ids());
            }
            held.retain(|one| !one.of.is_empty());
        });
    }

    /// Takes the last one that is still held back onto the page. Returns where it is shown again, and for which it was:
    /// several are to be marked.
    pub(crate) fn undo(self) -> Option<(Place, Vec<InteractionId>)> {
        let last = self.held.try_update(|held: &mut Vec<Held>| {
            let place = held.iter().rposition(|one| one.stage == Stage::Held)?;
            Some(held.remove(place))
        })??;
        let ids = last.ids();
        self.gone.update(|gone| {
            for id in &ids {
                gone.remove(id);
            }
        });
        let place = match last.call {
            Call::Together(_) => Place::Marked,
            Call::Answer(_) | Call::Cancel(_) => last.place,
        };
        self.undone.set_value(Some((ids.clone(), last.call)));
        Some((place, ids))
    }

    /// The answer that was undone, if it was to exactly these; once. What is opened first after it decides.
    pub(crate) fn take_undone(self, of: &[InteractionId]) -> Option<Call> {
        let (ids, call) = self.undone.try_update_value(Option::take)??;
        let is_same = ids.len() == of.len() && ids.iter().all(|id| of.contains(id));
        is_same.then_some(call)
    }

    /// Sends one again that failed.
    pub(crate) fn again(self, failed: &Held) {
        if let Some(call) = self.starts(failed.n, &failed.stage) {
            self.gone.update(|gone| gone.extend(failed.ids()));
            spawn_local(self.send(failed.n, call));
        }
    }

    /// Its person knows.
    pub(crate) fn dismiss(self, known: &Held) {
        self.forget(known.n);
    }

    /// Sends all that are held, and returns when they are.
    pub(crate) async fn send_all(self) {
        for one in self.held.get_untracked() {
            if let Some(call) = self.starts(one.n, &Stage::Held) {
                self.send(one.n, call).await;
            }
        }
    }

    /// Has the person's other tabs send theirs.
    pub(crate) fn send_elsewhere() {
        if let Ok(Some(storage)) = window().local_storage() {
            let _ = storage.set_item(LEAVING, "");
            let _ = storage.remove_item(LEAVING);
        }
    }

    async fn send(self, n: usize, call: Call) {
        let ids = self.held.try_with_untracked(|held: &Vec<Held>| {
            let one = held.iter().find(|one| one.n == n)?;
            Some(one.ids())
        });
        let Some(Some(ids)) = ids else { return };
        let mut late = Vec::new();
        let mut failed: Option<(UiError, Vec<InteractionId>)> = None;
        for (id, end) in call.send(&ids).await {
            match end {
                Ok(AnswerOutcome::Sent) => draft::forget_all(id),
                // It takes others, too, and waits.
                Ok(AnswerOutcome::Kept) => {
                    draft::forget_all(id);
                    self.gone.try_update(|gone| _ = gone.remove(&id));
                }
                Ok(AnswerOutcome::TooLate) => late.push(id),
                Err(error) => {
                    let (_, failed) = failed.get_or_insert_with(|| (error, Vec::new()));
                    failed.push(id);
                }
            }
        }
        if let Some((_, failed)) = &failed {
            self.gone.try_update(|gone| {
                for id in failed {
                    gone.remove(id);
                }
            });
        }
        self.held.try_update(|held: &mut Vec<Held>| {
            let Some(place) = held.iter().position(|one| one.n == n) else {
                return;
            };
            let sent = held.remove(place);
            let failed = failed.map(|(error, ids)| (Stage::Failed(error), ids));
            for (stage, ids) in [(Stage::Late, late)].into_iter().chain(failed) {
                if ids.is_empty() {
                    continue;
                }
                let n = self.count.get_value();
                self.count.set_value(n + 1);
                let mut left = sent.clone();
                left.n = n;
                left.stage = stage;
                left.of.retain(|(id, _)| ids.contains(id));
                left.call = sent.call.only(&ids);
                held.push(left);
            }
        });
    }

    /// Marks it as sent if it is at this stage.
    fn starts(self, n: usize, from: &Stage) -> Option<Call> {
        self.held.try_update(|held: &mut Vec<Held>| {
            let one = held
                .iter_mut()
                .find(|one| one.n == n && one.stage == *from)?;
            one.stage = Stage::Sending;
            Some(one.call.clone())
        })?
    }

    fn forget(self, n: usize) {
        self.held.update(|held| held.retain(|one| one.n != n));
    }

    /// The browser sends them though the page may be gone. A page that stays hears by the feed what became of them.
    fn send_along(self) {
        for one in self.held.get_untracked() {
            let Some(call) = self.starts(one.n, &Stage::Held) else {
                continue;
            };
            if !call.encoded().is_some_and(|(url, body)| beacon(url, &body)) {
                spawn_local(self.send(one.n, call));
                continue;
            }
            self.forget(one.n);
            set_timeout(
                move || {
                    self.gone.try_update(|gone| {
                        for id in one.ids() {
                            gone.remove(&id);
                        }
                    });
                },
                UNHEARD,
            );
        }
    }
}

/// Whether the browser has taken it.
fn beacon(url: &str, body: &str) -> bool {
    let navigator = window().navigator();
    web_sys::UrlSearchParams::new_with_str(body)
        .and_then(|body| navigator.send_beacon_with_opt_url_search_params(url, Some(&body)))
        .unwrap_or_default()
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
