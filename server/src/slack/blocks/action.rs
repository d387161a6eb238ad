//! The action of an approval on a card, as the dashboard shows it: what hides, reorders or pretends is marked.
//! Nobody approves what they cannot see whole.

use app::view::Run;
use domain::interaction::{Ask, Request};

use super::text::{cut, length};
use crate::visible;

/// The longest action that is shown whole: it has to fit into the text for screen readers, too.
const ACTION: usize = 2_000;

/// The tool, its arguments line by line, and what there is to know about it.
pub(super) struct Written {
    lines: String,
    /// Whether something in it is not what it looks like.
    pub(super) is_marked: bool,
    /// See [`domain::interaction::Action::digest`].
    pub(super) digest: String,
}

impl Written {
    /// `None` when it is no approval.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let Ask::Approval {
            action,
            action_digest,
        } = &request.ask
        else {
            return None;
        };
        let view = visible::action(action, action_digest);
        let runs = || {
            let arguments = view.arguments.iter();
            view.tool
                .iter()
                .chain(arguments.flat_map(|(name, value)| name.iter().chain(value)))
        };
        let is_marked = runs().any(|run| run.marked);
        let mut lines = text(&view.tool);
        for (name, value) in &view.arguments {
            lines.push_str(&format!("\n{}: {}", text(name), text(value)));
        }
        if view.arguments.is_empty() {
            lines.push_str("\n(no arguments)");
        }
        Some(Self {
            lines,
            is_marked,
            digest: view.digest,
        })
    }

    /// Whether a card shows all of it. What does not fit cannot be approved there.
    pub(super) fn fits(&self) -> bool {
        length(&self.lines) <= ACTION
    }

    /// All of it, or its beginning where it does not fit.
    pub(super) fn shown(&self) -> String {
        cut(&self.lines, ACTION).into_owned()
    }
}

fn text(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
