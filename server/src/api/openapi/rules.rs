//! What a standing decision covers: matchers of grants, and the rules of policies. They are returned as they are sent.

use domain::limits;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::ArrayBuilder};

use super::asks::any;
use crate::resource::shapes::{
    Field, any_object, boolean, either, line, list_of, may, may_not_null, must, one_of, reference,
    sent, shapes, string, whole,
};

/// The longest path, in bytes.
const PATH: usize = 4_096;
/// Absolute, with two plain names at least.
const PLAIN_FOLDER: &str = r"^(/[A-Za-z0-9 _.,+@()\[\]=-]+){2,}$";
/// Absolute.
const FOLDER: &str = "^(/[^/]+)+$";
const ORIGIN: &str = r"^https?://[a-z0-9.-]+(:[1-9][0-9]{0,4})?$";
/// Visible ASCII.
const WORD: &str = "^[!-~]+$";
const OPTION: &str = "^-[!-~]*$";
/// Without quotes, and the signs that part words.
const SOUGHT_WORD: &str = r#"^[^\s\u0000-\u001f\u007f-\u00a0'"\\;|&(){}<>=,]+$"#;
/// Of ASCII a host has letters, digits and `-`.
const HOST: &str = r"^(localhost|[^\u0000-,./:-@\[-`{-\u00a0]+(\.[^\u0000-,./:-@\[-`{-\u00a0]+)+)$";
/// A `*` may stand at the end alone.
const TOOL: &str = r"^[^*\u0000-\u001f\u007f-\u009f]*\*?$";

