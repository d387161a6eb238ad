//! What has to hold, whatever happened. A check looks at what was acknowledged to whom, and at what the store says in the end; it
//! asks no rule of the program, but for the verification of receipts, which is public.

mod answers;
mod asked;
mod claims;
mod decided;
mod deliveries;
mod ledger;
mod policies;
mod rights;
mod standing;
mod told;

pub(crate) use ledger::{Ledger, judge};

macro_rules! checks {
    ($($check:ident $rule:literal $name:literal $what:literal;)*) => {
        /// What is checked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Check {
            $(#[doc = $what] $check,)*
        }

        impl Check {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$check),*];

            /// Its name, with the rule of `docs/rules.md` that it watches, if that has a number.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$check => $name,)* }
            }

            /// The rule that it watches.
            pub(crate) fn rule(self) -> &'static str {
                match self { $(Self::$check => $rule,)* }
            }

            /// What has to hold.
            pub(crate) fn what(self) -> &'static str {
                match self { $(Self::$check => $what,)* }
            }
        }
    };
}

checks! {
    AnsweredOnce "rule 1" "answered-once" "an interaction is closed once";
    ToldIsKept "rules 1, 8, 13, 14, 15" "told-is-kept" "whoever was told success has it";
    NeverChanges "rule 1" "never-changes" "what was read as closed is never read otherwise";
    LoserIsKept "rule 1" "loser-is-kept" "an answer that came too late is in the journal, and changes nothing";
    ProvenByReceipt "rules 2, 12" "proven-by-receipt" "a decision has the receipt of exactly this decision, signed by a key that counts";
    ByWhoMay "rules 3, 18" "by-who-may" "only a person who may has decided, and no agent";
    DeadlineKept "rule 4" "deadline-kept" "nothing waits past its deadline";
    NotAfterDeadline "rule 5" "not-after-deadline" "no answer counts after the deadline";
    NotBeforeDeadline "rule 5" "not-before-deadline" "nothing expires before its deadline";
    FallbackAsNamed "rules 2, 5" "fallback-as-named" "what expires ends with the fallback that the agent named, and with no other";
    TaskFollows "rule 6" "task-follows" "a task waits exactly while a sync blocker of it does";
    TakenBackByWhoMay "rule 7" "taken-back-by-who-may" "the agent that asked, or a person who may, took it back";
    AskedOnce "rule 8" "asked-once" "one agent and one key are one interaction";
    AnswerAsGiven "rules 9, 10" "answer-as-given" "an answer is byte for byte one that its responder gave";
    RowAsTold "rule 12" "row-as-told" "each row is as its events tell";
    UsedOnce "rule 13" "used-once" "an approval is used by one run, signed";
    StrictestWins "rule 14" "strictest-wins" "forbid before ask before allow, by the policies in force at that event";
    GrantHolds "rule 15" "grant-holds" "a grant approves exactly what it covers, as often as it may, until it ends";
    DifferentPeople "rule 16" "different-people" "as many different people have approved as were asked for, and no owner";
    RungOnce "rule 17" "rung-once" "a rung is told once, while it waits and nobody is on it";
    OneClaim "rule 17" "one-claim" "a claim is one person's, and never outlives the deadline";
    OwnTeam "rule 18" "own-team" "a person sees what belongs to everyone and to their teams";
    ErasedIsGone "rule 19" "erased-is-gone" "no word is left of what is erased";
    AnswerStands "rule 20" "answer-stands" "an earlier answer is given as it was, until it is taken back";
    JournalWithoutGaps "the journal" "journal-without-gaps" "its numbers have no gap and none comes twice";
    JournalChain "the journal" "journal-chain" "each event hashes the one before it";
    OwedIsDelivered "delivery" "owed-is-delivered" "each obligation arrives at least once";
    NothingUncommitted "delivery" "nothing-uncommitted" "nobody hears of what is not in the journal";
    NothingInvented "all of them" "nothing-invented" "whatever stands in the journal somebody has asked for";
}
