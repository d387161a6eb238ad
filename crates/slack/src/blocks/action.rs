//! The action of an approval, as the dashboard shows it: characters that hide, reorder or pretend
//! are marked.

use domain::interaction::{Ask, Request};
use visible::{Run, shape};

use super::block::Content;

/// The tool, its arguments line by line, and the notes about it.
pub(super) struct Written {
    /// All of it.
    pub(super) lines: String,
    /// Whether something in it is another than it looks like.
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
            ..
        } = &request.ask
        else {
            return None;
        };
        let view = shape::of(action, action_digest);
        let lines: Vec<String> = shape::lines(&view).iter().map(|line| text(line)).collect();
        Some(Self {
            lines: lines.join("\n"),
            is_marked: view.is_marked(),
            digest: view.digest,
        })
    }

    /// The lines below it.
    pub(super) fn notes(&self) -> Vec<Content> {
        let warning = self.is_marked.then(|| {
            Content::section(
                "Not what it looks like. It holds characters that nobody can see, that change the order of others, \
                 or that look like other characters. Their numbers stand where they are.",
            )
        });
        let digest = Content::context(vec![self.digest.as_str().into()]);
        warning.into_iter().chain([digest]).collect()
    }
}

fn text(runs: &[Run]) -> String {
    runs.iter().map(|run| run.text.as_str()).collect()
}
