//! What another person does to the open item while somebody answers it. Until that has been put away no key means
//! anything for what is asked then.

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It asks another question.
    Question,
    /// It asks the same, and other answers go along with the one to it.
    Answers,
}

/// News that have not been put away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Overtaken {
    pub(super) change: Change,
    /// The text that was typed for what is asked no more.
    pub(super) left: String,
}

impl Overtaken {
    /// With what was not put away before: it is still to be read.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        match before {
            Some(before) if self.left.is_empty() && !before.left.is_empty() => before,
            Some(_) | None => self,
        }
    }
}

impl Change {
    /// What has happened, and what the key does that puts it away.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Question => "Somebody else has answered this question. Esc: the next one.",
            Self::Answers => {
                "Somebody else has changed another answer of this form. Esc: read it as it is now."
            }
        }
    }

    /// The same key, at the foot.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Question => "Esc next question",
            Self::Answers => "Esc read it anew",
        }
    }
}
