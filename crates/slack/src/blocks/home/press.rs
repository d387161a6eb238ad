//! What is pressed at the app's home, and how it comes back.

use domain::{Fingerprint, InteractionId};

use super::super::text::Address;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One question.
    One(InteractionId),
    /// All that are the same to a person, up to the newest that they were shown.
    Alike(Fingerprint, InteractionId),
}

impl Target {
    pub(super) fn write(self) -> String {
        match self {
            Self::One(id) => id.to_string(),
            Self::Alike(fingerprint, newest) => format!("{fingerprint}:{newest}"),
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text.split_once(':') {
            None => Self::One(text.parse().ok()?),
            Some((fingerprint, newest)) => {
                Self::Alike(fingerprint.parse().ok()?, newest.parse().ok()?)
            }
        })
    }

    pub(super) fn address(self, public_url: &str) -> Option<Address> {
        Address::new(match self {
            Self::One(id) => format!("{public_url}/q/{id}"),
            Self::Alike(fingerprint, _) => format!("{public_url}/groups/{fingerprint}"),
        })
    }
}

/// For how long something is put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOff {
    /// For so many minutes.
    Minutes(u16),
    /// Until the next nine in the morning, where the person is.
    Morning,
}

impl PutOff {
    pub(super) const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Minutes(15), "15", "For 15 minutes"),
        (Self::Minutes(60), "60", "For an hour"),
        (Self::Morning, "morning", "Until 9:00 in the morning"),
    ];
}

/// What is done with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomePress {
    /// "I'm on it."
    Claim(Target),
    /// No longer.
    Release(Target),
    /// Not now.
    Snooze(Target, PutOff),
}

pub(super) const CLAIM: &str = "home_claim";
pub(super) const RELEASE: &str = "home_release";
pub(super) const SNOOZE: &str = "home_snooze";
pub(super) const OPEN: &str = "home_open";

impl HomePress {
    /// Reads a control as Slack sends it. `None` when it is not one of these, or a mere link.
    pub fn parse(action_id: &str, value: &str) -> Option<Self> {
        let (name, target) = action_id.split_once(':')?;
        let target = Target::read(target)?;
        match name {
            CLAIM => Some(Self::Claim(target)),
            RELEASE => Some(Self::Release(target)),
            SNOOZE => {
                let mut all = PutOff::ALL.into_iter();
                let (put_off, ..) = all.find(|(_, name, _)| *name == value)?;
                Some(Self::Snooze(target, put_off))
            }
            _ => None,
        }
    }
}
