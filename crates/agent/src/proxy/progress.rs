//! Telling a client that its call still waits, if it wants to hear that.

use serde_json::{Value, json};

use crate::stdio::Out;

/// The steps of this progress are so small that the server's own goes on from them.
const STEP: f64 = 1e-6;

/// Of one call.
pub(super) struct Progress {
    token: Option<Value>,
    out: Out,
    said: u32,
}

impl Progress {
    /// Of this request.
    pub(super) fn of(request: &Value, out: Out) -> Self {
        let token = request["params"]["_meta"].get("progressToken").cloned();
        Self {
            token,
            out,
            said: 0,
        }
    }

    pub(super) fn tell(&mut self, words: &str) {
        let Some(token) = &self.token else {
            return;
        };
        self.said += 1;
        let progress = f64::from(self.said) * STEP;
        let params = json!({ "progressToken": token, "progress": progress, "message": words });
        let method = "notifications/progress";
        let line = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.out.say(line.to_string());
    }
}
