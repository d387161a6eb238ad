//! Why a command was refused.

use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

use crate::{fault::Fault, outcome::Outcome, time::words};

/// Why an approval does not count where a quorum counts people (rule 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Uncounted {
    /// A token, or a user of Slack who is no person here: they may be somebody who counts already.
    #[error("only people who have an account here count for this approval; sign in to approve it")]
    Nobody,
    /// The agent is theirs.
    #[error("the agent that asks is yours: another person has to approve it")]
    OwnsAgent,
    /// Whose agent it is, is not known.
    #[error("nobody can approve this until an admin says who owns the agent that asks")]
    NoOwner,
    /// They belong to another team.
    #[error("only members of the team that is asked count for this approval")]
    NotInTeam,
}

impl Uncounted {
    /// The name, as in problems of the API.
    pub fn code(self) -> &'static str {
        match self {
            Self::Nobody => "not_a_person",
            Self::OwnsAgent => "owns_the_agent",
            Self::NoOwner => "agent_without_owner",
            Self::NotInTeam => "not_counted",
        }
    }
}

/// A rule said no. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Refused {
    /// Rules 1 and 4: another responder, or the deadline, was faster.
    #[error("already closed: {}", outcome.name())]
    Closed {
        /// How it ended.
        outcome: Outcome,
        /// The name of the closer; `None` for the deadline.
        by: Option<String>,
        /// When.
        at: DateTime<Utc>,
    },
    /// Rule 3: agents can never answer, viewers neither.
    #[error("only responders and admins may do this")]
    NotAResponder,
    /// Its row says that something else was asked than the journal does, so no person knows what an answer would cover.
    #[error("the database holds another request than was asked")]
    Altered,
    /// Only admins manage people and tokens.
    #[error("only admins may do this")]
    NotAnAdmin,
    /// No person changes their own role or disables themselves: an admin has to remain.
    #[error("this would take your own rights away; another admin can do it")]
    Yourself,
    /// The password was not given lately, and a browser that was left open is not enough for this.
    #[error("this needs your password once more")]
    Unproven,
    /// Rule 18: it belongs to another team. No word of it may reach who asked.
    #[error("this belongs to another team")]
    NotSeen,
    /// Rule 18: this member of the team only reads.
    #[error("only members of {team} who answer, and admins, may do this")]
    NotInTeam {
        /// The team's name.
        team: String,
    },
    /// Another team has this name.
    #[error("another team has this name")]
    TeamNameTaken,
    /// The team is no more.
    #[error("this team was deleted")]
    TeamDeleted,
    /// A team that is asked, or will be, has to be there.
    #[error(
        "questions wait for this team ({pending}) or agents have their home there ({agents}); name the team that takes them"
    )]
    TeamInUse {
        /// How many interactions wait for it.
        pending: u32,
        /// How many agents have their home there.
        agents: u32,
    },
    /// People of this role have to have a second factor, and this is the last one.
    #[error("people of your role need a second factor: add another before you remove the last one")]
    FactorNeeded,
    /// Another person has this name.
    #[error("somebody else has this name")]
    NameTaken,
    /// Another person is this user of Slack.
    #[error("this Slack user is {by} already")]
    SlackTaken {
        /// Their name.
        by: String,
    },
    /// Their provider would take the rights of the last admin who can come in.
    #[error("this would leave nobody who is an admin; make another admin first")]
    LastAdmin,
    /// Another person is who the provider means.
    #[error("the provider knows {by} by this account already")]
    IdentityTaken {
        /// Their name.
        by: String,
    },
    /// The person is connected to another account of the same provider.
    #[error("another account of this provider is connected already; disconnect that one first")]
    IdentityKept,
    /// Without it the person could not come in any more.
    #[error("this is the only way in; let an admin make a link, and choose a password first")]
    OnlyWay,
    /// They have been disabled.
    #[error("this person is disabled")]
    Disabled,
    /// An agent may take back only its own requests.
    #[error("another agent asked this")]
    NotYours,
    /// The answer or the reason does not fit the kind.
    #[error("the request is against the rules")]
    Invalid(Vec<Fault>),
    /// Rule 8: the agent has asked something else under this key.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// Another person is on it; an answer needs no claim.
    #[error("{by} is on it for another {}", words(*until - *now))]
    Claimed {
        /// Their name.
        by: String,
        /// Until when.
        until: DateTime<Utc>,
        /// The moment of the refusal.
        now: DateTime<Utc>,
    },
    /// Only a blocker whose agent is gone is dismissed; others are taken back, with a reason.
    #[error("its agent is not offline; take it back instead")]
    NotOffline,
    /// Rule 16: this person has approved, and it takes others.
    #[error("you have approved this; it takes {missing} more")]
    HasApproved {
        /// When.
        at: DateTime<Utc>,
        /// How many others it takes.
        missing: u32,
    },
    /// Rule 16: the approval of this one does not count.
    #[error("{0}")]
    NotCounted(Uncounted),
    /// Nothing has been answered yet that could be collected or followed up.
    #[error("still waiting for an answer")]
    StillPending,
    /// It is so already: collected before, known to have been called back, or linked.
    #[error("it is so already")]
    Unchanged,
    /// The agent asks too much at once.
    #[error("this agent has {limit} pending blockers, and may not have more")]
    TooManyPending {
        /// How many it may have.
        limit: u32,
    },
    /// The pending interactions of the task take too much room.
    #[error("what waits in this task takes too much room")]
    TooMuchInTask,
    /// The agent has had as much stored today as it may.
    #[error("this agent has had {limit} bytes stored today, and may have more from {until} on")]
    QuotaUsedUp {
        /// How many bytes it may have stored in a day.
        limit: u64,
        /// When the day ends.
        until: DateTime<Utc>,
        /// How long that is from now.
        wait: TimeDelta,
    },
    /// A decision or choice takes more than words in a thread: they never approve.
    #[error("this is not answered by a message; use the buttons of its card")]
    UseTheButtons,
    /// Decisions are signed, and this part of the program has no key.
    #[error("a decision cannot be signed here")]
    NoKey,
    /// Nothing is sent to this endpoint.
    #[error("this endpoint is disabled")]
    EndpointDisabled,
    /// It has arrived, or is on its way.
    #[error("this delivery has arrived, or is being sent")]
    NotToRetry,
    /// Only an approved action may be run, and reported on.
    #[error("this was not approved")]
    NotApproved,
    /// Only what a person has answered themselves, in words or by an option, can be answered so again.
    #[error("there is no answer of a person here that could be given again")]
    NothingToKeep,
    /// An answer stands for the same question by the word of whoever gave it.
    #[error("only who gave this answer may let it stand for the same question")]
    NotYourAnswer,
    /// Rule 13: an approval is good for one run.
    #[error("already consumed by {by}")]
    AlreadyConsumed {
        /// When.
        at: DateTime<Utc>,
        /// The name of the run.
        by: String,
    },
    /// Rule 13: the database was put back after this was approved, and does not know whether it ran.
    #[error("the database was restored since")]
    Restored {
        /// When.
        at: DateTime<Utc>,
    },
    /// The agent has said something else came of it.
    #[error("something else was reported")]
    AlreadyReported {
        /// When.
        at: DateTime<Utc>,
    },
    /// Rule 19: only what is closed can be erased.
    #[error("it still waits for an answer: cancel it first, then erase it")]
    CancelFirst,
    /// Rule 19: what was written in it is gone, and nothing is added.
    #[error("it was erased by {by}")]
    Erased {
        /// Their name.
        by: String,
        /// When.
        at: DateTime<Utc>,
    },
    /// A file that what is decided covers is not there, or is not the one that it was. Nobody approves what nobody can see.
    #[error("a file that belongs to this is missing, or is no longer the one that was sent")]
    FileMissing,
    /// The sender has as many files that nothing names.
    #[error(
        "{limit} files of this sender belong to nothing yet; name some of them, or wait for an hour"
    )]
    TooManyFiles {
        /// How many they may have.
        limit: u32,
    },
    /// There is nowhere to keep files.
    #[error("this server keeps no attachments; an admin says where with the setting `attachments`")]
    NoFiles,
    /// The deadline is still ahead.
    #[error("the deadline has not passed")]
    NotDue,
}
