//! What an agent may send to ask: a schema a kind, so that what does not belong to a kind is no part of it.

use domain::{interaction::Kind, limits};
use serde_json::json;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, RefOr, Schema,
        schema::{ArrayBuilder, Discriminator, OneOf},
    },
};

use crate::resource::{
    names,
    shapes::{
        Field, any_object, boolean, either, id, line, list_of, map_of, may, may_not_null, must,
        null, one_of, reference, sent, shapes, string, text, visible_text, whole, with_nulls,
    },
};

/// Integers beyond are not the same number in every JSON parser, so an action with one has no digest.
#[expect(
    clippy::cast_precision_loss,
    reason = "it is the largest that loses nothing"
)]
const EXACT: f64 = limits::EXACT_INTEGER as f64;

/// What does not belong to every kind.
const OWN: [&str; 14] = [
    "action",
    "amendable",
    "approvals",
    "callback_url",
    "fallback",
    "level",
    "multiple",
    "options",
    "plan",
    "questions",
    "revises",
    "timeout_seconds",
    "to",
    "withdraw_on_disconnect",
];

shapes! {
    /// What an agent asks. Which fields there are depends on `kind`.
    Ask = ask();
    /// Asks for free text.
    AskQuestion = asked(Kind::Question, [may("fallback", text(limits::TEXT_CHARS))]);
    /// Asks for one of several options, or with `multiple` for some of them. The fallback is the value of an
    /// option; with `multiple` an array of them. Values and labels are unique.
    AskChoice = asked(Kind::Choice, [
        must("options", options()),
        may("multiple", boolean().default(Some(json!(false)))),
        may("fallback", either([
            line(limits::OPTION_CHARS).into(),
            list_of(line(limits::OPTION_CHARS)).into(),
        ])),
    ]);
    /// Asks for "I have seen this".
    AskAcknowledgement = asked(Kind::Acknowledgement, []);
    /// Asks for yes or no to one exact action. Never has a fallback: what nobody approved is not approved.
    AskApproval = asked(Kind::Approval, [
        must("action", reference("ActionDraft")),
        may("amendable", reference("AmendableDraft")),
        may("approvals", reference("QuorumDraft")),
    ]);
    /// Asks for a decision about a plan, which is markdown. Never has a fallback.
    /// One that `revises` an earlier plan is its next version: people see what is different, and what became of what
    /// they said of it. The earlier one is of the same agent and team, is closed, and has no newer version.
    AskPlanReview = asked(Kind::PlanReview, [
        must("plan", visible_text(limits::TEXT_CHARS)),
        may("revises", id()),
    ]);
    /// Asks several questions, one at a time. A fallback answers all of them. Their ids are unique.
    AskForm = asked(Kind::Form, [
        must("questions", list_of(reference("FormQuestionDraft"))
            .min_items(Some(1))
            .max_items(Some(limits::QUESTIONS))
            .unique_items(true)),
        may("fallback", form_answers()),
    ]);
    /// Tells something that nobody answers.
    SendNotification = with_nulls(sent([
        must("kind", one_of([Kind::Notification.name()])),
        may("mode", one_of(["async"])),
        may("level", names::Level::schema()),
    ].into_iter().chain(common())), &OWN);

    /// What is run if it is approved. Its RFC 8785 form has a digest, so numbers stay below 2^53.
    ActionDraft = sent([
        must("tool", line(limits::TITLE_CHARS)),
        may_not_null("arguments", map_of(reference("ExactJson"))),
        may_not_null("operands", list_of(reference("OperandDraft")).max_items(Some(limits::OPERANDS))),
    ]);
    /// Whether its arguments may be changed before it is approved, or which: those at JSON Pointers (RFC 6901), those that
    /// a flat JSON Schema names, or both. Only for an agent that goes on with `amended`. Not with operands, nor where
    /// several people approve.
    AmendableDraft = either([
        boolean().into(),
        sent([
            must("paths", pointers()),
            may_not_null("schema", reference("FlatSchema")),
        ]).title(Some("Places")).into(),
        sent([must("schema", reference("FlatSchema"))]).title(Some("Schema")).into(),
    ]);
    /// A flat JSON Schema: members are texts, numbers or flags. Keywords that are not named here are refused.
    FlatSchema = sent([
        may_not_null("$schema", any()),
        must("type", one_of(["object"])),
        may_not_null("title", any()),
        may_not_null("description", any()),
        must("properties", map_of(reference("FlatProperty"))
            .property_names(Some(line(limits::TITLE_CHARS)))
            .min_properties(Some(1))
            .max_properties(Some(limits::SCHEMA_FIELDS))),
        may_not_null("required", list_of(string())),
        may_not_null("additionalProperties", boolean()),
    ]);
    /// What a member holds.
    FlatProperty = either([
        property("string", [
            may_not_null("minLength", whole(0..=i64::MAX)),
            may_not_null("maxLength", whole(0..=i64::MAX)),
            may_not_null("enum", list_of(string()).min_items(Some(1)).max_items(Some(limits::SCHEMA_VALUES))),
        ]),
        property("number", [may_not_null("minimum", number()), may_not_null("maximum", number())]),
        property("integer", [may_not_null("minimum", number()), may_not_null("maximum", number())]),
        property("boolean", []),
    ]);
    /// How many different people have to approve, and who counts. Tokens never do. With `four_eyes` the owner of the agent
    /// does not, and has to be known.
    QuorumDraft = sent([
        may("needed", whole(1..=i64::from(limits::APPROVALS)).default(Some(json!(1)))),
        may("of", one_of(["anyone", "team"])),
        may("four_eyes", boolean().default(Some(json!(false)))),
    ]);
    /// Something that the action refers to without containing it: part of its digest. Names are unique.
    OperandDraft = sent([
        must("name", line(limits::OPERAND_CHARS)),
        must("sha256", string().pattern(Some("^[0-9a-f]{64}$"))),
        must("size", whole(0..=limits::EXACT_INTEGER as i64)),
    ]);
    /// JSON whose numbers every parser reads the same.
    ExactJson = either([
        null().into(),
        boolean().into(),
        number().into(),
        string().into(),
        list_of(reference("ExactJson")).into(),
        map_of(reference("ExactJson")).into(),
    ]);
    /// The task an interaction belongs to. What is absent stays as it is known.
    NamedTaskDraft = sent([
        must("id", line(limits::SESSION_ID_CHARS)),
        may("title", line(limits::TITLE_CHARS)),
        may("description", text(limits::DESCRIPTION_CHARS)),
        may("step", line(limits::LINE_CHARS)),
    ]);
    /// An option: its value, or with a label and a line below it.
    OptionDraft = either([
        line(limits::OPTION_CHARS).into(),
        sent([
            must("value", line(limits::OPTION_CHARS)),
            may("label", line(limits::OPTION_CHARS)),
            may("description", line(limits::OPTION_CHARS)),
        ]).into(),
    ]);
    /// A question of a form: free text, or a choice.
    FormQuestionDraft = either([
        sent([
            must("id", line(limits::SESSION_ID_CHARS)),
            must("prompt", visible_text(limits::TEXT_CHARS)),
            may_not_null("options", null()),
            may_not_null("multiple", boolean().enum_values(Some([false]))),
        ]).title(Some("Free text")).into(),
        sent([
            must("id", line(limits::SESSION_ID_CHARS)),
            must("prompt", visible_text(limits::TEXT_CHARS)),
            must("options", options()),
            may_not_null("multiple", boolean()),
        ]).title(Some("Choice")).into(),
    ]);
}