shapes! {
    /// What a grant, or a rule that allows, covers: one action and no other, or actions like it.
    Matcher = either([
        sent([must("exactly", reference("ExactAction"))]).title(Some("Exactly")).into(),
        sent([must("like", reference("ActionPattern"))]).title(Some("Like")).into(),
    ]);
    /// One action by its digest, as `action_digest` of an approval.
    ExactAction = sent([must("tool", string()), must("digest", string())]);
    /// Actions of one tool that are the same in all but some arguments. `like` holds the arguments that stay as they are,
    /// `varies` names the others. At least one of these is narrowed down by something else than `any` or `folders`.
    ActionPattern = sent([
        must("tool", string()),
        must("like", any_object()),
        must("varies", list_of(reference("VaryingArgument"))
            .min_items(Some(1))
            .max_items(Some(limits::MATCHER_VARIES))),
        may_not_null("operands", list_of(reference("OperandDraft"))),
    ]);
    /// One argument that may differ: the names that lead to it from the outermost in, and how far.
    VaryingArgument = sent([
        must("at", place().min_items(Some(1))),
        must("by", reference("Variation")),
    ]);
    /// How far an argument may differ: a command or several, each beginning with approved words; a path below a folder;
    /// `names` with wildcards where a tool searches by them; an address at a scheme, host and port; one of the folders where it
    /// runs; or `any`, which is for what is said about an action, or written below a folder.
    Variation = either([
        one_of(["names", "any"]).title(Some("Names, or anything")).into(),
        sent([must("words", reference("CommandWords"))]).title(Some("A command")).into(),
        sent([
            must("commands", list_of(reference("CommandWords"))
                .min_items(Some(1))
                .max_items(Some(limits::MATCHER_COMMANDS))),
        ]).title(Some("Commands")).into(),
        sent([must("below", plain_folder())]).title(Some("A path")).into(),
        sent([must("host", string().pattern(Some(ORIGIN)))]).title(Some("An address")).into(),
        sent([
            must("folders", list_of(plain_folder())
                .min_items(Some(1))
                .max_items(Some(limits::MATCHER_VARIES))),
        ]).title(Some("Where it runs")).into(),
    ]);
    /// The words that a command begins with, the options that may follow them, and the folder that absolute paths after them
    /// have to be below.
    CommandWords = sent([
        must("begin", list_of(word(WORD).min_length(Some(1)))
            .min_items(Some(1))
            .max_items(Some(limits::MATCHED_WORDS))),
        may_not_null("options", list_of(word(OPTION)).max_items(Some(limits::MATCHED_WORDS))),
        may("below", plain_folder()),
    ]);

    /// Policies. The names of rules are unique.
    PolicyDocument = sent([
        may_not_null("rules", list_of(reference("PolicyRule")).max_items(Some(limits::POLICY_RULES))),
    ]);
    /// A rule: what it does to which actions. One that forbids or asks, or says that something is destructive, has a `when`;
    /// one that allows has a `matcher`. One that forbids or is about what is destructive says why. `approvals`, `team` and
    /// `deadline_seconds` belong to rules that ask. It applies to each action of `match` and to none of `not_match`.
    PolicyRule = sent([
        must("name", line(limits::LABEL_CHARS)),
        may("reason", line(limits::LINE_CHARS)),
        may("then", one_of(["forbid", "ask", "allow"])),
        may_not_null("destructive", boolean()),
        may_not_null("agents", named()),
        may_not_null("teams", named()),
        may("when", reference("PolicyScope")),
        may("matcher", reference("Matcher")),
        may("approvals", reference("QuorumDraft")),
        may("team", line(limits::LINE_CHARS)),
        may("deadline_seconds", whole(1..=limits::TIMEOUT_SECONDS)),
        must("match", examples()),
        must("not_match", examples()),
    ]);
    /// What a rule that forbids or asks applies to: all of this has to be so, and something is said. A tool is one of these
    /// names, of which a `*` at the end stands for whatever follows.
    PolicyScope = sent([
        may_not_null("tools", list_of(string()
            .min_length(Some(1))
            .max_length(Some(limits::TITLE_CHARS))
            .pattern(Some(TOOL))).max_items(Some(limits::POLICY_NAMED))),
        may_not_null("arguments", list_of(reference("PolicyCondition")).max_items(Some(limits::POLICY_NAMED))),
        may_not_null("looks_destructive", boolean()),
    ]);
    /// What an argument has: the one at `at`, the names that lead to it from the outermost in, or else any. Words are those of a
    /// command, in this order; a folder is one that a path is in; a host stands for those below it too.
    PolicyCondition = either([
        condition("Words", place(), must("words", list_of(string()
            .min_length(Some(1))
            .max_length(Some(limits::POLICY_WORD_CHARS))
            .pattern(Some(SOUGHT_WORD)))
            .min_items(Some(1))
            .max_items(Some(limits::POLICY_NAMED)))),
        condition("A folder", place(), must("below", string()
            .max_length(Some(limits::POLICY_WORD_CHARS))
            .pattern(Some(FOLDER)))),
        condition("A host", place(), must("host", string()
            .max_length(Some(limits::POLICY_WORD_CHARS))
            .pattern(Some(HOST)))),
        sent([
            must("at", place().min_items(Some(1))),
            must("has", sent([
                must("is", list_of(any())
                    .min_items(Some(1))
                    .max_items(Some(limits::POLICY_NAMED))),
            ])),
        ]).title(Some("One of these values")).into(),
    ]);
    /// An action by which a rule is checked. The agent and the team are the first that the rule names, unless they are here.
    PolicyExample = sent([
        must("tool", string()),
        may_not_null("arguments", any_object()),
        may("agent", string()),
        may("team", string()),
    ]);
}

/// The names that lead to an argument.
fn place() -> ArrayBuilder {
    list_of(string().max_length(Some(limits::TITLE_CHARS))).max_items(Some(limits::MATCHER_DEPTH))
}

fn plain_folder() -> ObjectBuilder {
    string().max_length(Some(PATH)).pattern(Some(PLAIN_FOLDER))
}

fn word(pattern: &str) -> ObjectBuilder {
    string()
        .max_length(Some(limits::MATCHED_BYTES))
        .pattern(Some(pattern))
}

fn condition(title: &str, at: ArrayBuilder, has: Field) -> RefOr<Schema> {
    let fields = [may_not_null("at", at), must("has", sent([has]))];
    sent(fields).title(Some(title)).into()
}

/// Names of agents or of teams.
fn named() -> ArrayBuilder {
    list_of(line(limits::LINE_CHARS)).max_items(Some(limits::POLICY_NAMED))
}

fn examples() -> ArrayBuilder {
    list_of(reference("PolicyExample"))
        .min_items(Some(1))
        .max_items(Some(limits::POLICY_EXAMPLES))
}
