//! Why a user of Slack may not answer or read, and the note that tells them.

use slack::blocks::{Note, NoteLink};
use thiserror::Error;

/// Why a user may not answer in Slack.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unrecognised {
    /// They are a program.
    #[error("a bot cannot answer")]
    Bot,
    /// They are gone.
    #[error("their user of Slack is deactivated")]
    Deleted,
    /// They are a guest of the workspace.
    #[error("a guest cannot answer")]
    Guest,
    /// They belong to another workspace.
    #[error("they belong to another workspace")]
    OtherWorkspace,
    /// They are unknown here.
    #[error("no person here is this user of Slack")]
    Unknown {
        /// Where they can say who they are, if it could be made. Only for them to see.
        link: Option<String>,
    },
    /// They are a person who may not come in.
    #[error("the person they are is disabled")]
    Disabled,
    /// They are a person who answers nothing.
    #[error("the person they are is a viewer")]
    Viewer,
    /// Slack could not be asked, or did not know.
    #[error("Slack did not say who they are")]
    NotSaid,
    /// The database failed.
    #[error("the database failed")]
    Failed,
}

impl Unrecognised {
    /// The note to them, for them alone to see.
    pub fn note(&self) -> Note {
        let words = match self {
            Self::Bot => "This was not taken as an answer: bots cannot answer, only people can.",
            Self::Deleted => {
                "This was not taken as an answer: your user in Slack is deactivated. Ask an admin of your workspace."
            }
            Self::Guest => {
                "This was not taken as an answer: you are a guest in this workspace, and guests cannot answer. Ask one of its members to, or sign in to Handraise and answer there."
            }
            Self::OtherWorkspace => {
                "This was not taken as an answer: you belong to another workspace, and only members of this one can answer. Ask one of them to, or sign in to Handraise and answer there."
            }
            Self::Unknown { link: Some(link) } => {
                return Note {
                    words: "This was not taken as an answer: Handraise does not know who you are. Link your Slack user \
                            to your account, then answer again. The link is good for 30 minutes and for you alone. If \
                            you have no account, ask an admin of Handraise."
                        .to_owned(),
                    link: Some(NoteLink::Identify(link.clone())),
                };
            }
            Self::Unknown { link: None } => {
                "This was not taken as an answer: Handraise does not know who you are. Ask an admin of Handraise to enter your Slack member ID."
            }
            Self::Disabled => {
                "This was not taken as an answer: your account is disabled. Ask an admin of Handraise to enable it."
            }
            Self::Viewer => {
                "This was not taken as an answer: your role is viewer, so you can read, but not answer. Ask an admin of Handraise for another role."
            }
            Self::NotSaid => {
                "This was not taken as an answer: Slack did not say who you are. Try again in a minute, or answer in Handraise."
            }
            Self::Failed => {
                "This was not taken as an answer: Handraise could not look up who you are. Try again in a minute."
            }
        };
        words.into()
    }

    /// The note to a user who only wants to read.
    pub fn note_to_reader(&self) -> Note {
        let words = match self {
            Self::Unknown { link: Some(link) } => {
                return Note {
                    words: "Handraise does not know who you are. Link your Slack user to your account, then open this \
                            again. The link is good for 30 minutes and for you alone. If you have no account, ask an \
                            admin of Handraise."
                        .to_owned(),
                    link: Some(NoteLink::Identify(link.clone())),
                };
            }
            Self::Unknown { link: None } => {
                "Handraise does not know who you are. Ask an admin of Handraise to enter your Slack member ID."
            }
            Self::Disabled => "Your account is disabled. Ask an admin of Handraise to enable it.",
            Self::NotSaid => "Slack did not say who you are. Open this again in a minute.",
            Self::Failed => "Handraise could not look up who you are. Open this again in a minute.",
            Self::Bot | Self::Deleted | Self::Guest | Self::OtherWorkspace | Self::Viewer => {
                "Only members of this workspace see what waits for them."
            }
        };
        words.into()
    }
}
