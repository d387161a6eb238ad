//! Every size the rules enforce (design §4). Characters are Unicode scalar values.

use chrono::TimeDelta;

/// How many items a page of a list may have.
pub const PAGE_ITEMS: u32 = 200;

/// How many events a page of the journal may have.
pub const EVENT_PAGE_ITEMS: u32 = 1_000;

/// Longest prompt and longest text answer, in characters.
pub const TEXT_CHARS: usize = 20_000;
/// Longest title, of an interaction or a task, in characters.
pub const TITLE_CHARS: usize = 200;
/// Longest `session_id` and task id, in characters.
pub const SESSION_ID_CHARS: usize = 128;
/// Longest task step, cancel reason and name of an agent or a person, in characters.
pub const LINE_CHARS: usize = 300;
/// Longest task description, in characters.
pub const DESCRIPTION_CHARS: usize = 4_000;
/// Most blockers that a person decides at once.
pub const TOGETHER: usize = 100;
/// Most comments on one plan.
pub const COMMENTS: usize = 100;
/// Longest comment on a plan, in characters; with the feedback all of them have [`TEXT_CHARS`] at most.
pub const COMMENT_CHARS: usize = 4_000;
/// Most versions of one plan.
pub const PLAN_VERSIONS: usize = 100;
/// Most options of a choice; the fewest are 2.
pub const OPTIONS: usize = 25;
/// Longest value, label and description of an option, in characters: the limit of a Slack option.
pub const OPTION_CHARS: usize = 75;
/// Most questions of a form.
pub const QUESTIONS: usize = 10;
/// How long a person is on it who does not say for how long, in minutes.
pub const CLAIM_MINUTES: i64 = 15;
/// How long a person may say that they are on it, in minutes; they may say so again.
pub const CLAIM_MINUTES_MAX: i64 = 240;
/// An agent that goes on meanwhile may be busy for so many hours before it comes for the answer; then it is offline. How
/// long one that has stopped may be silent is a setting.
pub const ASYNC_SILENCE_HOURS: i64 = 6;
/// How far ahead a blocker may be put off at most, in days.
pub const SNOOZE_DAYS: i64 = 7;
/// How many people one action can need to approve it.
pub const APPROVALS: u32 = 10;
/// Most places of an action that its agent names as amendable.
pub const AMENDABLE_PATHS: usize = 50;
/// Most places at which changed arguments may differ from what was asked.
pub const AMENDED_PLACES: usize = 200;
/// How long the names of all of these places may be together, in bytes: each names all that it is in.
pub const AMENDED_NAMES_BYTES: usize = 64 * 1024;
/// Most members of a schema that an agent sends.
pub const SCHEMA_FIELDS: usize = 50;
/// Most values of one of them.
pub const SCHEMA_VALUES: usize = 100;
/// Most follow-ups of one blocker.
pub const FOLLOW_UPS: usize = 100;
/// Most attachments of an ask, and of an answer.
pub const ATTACHMENTS: usize = 5;
/// Largest attachment, as it is sent and as it is kept, in bytes.
pub const ATTACHMENT_BYTES: usize = 5 * 1024 * 1024;
/// Longest name of an attachment, in characters.
pub const ATTACHMENT_NAME_CHARS: usize = 100;
/// Most pixels of a picture: in memory it takes four bytes each, and more while it is decoded.
pub const ATTACHMENT_PIXELS: u64 = 16_000_000;
/// Longest side of a picture, in pixels.
pub const ATTACHMENT_SIDE: u32 = 16_384;
/// Most text in the attachments of what is decided, in bytes: all of it is shown before the decision.
pub const ATTACHED_TEXT_BYTES: u64 = 256 * 1024;
/// Most lines of a text that people are shown: each is an element of the page, however little stands in it.
pub const ATTACHED_TEXT_LINES: usize = 10_000;
/// How long an attachment is kept that nothing names.
pub const ATTACHMENT_WAITS: TimeDelta = TimeDelta::hours(1);
/// How many attachments of one sender may wait to be named.
pub const ATTACHMENTS_WAITING: u32 = 50;
/// Largest `metadata`, as compact JSON, in bytes.
pub const METADATA_BYTES: usize = 8 * 1024;
/// Longest `Idempotency-Key`, in characters.
pub const KEY_CHARS: usize = 255;
/// Most operands of an action.
pub const OPERANDS: usize = 50;
/// Longest name of an operand, in characters: the longest path on Linux has 4,096 bytes.
pub const OPERAND_CHARS: usize = 4_096;
/// Integers up to here are the same in every JSON parser (RFC 7493, section 2.2: IEEE 754 doubles).
pub const EXACT_INTEGER: u64 = 9_007_199_254_740_991;
/// Longest name of a run that consumes an approval, in characters.
pub const RUN_CHARS: usize = 128;
/// Longest text of a report, in characters.
pub const REPORT_CHARS: usize = 2_000;
/// How deep `metadata` and `fallback` may be nested: far from the 128 levels at which JSON parsers give
/// up, since events and pages wrap them further.
pub const JSON_DEPTH: usize = 32;
/// Most values in an action's arguments, each element and member counted. In memory a value takes up to a few
/// hundred bytes, a hundred times its size as text: 80,000 elements fit into a request of 256 kB. Asking
/// holds several copies of an action at once; with so many values it takes 15 MB.
pub const ACTION_VALUES: usize = 5_000;
/// Most values in a request body, counted before it is read: an action of the largest size, and all the rest.
pub const BODY_VALUES: usize = 2 * ACTION_VALUES;
/// How much a value counts in the weight of a request, in bytes: the mean size of values in memory at worst.
pub const VALUE_WEIGHT: usize = 256;
/// How much may wait in one task, as [`Request::weight`](crate::interaction::Request::weight) counts it: all of it is
/// read at once when the task ends. The last one may pass it.
pub const TASK_WEIGHT: i64 = 3 * 1024 * 1024;
/// Where a page of a list ends if `limit` does not end it before, in bytes; one item stands on it at least.
pub const PAGE_BYTES: usize = 1024 * 1024;
/// How much of a long text lists hold, in characters.
pub const BEGINNING_CHARS: usize = 500;
/// How many of a task's pending blockers lists name.
pub const WAITING_ON: u32 = 50;
/// Largest request body, in bytes.
pub const BODY_BYTES: usize = 256 * 1024;
/// Longest `timeout_seconds`: 400 days.
pub const TIMEOUT_SECONDS: i64 = 400 * 24 * 60 * 60;
/// Shortest password, in characters (ASVS 6.2.1). Whether it can be guessed is another question.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password, in characters: ASVS 6.2.9 asks for 64 at least.
pub const PASSWORD_MAX_CHARS: usize = 256;
/// Most second factors of one person.
pub const FACTORS: usize = 20;
/// How many recovery codes a person gets at once.
pub const RECOVERY_CODES: usize = 10;
/// How long a one-time link is good.
pub const LINK_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// How long a user of Slack may take to say who they are here.
pub const SLACK_LINK_LIFETIME: TimeDelta = TimeDelta::minutes(30);
/// For how long a person who gave their password may do all that asks for it.
pub const PROOF_LASTS: TimeDelta = TimeDelta::minutes(15);
/// How long a token can be good that is not to be good for ever.
pub const TOKEN_LIFETIME_MAX: TimeDelta = TimeDelta::days(3_650);
/// The lifetime of a token by default.
pub const TOKEN_LIFETIME: TimeDelta = TimeDelta::days(365);
/// How long a browser stays signed in, however much it is used.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// How long a browser may take to sign in, from where the way begins.
pub const SIGN_IN_TAKES: TimeDelta = TimeDelta::minutes(15);
/// Longest address of a provider of sign-ins, in characters.
pub const ISSUER_CHARS: usize = 500;
/// Longest name that a provider gives a person, in characters (OpenID Connect Core, 2).
pub const SUBJECT_CHARS: usize = 255;
/// How long a browser stays signed in without use.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
/// Most people of a rota.
pub const ROTA_PEOPLE: usize = 100;
/// How far ahead shifts are shown at most.
pub const DUTY_SHOWN: TimeDelta = TimeDelta::days(400);
/// How far ahead a rota is looked at for gaps when it is saved.
pub const DUTY_LOOKED_AHEAD: TimeDelta = TimeDelta::days(90);
/// How long an override or an absence may last, in days.
pub const AWAY_DAYS: i64 = 366;
/// Most overrides of a rota, and most absences, that are kept at once.
pub const DUTY_EXCEPTIONS: usize = 1_000;
/// How long those that are over are kept, so that calendars show what was.
pub const DUTY_KEPT: TimeDelta = TimeDelta::days(35);
/// Most ways to reach one person.
pub const REACHES: usize = 20;
/// How many messages that ask whose address it is a person may have sent in an hour: they go to whatever address is named.
pub const PROOFS: u32 = 5;
/// That hour.
pub const PROOFS_WITHIN: TimeDelta = TimeDelta::hours(1);
/// How long a person is told that such a way ended without their doing.
pub const LOST_SHOWN: TimeDelta = TimeDelta::days(30);
/// Longest name of such a way, in characters.
pub const LABEL_CHARS: usize = 100;
/// Most rungs of a ladder, for each class of questions.
pub const RUNGS: usize = 10;
/// How often one of them can come.
pub const RUNG_TIMES: u32 = 10;
/// The shortest time between two rungs as they are written, in seconds.
pub const RUNG_SECONDS_MIN: i64 = 30;
/// The longest, in seconds.
pub const RUNG_SECONDS_MAX: i64 = 7 * 24 * 60 * 60;
/// Rungs that would come closer than this, since a deadline is near, do not come.
pub const RUNG_APART: TimeDelta = TimeDelta::seconds(30);
/// What counts as half of the time that is left where there is no deadline.
pub const RUNG_WITHOUT_DEADLINE: TimeDelta = TimeDelta::days(1);
/// How many of the people that a rung tells its event names.
pub const RUNG_NAMED: usize = 50;
/// Most messages to one person in an hour; one is counted once, however many ways it takes.
pub const MESSAGES_AN_HOUR: u32 = 20;
/// How many of them are kept for what is urgent or cannot wait.
pub const MESSAGES_KEPT_FOR_URGENT: u32 = 5;
/// Over which time they are counted.
pub const MESSAGES_WINDOW: TimeDelta = TimeDelta::hours(1);
/// When no person of a rung can be told, it is tried again after this time.
pub const RUNG_AGAIN: TimeDelta = TimeDelta::minutes(1);
/// The shortest time between a message to a person and what was held back from them since it counts in no limit.
pub const SUMMARY_APART: TimeDelta = TimeDelta::minutes(5);
/// How many questions one summary tells of; of more it says how many.
pub const SUMMED_UP: usize = 100;
/// When the rest is told as one.
pub const SUMMARY_AFTER: TimeDelta = TimeDelta::minutes(15);
/// Most bytes of a calendar file that is read in.
pub const CALENDAR_BYTES: u64 = 2_000_000;
/// Most events of a calendar file that is read in.
pub const CALENDAR_EVENTS: usize = 1_000;
/// How long a grant may last.
pub const GRANT_LASTS: TimeDelta = TimeDelta::days(30);
/// How long a grant for one session lasts at most.
pub const GRANT_OF_SESSION: TimeDelta = TimeDelta::hours(24);
/// How often a grant may be used, if its owner does not say less.
pub const GRANT_USES: u32 = 10_000;
/// Most grants in force for one agent.
pub const GRANTS_PER_AGENT: usize = 200;
/// How far back is looked for what a grant would have approved.
pub const GRANT_LOOKS_BACK: TimeDelta = TimeDelta::days(30);
/// How many approvals are looked at for that, the newest.
pub const GRANT_LOOKS_AT: u32 = 2_000;
/// Largest matcher, as JSON, in bytes.
pub const MATCHER_BYTES: usize = 16 * 1024;
/// Most arguments that vary in a matcher.
pub const MATCHER_VARIES: usize = 20;
/// The most commands that a matcher may name.
pub const MATCHER_COMMANDS: usize = 50;
/// How deep one of them may stand.
pub const MATCHER_DEPTH: usize = 4;
/// The longest command that a prefix may match, in bytes.
pub const MATCHED_BYTES: usize = 2_000;
/// The most words that it may have.
pub const MATCHED_WORDS: usize = 50;
/// How many matchers are offered for an action.
pub const PROPOSALS: usize = 5;
/// After how many equal approvals of theirs a person is offered a grant.
pub const SUGGESTED_AFTER: usize = 5;
/// Within which time.
pub const SUGGESTED_WITHIN: TimeDelta = TimeDelta::days(30);
/// How many equal approvals are looked at for that, the newest.
pub const SUGGESTION_LOOKS_AT: u32 = 50;
/// How much they may weigh together: larger ones are not read for an offer.
pub const SUGGESTION_WEIGHT: i64 = 1024 * 1024;
/// How long an answer may stand for the same question, in days.
pub const MEMORY_DAYS: i64 = 30;
/// Most answers that one person lets stand at once.
pub const MEMORIES: usize = 200;
/// How many answers to questions like one are shown under it.
pub const EARLIER: usize = 3;
/// How many questions that an index of words finds are compared with one.
pub const EARLIER_LOOKS_AT: u32 = 25;
/// How many words of a question are looked for, the longest.
pub const EARLIER_WORDS: usize = 12;
/// How much of a word is searched, in characters: people do not type longer ones, and Postgres takes none over 2 kB.
pub const SEARCHED_WORD_CHARS: usize = 64;
/// How many of the words of two questions have to be the same at least, in a hundred.
pub const EARLIER_ALIKE: usize = 60;
/// Most rules of a set of policies.
pub const POLICY_RULES: usize = 200;
/// Largest set of policies, as JSON, in bytes.
pub const POLICY_BYTES: usize = 128 * 1024;
/// Most examples of one list of a rule.
pub const POLICY_EXAMPLES: usize = 20;
/// Most agents, teams, tools, conditions, words or values that a rule names in one place.
pub const POLICY_NAMED: usize = 50;
/// Longest of these, in characters.
pub const POLICY_WORD_CHARS: usize = 300;
/// How many rules are named beside what they decided.
pub const POLICY_SAID: usize = 8;
/// How far back policies are tried on what was asked, at most, in days.
pub const POLICY_TEST_DAYS: u32 = 400;
/// How many approvals that would have been decided otherwise are named; of more it is said how many.
pub const POLICY_TEST_SHOWN: usize = 1_000;

/// How many days can be looked back on at once.
pub const INSIGHT_DAYS: i64 = 366;