fn pointers() -> ArrayBuilder {
    list_of(string().pattern(Some("^(/([^~/]|~[01])*)+$")))
        .min_items(Some(1))
        .max_items(Some(limits::AMENDABLE_PATHS))
        .unique_items(true)
}

fn property(kind: &str, own: impl IntoIterator<Item = Field>) -> RefOr<Schema> {
    let named = [
        must("type", one_of([kind])),
        may_not_null("title", line(limits::TITLE_CHARS)),
        may_not_null("description", line(limits::LINE_CHARS)),
        may_not_null("default", any()),
    ];
    sent(named.into_iter().chain(own)).into()
}

/// Any JSON.
pub(super) fn any() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(utoipa::openapi::schema::SchemaType::AnyValue)
}

fn options() -> ArrayBuilder {
    list_of(reference("OptionDraft"))
        .min_items(Some(2))
        .max_items(Some(limits::OPTIONS))
        .unique_items(true)
}

/// Answers by the id of their question.
pub(super) fn form_answers() -> ObjectBuilder {
    map_of(either([
        text(limits::TEXT_CHARS).into(),
        list_of(line(limits::OPTION_CHARS)).into(),
    ]))
    .min_properties(Some(1))
    .max_properties(Some(limits::QUESTIONS))
}

fn number() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(utoipa::openapi::Type::Number)
        .minimum(Some(-EXACT))
        .maximum(Some(EXACT))
}

