//! What the API says of events, and of what is posted to webhooks: one schema for each shape of a payload, with the
//! types that have it.

use domain::{delivery, grant::GrantEnd, ladder::DAYS, limits, memory::MemoryEnd};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use super::{
    names,
    shapes::{
        all_of, any_object, any_of, boolean, either, id, list_of, may_not_null, must, one_of,
        or_null, reference, returned, shapes, string, time, uri, whole,
    },
};

/// What can stand in `type` of an event. Agents see those of interactions and tasks.
pub(crate) const EVENT_TYPES: [&str; 92] = [
    "interaction.requested",
    "notification.sent",
    "interaction.moved",
    "interaction.claimed",
    "interaction.released",
    "interaction.handed_over",
    "interaction.posted",
    "interaction.progressed",
    "interaction.approval_given",
    "interaction.resolved",
    "interaction.expired",
    "interaction.cancelled",
    "interaction.answer_rejected",
    "interaction.collected",
    "interaction.consumed",
    "interaction.reported",
    "interaction.called_back",
    "interaction.agent_offline",
    "interaction.follow_up",
    "interaction.reply_edited",
    "interaction.remarked",
    "interaction.reached",
    "interaction.climbed",
    "interaction.summed_up",
    "interaction.seen",
    "interaction.erased",
    "task.waiting",
    "task.running",
    "task.failed",
    "task.done",
    "person.invited",
    "person.linked",
    "person.changed",
    "person.disabled",
    "person.enabled",
    "person.password_set",
    "person.slack_linked",
    "person.slack_unlinked",
    "person.identity_linked",
    "person.identity_unlinked",
    "person.signed_in",
    "person.sign_in_failed",
    "person.signed_out",
    "person.factor_added",
    "person.factor_removed",
    "person.factor_used",
    "person.recovery_codes_made",
    "person.factors_reset",
    "token.created",
    "token.revoked",
    "token.owner_changed",
    "team.created",
    "team.changed",
    "team.deleted",
    "team.member_set",
    "team.member_removed",
    "team.home_set",
    "team.opened",
    "team.closed",
    "duty.rota_set",
    "duty.rota_cleared",
    "duty.overridden",
    "duty.override_removed",
    "duty.away_set",
    "duty.away_removed",
    "duty.calendar_opened",
    "duty.calendar_closed",
    "endpoint.created",
    "endpoint.changed",
    "endpoint.secret_rotated",
    "endpoint.disabled",
    "endpoint.enabled",
    "endpoint.deleted",
    "endpoint.tested",
    "delivery.retried",
    "grant.made",
    "grant.revoked",
    "grant.ended",
    "memory.kept",
    "memory.revoked",
    "memory.ended",
    "policies.set",
    "policies.loaded",
    "journal.restored",
    "ladder.set",
    "ladder.cleared",
    "ladder.quiet_hours_set",
    "reach.added",
    "reach.proven",
    "reach.tested",
    "reach.changed",
    "reach.ended",
];

