//! What is wrong between a provider and us, as sentences for those who can do something about it.

use chrono::TimeDelta;

/// Why nobody came in. Has no secret in it, and nothing of what the provider wrote but names and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It does not answer.
    Unreached(String),
    /// It answers something else.
    Answered {
        /// With which document.
        what: &'static str,
        /// How.
        how: String,
    },
    /// Its discovery says another issuer.
    OtherIssuer(String),
    /// An address of its own that is read by everybody on the way.
    NotSafe(&'static str),
    /// It has no address for what is needed.
    NoEndpoint(&'static str),
    /// It says no, with this code.
    Refused(String),
    /// It does not know us, or not with this secret.
    NotKnownThere(String),
    /// The code was used, or is of another sign-in.
    CodeIsUsed,
    /// It sends no ID token.
    NoIdToken,
    /// Its ID token is not what it should be.
    Token(&'static str),
    /// The ID token had run out.
    Expired,
    /// Its clock and ours differ, positive when its is ahead.
    Clocks(TimeDelta),
    /// The way back is not one that began here.
    NotBegun,
    /// It does not say that they have just shown who they are.
    NotShownAgain,
    /// There is no such claim.
    ClaimMissing {
        /// Its name.
        claim: String,
    },
    /// It is too long to be said.
    ClaimElsewhere {
        /// Its name.
        claim: String,
    },
    /// It is neither text nor a list of texts.
    ClaimType {
        /// Its name.
        claim: String,
        /// Instead.
        found: &'static str,
    },
    /// None of its values is a role here.
    NoRole {
        /// Its name.
        claim: String,
    },
    /// It names a person as none can be named.
    Subject(String),
}

impl Trouble {
    /// The sentence, with the provider's name.
    pub fn sentence(&self, name: &str) -> String {
        match self {
            Self::Unreached(why) => format!(
                "{name} cannot be reached: {why}. Try again; who is signed in stays so, and an admin can make a \
                 one-time link."
            ),
            Self::Answered { what, how } => format!(
                "The {what} that {name} sends cannot be used: {how}. If it stays so, an admin should compare its issuer, \
                 and look into the log there."
            ),
            Self::OtherIssuer(how) => format!(
                "{name} calls itself by another address than the settings do ({how}). An admin should write “issuer” \
                 as its discovery does."
            ),
            Self::NotSafe(what) => format!(
                "{name} has {what} without https, where others could read along. Its admin should give it one with."
            ),
            Self::NoEndpoint(what) => format!(
                "{name} names no {what}, which signing in needs. An admin should look whether it speaks OpenID Connect."
            ),
            Self::Refused(code) if code == "access_denied" => {
                format!("{name} did not let you in: the sign-in was refused or broken off there.")
            }
            Self::Refused(code) => format!(
                "{name} did not let you in ({code}). Its admin should look whether Handraise may use it, with these \
                 scopes and this address to return to."
            ),
            Self::NotKnownThere(code) => format!(
                "{name} does not take Handraise's client id or secret ({code}). An admin should compare both with what \
                 is registered there."
            ),
            Self::CodeIsUsed => {
                format!("This sign-in by {name} was used already, or took too long. Begin again.")
            }
            Self::NoIdToken => format!(
                "{name} sent no ID token. Its admin should allow Handraise the scope “openid”."
            ),
            Self::Token(what) => format!(
                "What {name} sent was not believed: {what}. If it happens again, an admin should look into the log."
            ),
            Self::Expired => format!(
                "What {name} sent had run out when it came. One of the two clocks is off by more than a minute: an \
                 admin should set it."
            ),
            Self::Clocks(by) => {
                let (which, by) = match *by < TimeDelta::zero() {
                    true => ("behind", -by.num_seconds()),
                    false => ("ahead of", by.num_seconds()),
                };
                format!(
                    "The clock of {name} is {by} s {which} the one here, and at most 60 are let pass. An admin should \
                     set the one that is wrong."
                )
            }
            Self::NotBegun => format!(
                "This sign-in by {name} did not begin in this browser, or was used already, or took too long. Begin \
                 again."
            ),
            Self::NotShownAgain => format!(
                "{name} does not say that you have just shown it who you are (“auth_time”). Confirm with a password, or \
                 ask its admin to send that claim."
            ),
            Self::ClaimMissing { claim } => format!(
                "{name} does not say what you may do: “{claim}” is missing. Its admin should add that claim to what \
                 Handraise is told."
            ),
            Self::ClaimElsewhere { claim } => format!(
                "{name} says that your “{claim}” are too many to be told. Its admin should send only those that are \
                 assigned to Handraise."
            ),
            Self::ClaimType { claim, found } => format!(
                "{name} sends “{claim}” with {found} in it, and it must be text or a list of texts. Its admin should \
                 change the claim."
            ),
            Self::NoRole { claim } => format!(
                "Nothing that {name} says of you in “{claim}” gives you a role here. Ask its admin to add you to a \
                 group that does."
            ),
            Self::Subject(how) => format!(
                "{name} names you in a way that cannot be kept ({how}). Its admin should look into “sub”."
            ),
        }
    }
}
