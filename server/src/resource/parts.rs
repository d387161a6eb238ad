//! What of `domain` stands in answers: no field is ever absent unless it says so.

use domain::limits;

use super::{
    names,
    shapes::{
        any_object, boolean, either, id, list_of, map_of, may_not_null, must, one_of, or_null,
        reference, returned, shapes, string, time, uri, whole,
    },
};

const ACTION_DIGEST: &str =
    "Of an approval: of the action as it was decided, with changed arguments if it was amended.";
const ASKED_DIGEST: &str = "Where it was amended: of the action as it was asked.";
const ATTACHMENTS_DIGEST: &str = "Of a plan review with attachments: `sha256:` and the hex of SHA-256 over the RFC 8785 form of \
     their list. Those of an approval are part of its action.";
const PLAN_DIGEST: &str = "Of a plan review: `sha256:` and the hex of SHA-256 over the plan.";

shapes! {
    /// An agent.
    Agent = returned([must("id", id()), must("name", string())]);
    /// Who answered: a person in the dashboard, or a script with a responder token.
    Responder = returned([
        must("id", id()),
        must("name", string()),
        must("via", one_of(["dashboard", "api", "slack", "policy"])),
    ]);
    /// The task that an interaction names, as it was named.
    NamedTask = returned([
        must("id", string()),
        must("title", or_null(string())),
        must("description", or_null(string())),
        must("step", or_null(string())),
    ]);
    /// What people choose from.
    ChoiceOption = returned([
        must("value", string()),
        must("label", string()),
        must("description", or_null(string())),
    ]);
    /// A question of a form; with options it is a choice.
    FormQuestion = returned([
        must("id", string()),
        must("prompt", string()),
        must("options", or_null(list_of(reference("ChoiceOption")))),
        must("multiple", boolean()),
    ]);
    /// Answers by the id of their question: a text, or the values of the options.
    FormAnswers = map_of(either([string().into(), list_of(string()).into()]));
    /// What is run if it is approved.
    Action = returned([
        must("tool", string()),
        must("arguments", any_object()),
        may_not_null("operands", list_of(reference("Operand"))),
        may_not_null("attachments", list_of(reference("Attachment"))),
    ]);
    /// A file that was sent with a question or an answer, as it is kept.
    Attachment = returned([
        must("name", string()),
        must("type", names::Media::schema()),
        must("size", whole(0..=limits::ATTACHMENT_BYTES as i64).description(Some("In bytes."))),
        must("sha256", string().description(Some("In hex."))),
    ]);
    /// Which arguments may be changed: all of them, those at JSON Pointers (RFC 6901), or those of a flat JSON Schema, which
    /// changed arguments then fit.
    Amendable = either([
        boolean().enum_values(Some([true])).into(),
        returned([
            may_not_null("paths", list_of(string())),
            may_not_null("schema", any_object()),
        ]).into(),
    ]);
    /// Changed arguments, all of them, and the digest of the action with them: that one was approved.
    Amended = returned([must("arguments", any_object()), must("digest", string())]);
    /// How many different people have to approve, who counts, and whether the owner of the agent does not.
    Quorum = returned([
        must("needed", whole(1..=i64::from(limits::APPROVALS))),
        must("of", one_of(["anyone", "team"])),
        must("four_eyes", boolean()),
    ]);
    /// Who approved, of several people.
    Approver = returned([
        must("id", id()),
        must("name", string()),
        must("via", one_of(["dashboard", "api", "slack", "policy"])),
        must("at", time()),
    ]);
    /// Of a form, what is answered; of an approval that takes several people, who has approved.
    Progress = either([
        reference("FormAnswers"),
        returned([
            must("needed", whole(1..=i64::from(limits::APPROVALS))),
            must("approved", list_of(reference("Approver"))),
        ]).into(),
    ]);
    /// Something that an action refers to without containing it.
    Operand = returned([
        must("name", string()),
        must("sha256", string().description(Some("In hex."))),
        must("size", whole(0..=limits::EXACT_INTEGER as i64).description(Some("In bytes."))),
    ]);
    /// The run that an approval was given for.
    /// Signed by Ed25519 over the RFC 8785 form of `{at, interaction_id, public_key, run, statement, version}`, with
    /// `handraise consumption` as `statement` and 1 as `version`.
    Consumed = returned([
        must("at", time()),
        must("run", string()),
        must("public_key", string().description(Some("In base64."))),
        must("signature", string().description(Some("In base64."))),
    ]);
    /// What the agent says came of it.
    Report = returned([
        must("outcome", names::ReportOutcome::schema()),
        must("text", or_null(string())),
        must("at", time()),
    ]);
    /// The fallback as it was sent.
    Fallback = either([
        string().into(),
        list_of(string()).into(),
        reference("FormAnswers"),
    ]);
    /// What came of calling the agent back.
    Callback = returned([must("state", one_of(["delivered", "offline"])), must("at", time())]);
    /// Who is on it: they said so, and it runs out by itself.
    Claim = returned([must("by", reference("Responder")), must("until", time())]);
    /// Whom it is for: a person, who of the team is on duty, or all of the team. `by` is `null` when the agent asked for
    /// them, else the name of who handed it over.
    Addressee = returned([
        must("type", one_of(["person", "duty", "team"])),
        must("id", or_null(id())),
        must("name", or_null(string())),
        must("since", time()),
        must("by", or_null(string())),
        must("why", or_null(string())),
    ]);
    /// Words on some lines of a plan, which are counted from 1; `quote` is the beginning of these lines.
    PlanComment = returned([
        must("line", whole(1..=limits::TEXT_CHARS as i64)),
        must("to_line", whole(1..=limits::TEXT_CHARS as i64)),
        must("quote", string()),
        must("text", string()),
    ]);
    /// A later message about a closed interaction.
    FollowUp = returned([
        must("text", string()),
        must("responder", reference("Responder")),
        must("at", time()),
    ]);
    /// Who erased what was written; `by` is `null` when a setting did.
    Erased = returned([must("at", time()), must("by", or_null(string()))]);
    /// A decision, signed: Ed25519 over the RFC 8785 canonical JSON of every field but `signature`.
    Receipt = returned([
        must("version", whole(1..=4)
            .description(Some("2 where a grant decided, 3 where a policy did, 4 where an earlier answer answered."))),
        must("interaction_id", id()),
        must("kind", one_of(["approval", "plan_review", "question", "choice"])),
        must("outcome", names::Outcome::schema()),
        may_not_null("action_digest", string().description(Some(ACTION_DIGEST))),
        may_not_null("asked_digest", string().description(Some(ASKED_DIGEST))),
        may_not_null("attachments_digest", string().description(Some(ATTACHMENTS_DIGEST))),
        may_not_null("plan_digest", string().description(Some(PLAN_DIGEST))),
        must("agent", reference("Agent")),
        must("responder", reference("Responder")),
        may_not_null("approvers", list_of(reference("Approver"))
            .description(Some("Where it takes several people: all who approved."))),
        may_not_null("grant", reference("Granted")),
        may_not_null("remembered", reference("Remembered")),
        may_not_null("policy", reference("ByPolicy")),
        must("asked_at", time()),
        must("answered_at", time()),
        must("public_key", string().description(Some("In base64."))),
        must("signature", string().description(Some("In base64."))),
    ]);
    /// The standing approval that a decision rests on, where no person was asked about this one.
    Granted = returned([must("id", id()), must("made_at", time())]);
    /// The answer that a person had given to the same question, at `answered_at`, and let stand at `made_at`. Whose it is, is
    /// said beside it.
    Remembered = returned([must("id", id()), must("made_at", time()), must("answered_at", time())]);
    /// The rule of an admin that decided, where no person was asked; the responder stands for it, with `via` `policy`.
    ByPolicy = returned([must("id", id()), must("digest", string()), must("rule", string())]);
    /// What policies said of an approval when it was asked: `then` is the strictest, absent where they only say that it is
    /// destructive.
    Ruled = returned([
        may_not_null("then", one_of(["allow", "ask", "forbid"])),
        may_not_null("destructive", boolean()),
        may_not_null("team", id()
            .description(Some("The team that one has asked: nobody hands it to another."))),
        may_not_null("admins_only", boolean()
            .description(Some("Whether the team that one has asked was not there: then only admins approve it."))),
        may_not_null("by", list_of(returned([
            must("policies", id()),
            must("rule", string()),
            may_not_null("reason", string()),
            may_not_null("unclear", boolean()
                .description(Some("Whether it could not be told that it applies."))),
        ]))),
    ]);
    /// A statement, signed: Ed25519 by `old` over the RFC 8785 canonical JSON of every field but `signature`.
    Rotation = returned([
        must("version", whole(1..=1)),
        must("statement", one_of(["handraise key rotation"])),
        must("old", string().description(Some("In base64."))),
        must("new", string().description(Some("In base64."))),
        must("at", time()),
        must("signature", string().description(Some("In base64."))),
    ]);
    /// Who did something. The clock is `deadline`, what came of sending something out `delivery`, and by whose word
    /// somebody came in `provider`.
    Actor = returned([
        must("type", one_of(["agent", "responder", "person", "operator", "provider", "stranger", "deadline", "delivery"])),
        may_not_null("id", id()),
        may_not_null("name", string()),
        may_not_null("via", one_of(["dashboard", "api", "slack", "policy"])),
        may_not_null("issuer", uri()),
    ]);
    /// Server-sent events.
    EventStream = string();
    /// An object of any content.
    AnyObject = any_object();
    /// One page. `next_cursor` is `null` on the last one.
    InteractionPage = page("Interaction");
    /// One page. `next_cursor` is `null` on the last one.
    TaskPage = page("Task");
    /// Every webhook on one page: `next_cursor` is always `null`.
    HookPage = page("Hook");
    /// One page. `next_cursor` is `null` on the last one.
    DeliveryPage = page("Delivery");
    /// One page. `next_cursor` is `null` on the last one.
    GrantPage = page("Grant");
    /// One page. `next_cursor` is `null` on the last one.
    MemoryPage = page("Memory");
}

fn page(item: &str) -> utoipa::openapi::ObjectBuilder {
    returned([
        must("items", list_of(reference(item))),
        must("next_cursor", or_null(string())),
    ])
}