shapes! {
    /// An event of the journal: what happened is in `payload`, whose fields depend on `type`.
    Event = returned([
        must("seq", whole(1..=i64::MAX)),
        must("id", id()),
        must("at", time()),
        must("actor", reference("Actor")),
        must("agent_id", or_null(id())),
        must("interaction_id", or_null(id())),
        must("task_id", or_null(string())),
        must("type", one_of(EVENT_TYPES)),
        must("erased", boolean().description(Some("Whether its words are gone: blanks stand in their place, which nobody wrote."))),
        must("payload", reference("EventPayload")),
    ]);
    /// One page of the journal, in the order of commits. `last_seq` is what to pass as `after` next time.
    EventPage = returned([
        must("items", list_of(reference("Event"))),
        must("last_seq", whole(0..=i64::MAX)),
    ]);
    /// What happened, by the event's type. Agents see interactions and tasks.
    EventPayload = any_of([
        of("interaction.requested, notification.sent", asked()),
        of("interaction.moved: to another team", returned([must("team", reference("TeamThen"))])),
        of("interaction.claimed: the actor is on it; an admin took it from `taken_from`", returned([
            must("until", time()),
            may_not_null("taken_from", reference("Responder")),
        ])),
        of("interaction.released: `by` was on it", returned([
            must("by", reference("Responder")),
            must("why", one_of(["given_up", "ran_out"])),
        ])),
        of("interaction.handed_over: to whom, and in which team if that is another one", returned([
            must("to", reference("Whom")),
            may_not_null("team", reference("TeamThen")),
            must("why", or_null(string())),
        ])),
        of("interaction.posted: its card is in Slack", returned([
            must("ts", string()),
            must("permalink", or_null(string())),
        ])),
        of("interaction.progressed: all that is answered of a form", returned([
            must("answers", reference("FormAnswers")),
        ])),
        of("interaction.approval_given: the actor has, and it takes more", returned([
            must("approved", list_of(reference("Approver"))),
        ])),
        of("interaction.resolved", returned([
            must("outcome", names::Outcome::schema()),
            must("answer", returned([
                must("content", reference("AnswerContent")),
                must("responder", reference("Responder")),
                must("answered_at", time()),
                may_not_null("receipt", reference("Receipt")),
                may_not_null("votes", list_of(returned([
                    must("responder", reference("Responder")),
                    must("at", time()),
                    may_not_null("text", string()),
                    must("action_digest", string()),
                    must("public_key", string()),
                    must("signature", string()),
                ])).description(Some("The approvals before it, of those that it takes several of."))),
            ])),
        ])),
        of("interaction.expired; with the fallback, if it is used", returned([
            must("outcome", names::Outcome::schema()),
            must("fallback_used", boolean()),
            must("answer", or_null(reference("AnswerContent"))),
        ])),
        of("interaction.cancelled", returned([
            must("reason", or_null(string())),
            may_not_null("code", names::CancelCode::schema()),
        ])),
        of("interaction.answer_rejected: it came too late", returned([
            must("outcome", names::Outcome::schema()),
            must("answer", reference("AnswerContent")),
        ])),
        of("interaction.consumed", reference("Consumed")),
        of("interaction.reported", returned([
            must("outcome", names::ReportOutcome::schema()),
            must("text", or_null(string())),
        ])),
        of("interaction.remarked: written in a card's thread, and no answer", returned([
            must("text", string()),
            must("why", one_of(["cut", "asked_later"])),
        ])),
        of("interaction.erased: the events whose words went, by place and hash", returned([
            must("events", list_of(returned([
                must("seq", whole(1..=i64::MAX)),
                must("hash", string()),
                may_not_null("left", string()),
            ]))),
        ])),
        of("interaction.reached: a message about it arrived at a person, of this rung of the ladder", returned([
            must("by", one_of(delivery::ReachKind::ALL.map(delivery::ReachKind::name))),
            must("rung", whole(0..=i64::from(u32::MAX))),
        ])),
        of("interaction.climbed: a rung of its ladder was told; to how many, to how many later, and who has no way to be reached", returned([
            must("rung", whole(0..=u32::MAX.into())),
            must("told", whole(0..=u32::MAX.into())),
            must("later", whole(0..=u32::MAX.into())),
            must("unreached", whole(0..=u32::MAX.into())),
        ])),
        of("interaction.summed_up: a person was told later, together with others", returned([
            must("rung", whole(0..=u32::MAX.into())),
            must("others", whole(0..=u32::MAX.into())),
        ])),
        of("interaction.seen: the actor has opened it", returned([
            must("on", one_of(["page", "question", "slack"])),
        ])),
        of("interaction.follow_up, interaction.reply_edited", returned([must("text", string())])),
        of("task.waiting, task.running, task.failed, task.done: as it is then", returned([
            must("id", string()),
            must("agent", reference("Agent")),
            must("version", whole(1..=i64::MAX)),
            must("title", or_null(string())),
            must("description", or_null(string())),
            must("step", or_null(string())),
            must("status", names::TaskStatus::schema()),
            may_not_null("reason", or_null(string())),
            must("created_at", time()),
            must("updated_at", time()),
        ])),
        of("person.slack_linked, person.slack_unlinked", returned([
            must("person", reference("PersonThen")),
            must("slack_id", string()),
        ])),
        of("person.identity_linked, person.identity_unlinked: at a provider of sign-ins", returned([
            must("person", reference("PersonThen")),
            must("identity", returned([
                must("issuer", uri()),
                must("subject", string()),
            ])),
        ])),
        of("person.signed_in; by a provider, if one said who it is", returned([
            must("person", reference("PersonThen")),
            must("session", id()),
            may_not_null("issuer", uri()),
        ])),
        of("person.signed_out", returned([
            must("person", reference("PersonThen")),
            must("sessions", list_of(id())),
        ])),
        of("person.sign_in_failed: whose name was given, if somebody has it", returned([
            must("person", or_null(reference("PersonThen"))),
        ])),
        of("person.factor_added, person.factor_removed, person.factor_used: null for a recovery code", returned([
            must("person", reference("PersonThen")),
            must("factor", or_null(returned([
                must("id", id()),
                must("kind", one_of(["app", "passkey"])),
                must("name", string()),
            ]))),
        ])),
        of("other events of people", reference("PersonThen")),
        of("token.created, token.revoked, token.owner_changed", returned([
            must("id", id()),
            must("kind", one_of(["agent", "responder"])),
            must("name", string()),
            must("agent_id", or_null(id())),
            may_not_null("expires_at", time()),
            may_not_null("teams", list_of(id())),
            may_not_null("owner", id()),
        ])),
        of("team.created, team.changed", returned([
            must("id", id()),
            must("profile", any_object().description(Some(
                "Its `name`, the `slack_channel` if it has one, and `timeouts` in seconds by kind.",
            ))),
        ])),
        of("team.deleted", reference("TeamThen")),
        of("team.member_set, team.member_removed", returned([
            must("team", reference("TeamThen")),
            must("person", reference("PersonThen")),
            may_not_null("part", one_of(["reads", "answers"])),
        ])),
        of("team.home_set, team.opened, team.closed: which agents ask it", returned([
            must("agent", reference("Agent")),
            must("team", or_null(reference("TeamThen"))),
        ])),
        of("duty.rota_set", returned([
            must("team", reference("TeamThen")),
            must("rota", returned([
                must("people", list_of(id())),
                must("every", one_of(["day", "week"])),
                must("at", string()),
                must("zone", string()),
                must("starts", string()),
            ])),
        ])),
        of("duty.rota_cleared", reference("TeamThen")),
        of("duty.overridden: others than the rota says", returned([
            must("team", reference("TeamThen")),
            must("overrides", list_of(override_then())),
        ])),
        of("duty.override_removed", returned([
            must("team", reference("TeamThen")),
            must("removed", override_then()),
        ])),
        of("duty.away_set", returned([
            must("team", reference("TeamThen")),
            must("absence", absence_then()),
        ])),
        of("duty.away_removed", returned([
            must("team", reference("TeamThen")),
            must("removed", absence_then()),
        ])),
        of("duty.calendar_opened, duty.calendar_closed: a person's address of it", returned([
            must("team", reference("TeamThen")),
            must("person", reference("PersonThen")),
        ])),
        of("endpoint.disabled", returned([
            must("endpoint", reference("EndpointThen")),
            must("why", one_of(["by_hand", "gone", "failing"])),
        ])),
        of("other events of endpoints", reference("EndpointThen")),
        of("delivery.retried: one, or those since a moment", either([
            returned([must("one", id())]).into(),
            returned([must("since", returned([
                must("since", time()),
                must("destination", or_null(id())),
            ]))]).into(),
        ])),
        of("grant.made: in the story of the approval that it was made from", returned([
            must("id", id()),
            must("made_from", id()),
            must("by", reference("Responder")),
            must("for_session", boolean()),
            must("expires_at", time()),
            must("uses_max", whole(1..=i64::from(limits::GRANT_USES))),
        ])),
        of("grant.revoked", returned([must("id", id())])),
        of("grant.ended: what it stood on has ended, or it was used up", returned([
            must("id", id()),
            must("why", one_of(GrantEnd::ALL.map(GrantEnd::name))),
        ])),
        of("memory.kept: in the story of the question that was answered", returned([
            must("id", id()),
            must("made_from", id()),
            must("by", reference("Responder")),
            must("any_agent", boolean()),
            must("answered_at", time()),
            must("expires_at", time()),
        ])),
        of("memory.revoked", returned([must("id", id())])),
        of("memory.ended: what it stood on has ended, or another took its place", returned([
            must("id", id()),
            must("why", one_of(MemoryEnd::ALL.map(MemoryEnd::name))),
        ])),
        of("policies.set, policies.loaded", returned([
            must("id", id()),
            must("digest", string()),
            must("rules", list_of(string()).description(Some("Their names."))),
        ])),
        of("journal.restored: the database was put back from a backup", returned([
            must("after", whole(0..=i64::MAX).description(Some("The last event that is there."))),
            must("signed", whole(0..=i64::MAX).description(Some("So many were signed before, as far as that is known."))),
            must("number", whole(0..=i64::MAX).description(Some("Its own number: those between were given out, or may have been."))),
        ])),
        of("ladder.set", returned([
            must("team", or_null(reference("TeamThen"))),
            must("ladder", returned([
                must("urgent", list_of(string())),
                must("sync", list_of(string())),
                must("async", list_of(string())),
            ]).description(Some("One rung a line, as `GET /ladder` has it. A person stands in it by their id."))),
        ])),
        of("ladder.cleared", returned([must("team", or_null(reference("TeamThen")))])),
        of("ladder.quiet_hours_set", returned([
            must("person", reference("PersonThen")),
            must("quiet", or_null(returned([
                must("zone", string()),
                must("from", string()),
                must("until", string()),
                must("days", list_of(one_of(DAYS.map(|(_, name)| name)))),
                must("urgent", boolean()),
            ]))),
        ])),
        of("reach.ended", returned([
            must("reach", reference("ReachThen")),
            must("why", one_of(delivery::ReachEnd::ALL.map(delivery::ReachEnd::name))),
        ])),
        of("reach.changed", returned([
            must("reach", reference("ReachThen")),
            must("digest", boolean().description(Some("Whether what can wait comes as one message an hour."))),
        ])),
        of("other events of ways to reach people", reference("ReachThen")),
        of("interaction.collected, interaction.called_back, interaction.agent_offline: no fields", returned([])),
    ]);
    /// What was answered.
    AnswerContent = any_of([
        of("of a question", returned([must("type", one_of(["text"])), must("text", string())])),
        of("of a choice", returned([must("type", one_of(["selected"])), must("selected", list_of(string()))])),
        of("of an acknowledgement", returned([must("type", one_of(["acknowledged"]))])),
        of("of an approval", returned([
            must("type", one_of(["approval"])),
            must("approved", boolean()),
            must("text", or_null(string())),
            may_not_null("amended", reference("Amended")),
        ])),
        of("of a plan review", returned([
            must("type", one_of(["plan"])),
            must("decision", names::PlanDecision::schema()),
            must("feedback", or_null(string())),
            may_not_null("comments", list_of(returned([
                must("line", whole(1..=i64::MAX)),
                may_not_null("to_line", whole(1..=i64::MAX)),
                must("text", string()),
            ]))),
        ])),
        of("of a form", returned([must("type", one_of(["form"])), must("answers", reference("FormAnswers"))])),
    ]);
    /// A person, as they were then.
    PersonThen = returned([
        must("id", id()),
        must("name", string()),
        must("role", one_of(["viewer", "responder", "admin"])),
    ]);
    /// A team, as it was then.
    TeamThen = returned([must("id", id()), must("name", string())]);
    /// Whom it is for: a person by their id and the name they had, who of the team is on duty, or all of the team.
    Whom = returned([
        must("type", one_of(["person", "duty", "team"])),
        may_not_null("id", id()),
        may_not_null("name", string()),
    ]);
    /// A webhook endpoint, as it was then. Its path, which may be a secret, is left out.
    EndpointThen = returned([must("id", id()), must("name", string()), must("host", string())]);
    /// A way to reach a person. Its address is left out.
    ReachThen = returned([
        must("id", id()),
        must("kind", one_of(delivery::ReachKind::ALL.map(delivery::ReachKind::name))),
        must("person", id()),
    ]);
    /// What is posted to a webhook in the format `standard`, or in the format `flat`.
    WebhookBody = either([
        returned([
            must("type", names::Topic::schema()),
            must("timestamp", time()),
            must("data", either([reference("WebhookInteraction"), reference("WebhookTask")])),
        ]).into(),
        flat([]).into(),
    ]);
    /// Of `interaction.*`, `notification.sent`, and of a `task.failed` that an interaction is to blame for: all fields of the
    /// interaction, and those of the format `flat`.
    WebhookInteraction = all_of([
        reference("Interaction"),
        flat([may_not_null("reason", string().description(Some("Why its task failed.")))]).into(),
    ]);
    /// Of a `task.failed` that no interaction is to blame for.
    WebhookTask = flat([
        must("title", or_null(string())),
        must("step", or_null(string())),
        must("reason", or_null(string())),
    ]);
}

