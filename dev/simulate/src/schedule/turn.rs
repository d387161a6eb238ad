//! Waiting for one's turn.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use super::{Schedule, Waiting};

/// A place in the schedule; see [`Schedule::turn`].
pub(crate) struct Turn {
    pub(super) schedule: Arc<Schedule>,
    pub(super) what: &'static str,
    pub(super) ticket: Option<u64>,
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let schedule = Arc::clone(&self.schedule);
        let mut state = schedule.state();
        let Some(ticket) = self.ticket else {
            if state.is_direct {
                return Poll::Ready(());
            }
            state.last_ticket += 1;
            let (ticket, actor) = (state.last_ticket, state.current);
            self.ticket = Some(ticket);
            state.waiting.push(Waiting {
                ticket,
                actor,
                what: self.what,
                is_given: false,
                waker: context.waker().clone(),
            });
            return Poll::Pending;
        };
        let place = state.waiting.iter().position(|one| one.ticket == ticket);
        let Some(place) = place else {
            return Poll::Ready(());
        };
        if state.waiting[place].is_given {
            state.waiting.remove(place);
            return Poll::Ready(());
        }
        state.waiting[place].waker.clone_from(context.waker());
        Poll::Pending
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let mut state = self.schedule.state();
            state.waiting.retain(|one| one.ticket != ticket);
        }
    }
}

/// See [`Schedule::under_way`].
pub(crate) struct UnderWay(pub(super) Arc<Schedule>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}
