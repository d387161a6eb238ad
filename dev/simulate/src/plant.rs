//! Faults that are planted on purpose, to see that each of them is found. Each stands between the rules and the database, or at
//! the door in front of the use cases; none is in the program.

use crate::check::Check;

macro_rules! plants {
    ($($plant:ident $name:literal $found:ident $what:literal;)*) => {
        /// What is broken on purpose.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Plant {
            $(#[doc = $what] $plant,)*
        }

        impl Plant {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$plant),*];

            /// Its name on the command line.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$plant => $name,)* }
            }

            /// What it does.
            pub(crate) fn what(self) -> &'static str {
                match self { $(Self::$plant => $what,)* }
            }

            /// The check that has to find it.
            pub(crate) fn found_by(self) -> Check {
                match self { $(Self::$plant => Check::$found,)* }
            }
        }
    };
}

plants! {
    ForgetsAsks "forgets-asks" ToldIsKept "a request is acknowledged, and not kept";
    ForgetsAnswers "forgets-answers" ToldIsKept "an answer is acknowledged, and not kept";
    ForgetsRuns "forgets-runs" UsedOnce "a run is let begin, and not kept";
    ForgetsLosers "forgets-losers" LoserIsKept "an answer that came too late is not kept";
    RaisesViewers "raises-viewers" TakenBackByWhoMay "a viewer is read as a responder";
    ChangesQuestions "changes-questions" NothingInvented "a letter of a question is changed on its way into the database";
    IgnoresConflicts "ignores-conflicts" ToldIsKept "a commit that came second is acknowledged";
    ClosesTwice "closes-twice" AnsweredOnce "what is answered is taken back in the same commit";
    KeepsHalf "keeps-half" RowAsTold "the journal tells of an answer that the row does not have";
    ChangesWords "changes-words" AnswerAsGiven "a letter of an answer is changed on its way into the database";
    ChangesAnswersLater "changes-answers-later" NeverChanges "an answer reads otherwise the second time";
    ReadsStale "reads-stale" NeverChanges "now and then a row is read as it was before it was closed";
    ForgetsKeys "forgets-keys" AskedOnce "a request is kept without its idempotency key";
    StripsReceipts "strips-receipts" ProvenByReceipt "a decision is kept without its receipt";
    ForgesReceipts "forges-receipts" ProvenByReceipt "a receipt is kept with another signature";
    TurnsDenials "turns-denials" ProvenByReceipt "a denial is kept as an approval, with the receipt of the denial";
    ExpiresEarly "expires-early" NotBeforeDeadline "the clock of the job that expires is two minutes fast";
    AnswersLate "answers-late" NotAfterDeadline "the clock by which people answer is an hour slow";
    NeverExpires "never-expires" DeadlineKept "nothing is ever due";
    DropsFallbacks "drops-fallbacks" FallbackAsNamed "what expires is kept without its fallback";
    LeavesTasks "leaves-tasks" TaskFollows "an answer leaves its task as it was";
    AsksWithoutRules "asks-without-rules" StrictestWins "no policies are read, and no commit looks whether others are in force";
    RestsOnOldRules "rests-on-old-rules" StrictestWins "policies are read as they were before the last change, and no commit looks";
    CountsNoUses "counts-no-uses" GrantHolds "the use of a grant is not counted";
    RevokesNothing "revokes-nothing" GrantHolds "a grant goes on after it was revoked";
    CountsOneForTwo "counts-one-for-two" DifferentPeople "what takes two people is kept as if it took one";
    LetsInWhoIsOut "lets-in-who-is-out" ByWhoMay "people who were disabled come in";
    TellsRungsTwice "tells-rungs-twice" RungOnce "a rung is told, and the place on the ladder is not kept";
    ForgetsToTell "forgets-to-tell" OwedIsDelivered "a rung is told by its event, and nobody is owed a message";
    LosesDeliveries "loses-deliveries" OwedIsDelivered "some deliveries are claimed, and nobody gets them";
    SendsUncommitted "sends-uncommitted" NothingUncommitted "a delivery of an event that is not in the journal";
    ShowsOtherTeams "shows-other-teams" OwnTeam "the list of what waits has the questions of every team";
    SkipsEvents "skips-events" JournalWithoutGaps "one event in seven is left out where the journal is followed";
    RewritesJournal "rewrites-journal" JournalChain "the payload of an event reads otherwise than it was hashed";
    AgentsApprove "agents-approve" ByWhoMay "an agent answers what it has asked";
    SharesClaims "shares-claims" OneClaim "the row forgets who is on it";
    KeepsWords "keeps-words" ErasedIsGone "what is erased keeps the words of its events";
    AnswersByWithdrawn "answers-by-withdrawn" AnswerStands "an earlier answer is given after it was taken back";
}

impl Plant {
    /// The plant of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|plant| plant.name() == name)
    }
}