/// Of these types.
fn of(types: &str, schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    match schema.into() {
        RefOr::T(Schema::Object(mut object)) => {
            object.title = Some(types.to_owned());
            object.into()
        }
        other => other,
    }
}

fn override_then() -> ObjectBuilder {
    returned([
        must("id", id()),
        must("person", id()),
        must("from", time()),
        must("until", time()),
    ])
}

fn absence_then() -> ObjectBuilder {
    returned([
        must("id", id()),
        must("person", id()),
        must("from", time()),
        must("until", time()),
        must("delegate", or_null(id())),
    ])
}

fn asked() -> ObjectBuilder {
    returned([
        must("agent", reference("Agent")),
        must(
            "request",
            any_object().description(Some(
                "What was asked: its `kind`, and all that was sent with it.",
            )),
        ),
        may_not_null("expires_at", or_null(time())),
        may_not_null("channel", string()),
        may_not_null("team", reference("TeamThen")),
        may_not_null("to", reference("Whom")),
        may_not_null("granted", reference("Granted")),
        may_not_null("remembered", reference("Remembered")),
    ])
}

/// The format `flat`, and more.
fn flat<const N: usize>(more: [super::shapes::Field; N]) -> ObjectBuilder {
    let fields = [
        must("blocker_id", or_null(id())),
        must("question", or_null(string())),
        must("agent_id", id()),
        must("task_id", or_null(string())),
        must("type", or_null(one_of(["SYNC", "ASYNC"]))),
        must("created_at", time()),
        must("dashboard_url", uri()),
    ];
    returned(fields.into_iter().chain(more))
}