/// Files that were sent before, by their ids.
pub(super) fn attachments() -> ArrayBuilder {
    let which = "The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet.";
    list_of(id())
        .max_items(Some(limits::ATTACHMENTS))
        .unique_items(true)
        .description(Some(which))
}

/// What every kind has.
fn common() -> [Field; 8] {
    let metadata = "Anything the agent wants back, up to 8 kB and 32 levels.";
    let prompt = "In markdown.";
    let title = "A few words above the prompt.";
    let session = "The agent's own context: a run, a conversation.";
    let team = "The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home.";
    [
        must(
            "prompt",
            visible_text(limits::TEXT_CHARS).description(Some(prompt)),
        ),
        may("title", line(limits::TITLE_CHARS).description(Some(title))),
        may(
            "session_id",
            line(limits::SESSION_ID_CHARS).description(Some(session)),
        ),
        may("task", reference("NamedTaskDraft")),
        may("priority", names::Priority::schema()),
        may("team", line(limits::LINE_CHARS).description(Some(team))),
        may("attachments", attachments()),
        may("metadata", any_object().description(Some(metadata))),
    ]
}

/// What every kind has that somebody answers, and what this one has besides.
fn asked(kind: Kind, own: impl IntoIterator<Item = Field>) -> ObjectBuilder {
    let never = "`null`: it never expires. Absent: the configured deadline of the kind.";
    let timeout = whole(1..=limits::TIMEOUT_SECONDS).description(Some(never));
    let to =
        "Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name.";
    let withdraw =
        "Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.";
    let waits = [
        must("kind", one_of([kind.name()])),
        may("mode", names::Mode::schema()),
        may("timeout_seconds", timeout),
        may("callback_url", names::CallbackUrl::schema()),
        may("to", line(limits::LINE_CHARS).description(Some(to))),
        may(
            "withdraw_on_disconnect",
            boolean()
                .default(Some(json!(false)))
                .description(Some(withdraw)),
        ),
    ];
    with_nulls(sent(waits.into_iter().chain(own).chain(common())), &OWN)
}

fn ask() -> RefOr<Schema> {
    let kinds = Kind::ALL.map(|kind| {
        let schema = match kind {
            Kind::Question => AskQuestion::name(),
            Kind::Choice => AskChoice::name(),
            Kind::Acknowledgement => AskAcknowledgement::name(),
            Kind::Approval => AskApproval::name(),
            Kind::PlanReview => AskPlanReview::name(),
            Kind::Form => AskForm::name(),
            Kind::Notification => SendNotification::name(),
        };
        (kind.name(), schema)
    });
    let mut one_of = OneOf::new();
    one_of.items = kinds.iter().map(|(_, schema)| reference(schema)).collect();
    let mapping = kinds.map(|(kind, schema)| (kind, format!("#/components/schemas/{schema}")));
    one_of.discriminator = Some(Discriminator::with_mapping("kind", mapping));
    Schema::OneOf(one_of).into()
}
