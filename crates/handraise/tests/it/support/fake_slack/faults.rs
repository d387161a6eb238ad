//! What goes wrong when it is told to.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{FakeSlack, Shared, call::json_response, http::CutOff};

/// What happens to one call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// It is done, and the connection ends without an answer.
    DropReply,
    /// It is done, and the answer is 500.
    DoneThen500,
    /// It is done, and the answer is `internal_error`.
    DoneThenInternalError,
    /// It is done, and the answer is no JSON.
    DoneThenNonsense,
    /// It is not done: 429, and how many seconds to wait.
    Limited(u32),
    /// It is not done, for this reason.
    Refused(&'static str),
    /// It is not done, and no answer ever comes.
    Hang,
}

impl FakeSlack {
    /// What happens to the next calls of a method, one after the other. `services` is an incoming webhook,
    /// `response` a response URL.
    pub(crate) fn fail(&self, method: &str, faults: impl IntoIterator<Item = Fault>) {
        let mut world = self.shared.world();
        let queue = world.faults.entry(method.to_owned()).or_default();
        queue.extend(faults);
    }

    /// From now on nobody who calls this method gets an answer before [`FakeSlack::answer_held`]; what they want is
    /// done.
    pub(crate) fn hold_answers(&self, method: &str) {
        self.shared.world().held.insert(method.to_owned());
    }

    /// Gives the answers that were held, and holds no more.
    pub(crate) fn answer_held(&self, method: &str) {
        self.shared.world().held.remove(method);
        self.shared.changed();
    }

    /// The next click or submission reaches nobody, as happens when a dead connection got it.
    pub(crate) fn lose_next_click(&self) {
        self.shared.world().lose_next_click = true;
    }

    /// The next event comes twice.
    pub(crate) fn duplicate_next_event(&self) {
        self.shared.world().duplicate_next_event = true;
    }

    /// The next event waits until [`FakeSlack::let_go`], so that later ones overtake it.
    pub(crate) fn hold_next_event(&self) {
        self.shared.world().hold_next_event = true;
    }
}

impl Shared {
    /// Waits as long as the answers to this method are held, or until the fake ends.
    pub(super) async fn unheld(&self, method: &str) {
        let mut changed = self.changed.subscribe();
        while self.world().held.contains(method) {
            tokio::select! {
                _ = changed.changed() => {}
                () = self.stopping.cancelled() => return,
            }
        }
    }
}

/// What comes instead of the answer to what was done.
pub(super) fn broken(fault: Option<Fault>) -> Option<Response> {
    match fault? {
        Fault::DropReply | Fault::Hang => {
            let mut response = Response::default();
            response.extensions_mut().insert(CutOff);
            Some(response)
        }
        Fault::DoneThen500 => {
            let page = "<html>The server did not say why</html>";
            Some((StatusCode::INTERNAL_SERVER_ERROR, page).into_response())
        }
        Fault::DoneThenInternalError => Some(json_response(
            &json!({ "ok": false, "error": "internal_error" }),
        )),
        Fault::DoneThenNonsense => Some("{\"ok\":tr".into_response()),
        Fault::Limited(_) | Fault::Refused(_) => None,
    }
}
