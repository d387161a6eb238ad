//! The body by which an agent asks.

use chrono::TimeDelta;
use domain::interaction::{Ask, Draft, Request};
use server::testing;

use crate::known::{Counter, have_places, opened};

/// What is read is written back and reads the same; what is checked once passes the same check again; every refusal
/// has its place.
pub fn draft(bytes: &[u8]) {
    let draft: Draft = match testing::body(bytes) {
        Ok(draft) => draft,
        Err(problem) => return have_places(problem.errors()),
    };
    let again = serde_json::to_vec(&draft).unwrap();
    // What is left out is written here, so there are more values in it than the API takes.
    let again: Draft = serde_json::from_slice(&again).unwrap();
    assert_eq!(again, draft);
    assert_eq!(again.fingerprint(), draft.fingerprint());
    let timeout = |_| Some(TimeDelta::hours(24));
    let request = match draft.check(timeout) {
        Ok(request) => request,
        Err(faults) => {
            have_places(&faults);
            assert_eq!(again.check(timeout).unwrap_err(), faults);
            return;
        }
    };
    assert_eq!(again.check(timeout).as_ref(), Ok(&request));
    is_stored(&request);
}

/// What the database gives back is what was asked, with the digest that people approve.
fn is_stored(request: &Request) {
    let stored = serde_json::to_string(request).unwrap();
    let read: Request = serde_json::from_str(&stored).unwrap();
    assert_eq!(&read, request);
    assert_eq!(read.ask.digest(), request.ask.digest());
    if let Ask::Approval {
        action,
        action_digest,
        ..
    } = &read.ask
    {
        assert_eq!(&action.digest().unwrap(), action_digest);
    }
    let interaction = opened(read, &Counter::default());
    assert_eq!(interaction.request, *request);
    assert_ne!(interaction.approved(), Some(true));
}
