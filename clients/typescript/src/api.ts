// Made of docs/openapi.json by scripts/api.mjs: `npm run api`.

export interface paths {
    "/api/v1/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a file, before the ask or the answer that names it.
         * @description The body is the file, as it is. A picture (PNG, JPEG, WebP) is decoded and encoded anew as PNG or JPEG, without whatever else
         *     was in it, and stands still; a text or a difference is UTF-8. Only whoever sent it can name it, once.
         */
        post: operations["send_attachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/callback_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What verifies the agent's callbacks.
         * @description For agents: nobody else is called back.
         */
        get: operations["get_callback_secret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deliveries, those of the newest events first. */
        get: operations["list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries a delivery again, now. */
        post: operations["retry_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events in the order of commits.
         * @description An agent sees its own, a responder token what belongs to its teams and to none. With `Prefer: wait` an empty page is held until there is
         *     something to see; with `Accept: text/event-stream` they come one by one.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Grants, the newest first.
         * @description Those of the token's teams and of everyone, with what became of them.
         */
        get: operations["list_grants"];
        put?: never;
        /**
         * Approves the next ones like this.
         * @description Made from an approval that was given. What the grant covers is approved as it is asked, each with a receipt of its own that
         *     names the grant, and nobody is told. It ends with the token that made it, and covers nothing destructive unless it is for
         *     exactly this action.
         */
        post: operations["make_grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/grants/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a grant would have approved in the last 30 days.
         * @description Checks it as making it would, and makes nothing.
         */
        post: operations["preview_grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/grants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One grant. */
        get: operations["get_grant"];
        put?: never;
        post?: never;
        /**
         * Revokes a grant, on all servers at once.
         * @description Once it is answered nothing is approved by it any more. Again changes nothing.
         */
        delete: operations["revoke_grant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every webhook, oldest first. */
        get: operations["list_hooks"];
        put?: never;
        /**
         * Subscribes.
         * @description In the REST Hooks convention: the answer has the id to unsubscribe by, and the secret.
         */
        post: operations["create_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is posted.
         * @description One body for each event, in a bare array: that is what Zapier wants.
         */
        get: operations["sample_hook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Unsubscribes. */
        delete: operations["delete_hook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/insights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looking back, in numbers.
         * @description What has ended of all that was asked in a period: an agent sees its own, a responder token what belongs to its teams and to none.
         *     Numbers have no words in them and stay when words are erased.
         */
        get: operations["get_insights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/insights/{table}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One table of it, as a file.
         * @description CSV (RFC 4180) with a line of names. What a spreadsheet would take for a formula begins with `'`.
         */
        get: operations["get_insights_table"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Interactions, newest first.
         * @description An agent sees its own, a responder token what belongs to its teams and to none.
         */
        get: operations["list_interactions"];
        put?: never;
        /**
         * An agent asks.
         * @description With an `Idempotency-Key` it may ask again after a lost reply, and gets the interaction that is there.
         */
        post: operations["ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes back everything that is pending in a session.
         * @description An agent its own, a responder token everybody's. What somebody closed meanwhile is left out.
         */
        post: operations["cancel_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Polls an interaction.
         * @description With `Prefer: wait` it is held until it is closed or the wait is over. When the server stops, everybody gets
         *     the interaction as it is.
         */
        get: operations["get_interaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A script answers.
         * @description The first answer wins: the others get 409, and their text is kept. A form takes any subset of its answers at
         *     a time, and is closed when all are there. Empty text is an answer.
         */
        post: operations["answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/answer/attachments/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file that was sent with an answer.
         * @description For whoever may read the interaction; `place` counts from 0, in the order of `attachments` of the answer.
         */
        get: operations["get_answer_attachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/attachments/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file that was sent with a question.
         * @description For whoever may read the interaction; `place` counts from 0, in the order of `attachments`.
         */
        get: operations["get_attachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a question back.
         * @description The agent that asked it may, and a responder token.
         */
        post: operations["cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A script says that it is on it.
         * @description For some minutes, and never past the deadline; again, to go on. Others see who is on it, and may answer all the same.
         */
        post: operations["claim"];
        /**
         * Gives the claim up.
         * @description Without a claim nothing changes.
         */
        delete: operations["release"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/collect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notes that the agent went on.
         * @description Needs no body; again changes nothing.
         */
        post: operations["collect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/consume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins the run that was approved.
         * @description An approval is good for one run, so ask this right before running. The same run may ask again, for instance after
         *     a reply was lost.
         */
        post: operations["consume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismisses what nobody waits for any more.
         * @description Only while `agent_offline` is `true`. It ends as if it had been taken back, with `cancel_code` `agent_offline`: an
         *     approval that is dismissed is not approved. Needs no body.
         */
        post: operations["dismiss"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/follow_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says more about a closed question.
         * @description Its answer stays.
         */
        post: operations["follow_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What can be approved ahead after this approval, from narrow to wide.
         * @description Empty where nothing can: it was not approved by a person, or the token may not answer it.
         */
        get: operations["list_grant_offers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A decision, signed.
         * @description Of a decided approval or plan review, for whoever may read the interaction.
         */
        get: operations["get_receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/interactions/{id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says what came of the answer.
         * @description Once: the same again changes nothing. People see it with the question.
         */
        post: operations["report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The server's public keys.
         * @description Who has them verifies receipts without trust in whoever passes them on.
         */
        get: operations["get_keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ladder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is told when no answer comes, and when.
         * @description Of what belongs to no team, for responder tokens. Admins change it on the page and by `handraise team ladder`.
         */
        get: operations["get_ladder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Answers that stand, the newest first.
         * @description Those to questions of the token's teams and of everyone, with what became of them.
         */
        get: operations["list_memories"];
        put?: never;
        /**
         * Lets an answer stand for the same question.
         * @description An agent that asks exactly the same gets it at once, with the name of who gave it and when, and nobody is told. Only who
         *     gave the answer can do this; it ends with the token that did.
         */
        post: operations["keep_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One answer that stands. */
        get: operations["get_memory"];
        put?: never;
        post?: never;
        /**
         * Ends it, on all servers at once.
         * @description Once this is answered nothing is answered by it any more. Again changes nothing.
         */
        delete: operations["revoke_memory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1. */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is decided before anybody asks.
         * @description The rules for the token's teams and for everyone. Forbid comes before ask before allow, over all of them and over grants.
         */
        get: operations["get_policies"];
        put?: never;
        /**
         * Adds rules to those that are in force.
         * @description A token only makes policies stricter: each rule forbids, asks or says that something is destructive, and names teams that the
         *     token answers for. Admins take rules away and allow, on the page or by `handraise policy set`. With a fault in one of them
         *     none is added. A rule that stands there as it is may be sent again, after a lost reply: nothing is changed by it. Another rule
         *     under its name is refused.
         */
        post: operations["add_policies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says what is wrong with policies.
         * @description As if an admin put them in force alone: rules, examples, teams and how many people there are. Changes nothing.
         */
        post: operations["check_policies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends a session.
         * @description Takes back what this agent asked in it with `withdraw_on_disconnect`, with `cancel_code` `session_ended`, and nothing
         *     else. Again changes nothing.
         */
        post: operations["end_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tasks, last changed first.
         * @description An agent sees its own, a responder token what belongs to its teams and to none.
         */
        get: operations["list_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One task, with what it waits for.
         * @description An agent's own, or with `agent` that of the agent of this name.
         */
        get: operations["get_task"];
        /**
         * Registers a task or says how it goes.
         * @description What is absent stays as it is. Ending or failing it cancels what waits in it.
         */
        put: operations["put_task"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/teams/{id}/duty": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who of a team is on duty.
         * @description For responder tokens of the team: who it is now, until when, and who follows. For all others there is no such team.
         */
        get: operations["get_duty"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/teams/{id}/duty.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A team's duty as a calendar.
         * @description Calendars subscribe to it (iCalendar): what was in the last 30 days, and the next 180.
         */
        get: operations["get_duty_calendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/teams/{id}/ladder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who of a team is told when no answer comes, and when.
         * @description For responder tokens of the team. For all others there is no such team.
         */
        get: operations["get_team_ladder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** `GET /healthz`: the process lives. */
        get: operations["get_liveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** `GET /metrics`: for Prometheus. At an address of its own with `metrics_addr`. */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** `GET /readyz`: 200 while the server can do its work, else 503 and what it cannot. */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What is run if it is approved. */
        Action: {
            arguments: {
                [key: string]: unknown;
            };
            attachments?: components["schemas"]["Attachment"][];
            operands?: components["schemas"]["Operand"][];
            tool: string;
        };
        /** @description What is run if it is approved. Its RFC 8785 form has a digest, so numbers stay below 2^53. */
        ActionDraft: {
            arguments?: {
                [key: string]: components["schemas"]["ExactJson"];
            };
            operands?: components["schemas"]["OperandDraft"][];
            tool: string;
        };
        /** @description Actions of one tool that are the same in all but some arguments. `like` holds the arguments that stay as they are, `varies` names the others. At least one of these is narrowed down by something else than `any` or `folders`. */
        ActionPattern: {
            like: {
                [key: string]: unknown;
            };
            operands?: components["schemas"]["OperandDraft"][];
            tool: string;
            varies: components["schemas"]["VaryingArgument"][];
        };
        /** @description Who did something. The clock is `deadline`, what came of sending something out `delivery`, and by whose word somebody came in `provider`. */
        Actor: {
            /** Format: uuid */
            id?: string;
            /** Format: uri */
            issuer?: string;
            name?: string;
            /** @enum {string} */
            type: "agent" | "responder" | "person" | "operator" | "provider" | "stranger" | "deadline" | "delivery";
            /** @enum {string} */
            via?: "dashboard" | "api" | "slack" | "policy";
        };
        /** @description Whom it is for: a person, who of the team is on duty, or all of the team. `by` is `null` when the agent asked for them, else the name of who handed it over. */
        Addressee: {
            by: string | null;
            /** Format: uuid */
            id: string | null;
            name: string | null;
            /** Format: date-time */
            since: string;
            /** @enum {string} */
            type: "person" | "duty" | "team";
            why: string | null;
        };
        /** @description An agent. */
        Agent: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description Which arguments may be changed: all of them, those at JSON Pointers (RFC 6901), or those of a flat JSON Schema, which changed arguments then fit. */
        Amendable: true | {
            paths?: string[];
            schema?: {
                [key: string]: unknown;
            };
        };
        /** @description Whether its arguments may be changed before it is approved, or which: those at JSON Pointers (RFC 6901), those that a flat JSON Schema names, or both. Only for an agent that goes on with `amended`. Not with operands, nor where several people approve. */
        AmendableDraft: boolean | {
            paths: string[];
            schema?: components["schemas"]["FlatSchema"];
        } | {
            schema: components["schemas"]["FlatSchema"];
        };
        /** @description Changed arguments, all of them, and the digest of the action with them: that one was approved. */
        Amended: {
            arguments: {
                [key: string]: unknown;
            };
            digest: string;
        };
        /** @description The answer the agent goes on with. What does not belong to the kind is `null`. */
        Answer: {
            /** Format: date-time */
            answered_at: string;
            answers: components["schemas"]["FormAnswers"] | null;
            /** @description Of an approval that takes several people: all who approved, the last one `responder`. */
            approvers: components["schemas"]["Approver"][] | null;
            /** @description The files that were sent with it, in their order. */
            attachments: components["schemas"]["Attachment"][];
            /** @description To a plan review: whether the agent drops its context. */
            clear_context: boolean | null;
            /** @description To a plan review: the comments once more, by their places, in the order of the plan. */
            comments: components["schemas"]["PlanComment"][] | null;
            decision: components["schemas"]["PlanDecision"] | null;
            /** @description To a plan review: all that was said of it, the comments with their places at the end. */
            feedback: string | null;
            remembered: components["schemas"]["Remembered"] | null;
            responder: components["schemas"]["Responder"] | null;
            /** @description To a choice: values of its options. */
            selected: string[] | null;
            target_mode: components["schemas"]["TargetMode"] | null;
            /** @description To a question; a comment on an approval. */
            text: string | null;
        };
        /** @description What was answered. */
        AnswerContent: {
            text: string;
            /** @enum {string} */
            type: "text";
        } | {
            selected: string[];
            /** @enum {string} */
            type: "selected";
        } | {
            /** @enum {string} */
            type: "acknowledged";
        } | {
            amended?: components["schemas"]["Amended"];
            approved: boolean;
            text: string | null;
            /** @enum {string} */
            type: "approval";
        } | {
            comments?: {
                /** Format: int64 */
                line: number;
                text: string;
                /** Format: int64 */
                to_line?: number;
            }[];
            /**
             * @description How an agent goes on with its plan. `proceed`: keep the context, edits are allowed. `proceed_clean`: clear the context, edits are allowed. `proceed_default`: clear the context, ask before edits. `adjust`: stay in plan mode and work the feedback in.
             * @enum {string}
             */
            decision: "proceed" | "proceed_clean" | "proceed_default" | "adjust";
            feedback: string | null;
            /** @enum {string} */
            type: "plan";
        } | {
            answers: components["schemas"]["FormAnswers"];
            /** @enum {string} */
            type: "form";
        };
        /** @description An answer, as the kind of the interaction wants it. */
        Answering: {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: null;
            feedback?: null;
            selected?: null;
            text: string;
        } | {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: null;
            feedback?: null;
            selected: string[];
            text?: null;
        } | {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: null;
            feedback?: null;
            selected?: null;
            text?: null;
        } | {
            answers?: null;
            approved: boolean;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: string | null;
            feedback?: null;
            selected?: null;
            text?: string | null;
        } | {
            answers?: null;
            /** @enum {boolean} */
            approved: true;
            arguments: {
                [key: string]: components["schemas"]["ExactJson"];
            };
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: string | null;
            feedback?: null;
            selected?: null;
            text?: string | null;
        } | {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: components["schemas"]["PlanCommentDraft"][] | null;
            /** @enum {string} */
            decision: "proceed" | "proceed_clean" | "proceed_default";
            digest?: string | null;
            feedback?: string | null;
            selected?: null;
            text?: null;
        } | {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: components["schemas"]["PlanCommentDraft"][] | null;
            /** @enum {string} */
            decision: "adjust";
            digest?: string | null;
            feedback: string;
            selected?: null;
            text?: null;
        } | {
            answers?: null;
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments: components["schemas"]["PlanCommentDraft"][];
            /** @enum {string} */
            decision: "adjust";
            digest?: string | null;
            feedback?: string | null;
            selected?: null;
            text?: null;
        } | {
            answers: {
                [key: string]: string | string[];
            };
            approved?: null;
            arguments?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            comments?: null;
            decision?: null;
            digest?: string | null;
            feedback?: null;
            selected?: null;
            text?: null;
        };
        /** @description An object of any content. */
        AnyObject: {
            [key: string]: unknown;
        };
        /** @description Who approved, of several people. */
        Approver: {
            /** Format: date-time */
            at: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            via: "dashboard" | "api" | "slack" | "policy";
        };
        /** @description What an agent asks. Which fields there are depends on `kind`. */
        Ask: components["schemas"]["AskQuestion"] | components["schemas"]["AskChoice"] | components["schemas"]["AskAcknowledgement"] | components["schemas"]["AskApproval"] | components["schemas"]["AskPlanReview"] | components["schemas"]["AskForm"] | components["schemas"]["SendNotification"];
        /** @description Asks for "I have seen this". */
        AskAcknowledgement: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "acknowledgement";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            multiple?: null;
            options?: null;
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Asks for yes or no to one exact action. Never has a fallback: what nobody approved is not approved. */
        AskApproval: {
            action: components["schemas"]["ActionDraft"];
            amendable?: components["schemas"]["AmendableDraft"] | null;
            approvals?: components["schemas"]["QuorumDraft"] | null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "approval";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            multiple?: null;
            options?: null;
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Asks for one of several options, or with `multiple` for some of them. The fallback is the value of an option; with `multiple` an array of them. Values and labels are unique. */
        AskChoice: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: string | string[] | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "choice";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            /** @default false */
            multiple: boolean | null;
            options: components["schemas"]["OptionDraft"][];
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Asks several questions, one at a time. A fallback answers all of them. Their ids are unique. */
        AskForm: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: {
                [key: string]: string | string[];
            } | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "form";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            multiple?: null;
            options?: null;
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions: components["schemas"]["FormQuestionDraft"][];
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Asks for a decision about a plan, which is markdown. Never has a fallback. One that `revises` an earlier plan is its next version: people see what is different, and what became of what they said of it. The earlier one is of the same agent and team, is closed, and has no newer version. */
        AskPlanReview: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "plan_review";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            multiple?: null;
            options?: null;
            plan: string;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            /** Format: uuid */
            revises?: string | null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Asks for free text. */
        AskQuestion: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            /** @description Where the agent is called when it is closed: a public address, without a name and password in it. */
            callback_url?: string | null;
            fallback?: string | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "question";
            level?: null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
             * @enum {string|null}
             */
            mode?: "sync" | "async" | null;
            multiple?: null;
            options?: null;
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            /**
             * Format: int64
             * @description `null`: it never expires. Absent: the configured deadline of the kind.
             */
            timeout_seconds?: number | null;
            /** @description A few words above the prompt. */
            title?: string | null;
            /** @description Whom of the team it is for, who are told first: `duty`, `team`, or `person:` and a name. */
            to?: string | null;
            /**
             * @description Whether it is taken back when its session ends (`end_session`). Needs a `session_id`.
             * @default false
             */
            withdraw_on_disconnect: boolean | null;
        };
        /** @description Approvals that are the same to a person. */
        AskedMost: {
            agent: components["schemas"]["InsightsNamed"];
            /** Format: int64 */
            approved: number;
            /** Format: int64 */
            asked: number;
            /** Format: int64 */
            denied: number;
            /**
             * Format: uuid
             * @description The one that was approved last, of which a grant can be made; if none was, the one that ended last.
             */
            newest: string;
            team: components["schemas"]["InsightsNamed"] | null;
            /** @description What it asks, in a few words. */
            words: string;
        };
        /** @description A file that was sent with a question or an answer, as it is kept. */
        Attachment: {
            name: string;
            /** @description In hex. */
            sha256: string;
            /**
             * Format: int64
             * @description In bytes.
             */
            size: number;
            /**
             * @description What a file is.
             * @enum {string}
             */
            type: "image/png" | "image/jpeg" | "text/plain" | "text/x-diff";
        };
        /**
         * @description What is asked for, where it is answered.
         * @enum {string}
         */
        BlockerKind: "question" | "choice" | "acknowledgement" | "approval" | "plan_review" | "form";
        /** @description The rule of an admin that decided, where no person was asked; the responder stands for it, with `via` `policy`. */
        ByPolicy: {
            digest: string;
            /** Format: uuid */
            id: string;
            rule: string;
        };
        /**
         * Format: date
         * @description A day, in UTC.
         */
        CalendarDay: string;
        /** @description What came of calling the agent back. */
        Callback: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            state: "delivered" | "offline";
        };
        /**
         * @description What came of an answer.
         * @enum {string}
         */
        CancelCode: "agent_offline" | "session_ended";
        /** @description Why it is no longer needed. */
        CancelDraft: {
            reason?: string | null;
        };
        /** @description Which session is over. */
        CancelSessionDraft: {
            reason?: string | null;
            /** @description One line: the agent's own context. */
            session_id: string;
        };
        /** @description What was taken back. */
        Cancelled: {
            items: components["schemas"]["Interaction"][];
        };
        /** @description What people choose from. */
        ChoiceOption: {
            description: string | null;
            label: string;
            value: string;
        };
        /** @description Who is on it: they said so, and it runs out by itself. */
        Claim: {
            by: components["schemas"]["Responder"];
            /** Format: date-time */
            until: string;
        };
        /** @description For how long. */
        ClaimDraft: {
            minutes?: number & Record<string, never>;
        };
        /** @description The words that a command begins with, the options that may follow them, and the folder that absolute paths after them have to be below. */
        CommandWords: {
            begin: string[];
            below?: string | null;
            options?: string[];
        };
        /** @description Which run begins: `run` is the agent's own name for it, and another name is another run. */
        ConsumeDraft: {
            /** @description One line: the agent's own name for a run. */
            run: string;
        };
        /** @description The run that an approval was given for. Signed by Ed25519 over the RFC 8785 form of `{at, interaction_id, public_key, run, statement, version}`, with `handraise consumption` as `statement` and 1 as `version`. */
        Consumed: {
            /** Format: date-time */
            at: string;
            /** @description In base64. */
            public_key: string;
            run: string;
            /** @description In base64. */
            signature: string;
        };
        /** @description A delivery. */
        Delivery: {
            /** Format: int32 */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            destination: components["schemas"]["Destination"];
            /** Format: date-time */
            ended_at: string | null;
            /** Format: int64 */
            event_seq: number;
            event_type: string;
            /**
             * Format: uuid
             * @description The `webhook-id` of every try.
             */
            id: string;
            /** Format: uuid */
            interaction_id: string | null;
            last_error: string | null;
            /**
             * Format: date-time
             * @description `null` when there will be no other try.
             */
            next_at: string | null;
            state: components["schemas"]["DeliveryState"];
        };
        /** @description One page. `next_cursor` is `null` on the last one. */
        DeliveryPage: {
            items: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        /**
         * @description How a delivery stands.
         * @enum {string}
         */
        DeliveryState: "due" | "sending" | "delivered" | "dead" | "unknown";
        Destination: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["DestinationKind"];
            name: string;
        };
        /**
         * @description What a destination is.
         * @enum {string}
         */
        DestinationKind: "webhook" | "callback" | "slack" | "push" | "mail" | "ntfy" | "direct";
        /**
         * @description Why nothing is sent to a webhook.
         * @enum {string}
         */
        DisabledWhy: "by_hand" | "gone" | "failing";
        /** @description Who of a team is on duty. */
        Duty: {
            /** @description Those that follow, in order. */
            next: components["schemas"]["DutyShift"][];
            on_duty: components["schemas"]["DutyShift"] | null;
            team: components["schemas"]["DutyTeam"];
            /** @description The time zone of its rota; `null` when it has none. */
            zone: string | null;
        };
        DutyPerson: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description One person's time on duty. It ends where the rota hands over, whoever follows. */
        DutyShift: {
            /** Format: date-time */
            from: string;
            instead_of: components["schemas"]["DutyPerson"] | null;
            person: components["schemas"]["DutyPerson"] | null;
            /** Format: date-time */
            until: string;
            /** @description What puts them there: their turn, an override, or that another person cannot be. */
            why: components["schemas"]["DutyWhy"];
        };
        DutyTeam: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @enum {string} */
        DutyWhy: "turn" | "override" | "stand_in";
        /** @description Which session is over. */
        EndSessionDraft: {
            /** @description One line: the agent's own context. */
            session_id: string;
        };
        /** @description A webhook endpoint, as it was then. Its path, which may be a secret, is left out. */
        EndpointThen: {
            host: string;
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description Who erased what was written; `by` is `null` when a setting did. */
        Erased: {
            /** Format: date-time */
            at: string;
            by: string | null;
        };
        /** @description An event of the journal: what happened is in `payload`, whose fields depend on `type`. */
        Event: {
            actor: components["schemas"]["Actor"];
            /** Format: uuid */
            agent_id: string | null;
            /** Format: date-time */
            at: string;
            /** @description Whether its words are gone: blanks stand in their place, which nobody wrote. */
            erased: boolean;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            interaction_id: string | null;
            payload: components["schemas"]["EventPayload"];
            /** Format: int64 */
            seq: number;
            task_id: string | null;
            /** @enum {string} */
            type: "interaction.requested" | "notification.sent" | "interaction.moved" | "interaction.claimed" | "interaction.released" | "interaction.handed_over" | "interaction.posted" | "interaction.progressed" | "interaction.approval_given" | "interaction.resolved" | "interaction.expired" | "interaction.cancelled" | "interaction.answer_rejected" | "interaction.collected" | "interaction.consumed" | "interaction.reported" | "interaction.called_back" | "interaction.agent_offline" | "interaction.follow_up" | "interaction.reply_edited" | "interaction.remarked" | "interaction.reached" | "interaction.climbed" | "interaction.summed_up" | "interaction.seen" | "interaction.erased" | "task.waiting" | "task.running" | "task.failed" | "task.done" | "person.invited" | "person.linked" | "person.changed" | "person.disabled" | "person.enabled" | "person.password_set" | "person.slack_linked" | "person.slack_unlinked" | "person.identity_linked" | "person.identity_unlinked" | "person.signed_in" | "person.sign_in_failed" | "person.signed_out" | "person.factor_added" | "person.factor_removed" | "person.factor_used" | "person.recovery_codes_made" | "person.factors_reset" | "token.created" | "token.revoked" | "token.owner_changed" | "team.created" | "team.changed" | "team.deleted" | "team.member_set" | "team.member_removed" | "team.home_set" | "team.opened" | "team.closed" | "duty.rota_set" | "duty.rota_cleared" | "duty.overridden" | "duty.override_removed" | "duty.away_set" | "duty.away_removed" | "duty.calendar_opened" | "duty.calendar_closed" | "endpoint.created" | "endpoint.changed" | "endpoint.secret_rotated" | "endpoint.disabled" | "endpoint.enabled" | "endpoint.deleted" | "endpoint.tested" | "delivery.retried" | "grant.made" | "grant.revoked" | "grant.ended" | "memory.kept" | "memory.revoked" | "memory.ended" | "policies.set" | "policies.loaded" | "journal.restored" | "ladder.set" | "ladder.cleared" | "ladder.quiet_hours_set" | "reach.added" | "reach.proven" | "reach.tested" | "reach.changed" | "reach.ended";
        };
        /** @description One page of the journal, in the order of commits. `last_seq` is what to pass as `after` next time. */
        EventPage: {
            items: components["schemas"]["Event"][];
            /** Format: int64 */
            last_seq: number;
        };
        /**
         * Format: int64
         * @description A size of pages of events.
         */
        EventPageSize: number;
        /** @description What happened, by the event's type. Agents see interactions and tasks. */
        EventPayload: {
            agent: components["schemas"]["Agent"];
            channel?: string;
            /** Format: date-time */
            expires_at?: string | null;
            granted?: components["schemas"]["Granted"];
            remembered?: components["schemas"]["Remembered"];
            /** @description What was asked: its `kind`, and all that was sent with it. */
            request: {
                [key: string]: unknown;
            };
            team?: components["schemas"]["TeamThen"];
            to?: components["schemas"]["Whom"];
        } | {
            team: components["schemas"]["TeamThen"];
        } | {
            taken_from?: components["schemas"]["Responder"];
            /** Format: date-time */
            until: string;
        } | {
            by: components["schemas"]["Responder"];
            /** @enum {string} */
            why: "given_up" | "ran_out";
        } | {
            team?: components["schemas"]["TeamThen"];
            to: components["schemas"]["Whom"];
            why: string | null;
        } | {
            permalink: string | null;
            ts: string;
        } | {
            answers: components["schemas"]["FormAnswers"];
        } | {
            approved: components["schemas"]["Approver"][];
        } | {
            answer: {
                /** Format: date-time */
                answered_at: string;
                content: components["schemas"]["AnswerContent"];
                receipt?: components["schemas"]["Receipt"];
                responder: components["schemas"]["Responder"];
                /** @description The approvals before it, of those that it takes several of. */
                votes?: {
                    action_digest: string;
                    /** Format: date-time */
                    at: string;
                    public_key: string;
                    responder: components["schemas"]["Responder"];
                    signature: string;
                    text?: string;
                }[];
            };
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
        } | {
            answer: components["schemas"]["AnswerContent"] | null;
            fallback_used: boolean;
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
        } | {
            /**
             * @description What came of an answer.
             * @enum {string}
             */
            code?: "agent_offline" | "session_ended";
            reason: string | null;
        } | {
            answer: components["schemas"]["AnswerContent"];
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
        } | components["schemas"]["Consumed"] | {
            /** @enum {string} */
            outcome: "done" | "failed";
            text: string | null;
        } | {
            text: string;
            /** @enum {string} */
            why: "cut" | "asked_later";
        } | {
            events: {
                hash: string;
                left?: string;
                /** Format: int64 */
                seq: number;
            }[];
        } | {
            /** @enum {string} */
            by: "push" | "mail" | "ntfy" | "slack";
            /** Format: int64 */
            rung: number;
        } | {
            /** Format: int64 */
            later: number;
            /** Format: int64 */
            rung: number;
            /** Format: int64 */
            told: number;
            /** Format: int64 */
            unreached: number;
        } | {
            /** Format: int64 */
            others: number;
            /** Format: int64 */
            rung: number;
        } | {
            /** @enum {string} */
            on: "page" | "question" | "slack";
        } | {
            text: string;
        } | {
            agent: components["schemas"]["Agent"];
            /** Format: date-time */
            created_at: string;
            description: string | null;
            id: string;
            reason?: string | null;
            /**
             * @description How a task goes; `waiting` follows from its blockers.
             * @enum {string}
             */
            status: "running" | "waiting" | "failed" | "done";
            step: string | null;
            title: string | null;
            /** Format: date-time */
            updated_at: string;
            /** Format: int64 */
            version: number;
        } | {
            person: components["schemas"]["PersonThen"];
            slack_id: string;
        } | {
            identity: {
                /** Format: uri */
                issuer: string;
                subject: string;
            };
            person: components["schemas"]["PersonThen"];
        } | {
            /** Format: uri */
            issuer?: string;
            person: components["schemas"]["PersonThen"];
            /** Format: uuid */
            session: string;
        } | {
            person: components["schemas"]["PersonThen"];
            sessions: string[];
        } | {
            person: components["schemas"]["PersonThen"] | null;
        } | {
            factor: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "app" | "passkey";
                name: string;
            } | null;
            person: components["schemas"]["PersonThen"];
        } | components["schemas"]["PersonThen"] | {
            /** Format: uuid */
            agent_id: string | null;
            /** Format: date-time */
            expires_at?: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "agent" | "responder";
            name: string;
            /** Format: uuid */
            owner?: string;
            teams?: string[];
        } | {
            /** Format: uuid */
            id: string;
            /** @description Its `name`, the `slack_channel` if it has one, and `timeouts` in seconds by kind. */
            profile: {
                [key: string]: unknown;
            };
        } | components["schemas"]["TeamThen"] | {
            /** @enum {string} */
            part?: "reads" | "answers";
            person: components["schemas"]["PersonThen"];
            team: components["schemas"]["TeamThen"];
        } | {
            agent: components["schemas"]["Agent"];
            team: components["schemas"]["TeamThen"] | null;
        } | {
            rota: {
                at: string;
                /** @enum {string} */
                every: "day" | "week";
                people: string[];
                starts: string;
                zone: string;
            };
            team: components["schemas"]["TeamThen"];
        } | components["schemas"]["TeamThen"] | {
            overrides: {
                /** Format: date-time */
                from: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                person: string;
                /** Format: date-time */
                until: string;
            }[];
            team: components["schemas"]["TeamThen"];
        } | {
            removed: {
                /** Format: date-time */
                from: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                person: string;
                /** Format: date-time */
                until: string;
            };
            team: components["schemas"]["TeamThen"];
        } | {
            absence: {
                /** Format: uuid */
                delegate: string | null;
                /** Format: date-time */
                from: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                person: string;
                /** Format: date-time */
                until: string;
            };
            team: components["schemas"]["TeamThen"];
        } | {
            removed: {
                /** Format: uuid */
                delegate: string | null;
                /** Format: date-time */
                from: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                person: string;
                /** Format: date-time */
                until: string;
            };
            team: components["schemas"]["TeamThen"];
        } | {
            person: components["schemas"]["PersonThen"];
            team: components["schemas"]["TeamThen"];
        } | {
            endpoint: components["schemas"]["EndpointThen"];
            /** @enum {string} */
            why: "by_hand" | "gone" | "failing";
        } | components["schemas"]["EndpointThen"] | ({
            /** Format: uuid */
            one: string;
        } | {
            since: {
                /** Format: uuid */
                destination: string | null;
                /** Format: date-time */
                since: string;
            };
        }) | {
            by: components["schemas"]["Responder"];
            /** Format: date-time */
            expires_at: string;
            for_session: boolean;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            made_from: string;
            /** Format: int64 */
            uses_max: number;
        } | {
            /** Format: uuid */
            id: string;
        } | {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            why: "revoked" | "holder_lost" | "agent_changed" | "session_ended" | "erased" | "used_up" | "restored";
        } | {
            /** Format: date-time */
            answered_at: string;
            any_agent: boolean;
            by: components["schemas"]["Responder"];
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            made_from: string;
        } | {
            /** Format: uuid */
            id: string;
        } | {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            why: "revoked" | "holder_lost" | "agent_changed" | "team_deleted" | "erased" | "replaced" | "restored";
        } | {
            digest: string;
            /** Format: uuid */
            id: string;
            /** @description Their names. */
            rules: string[];
        } | {
            /**
             * Format: int64
             * @description The last event that is there.
             */
            after: number;
            /**
             * Format: int64
             * @description Its own number: those between were given out, or may have been.
             */
            number: number;
            /**
             * Format: int64
             * @description So many were signed before, as far as that is known.
             */
            signed: number;
        } | {
            /** @description One rung a line, as `GET /ladder` has it. A person stands in it by their id. */
            ladder: {
                async: string[];
                sync: string[];
                urgent: string[];
            };
            team: components["schemas"]["TeamThen"] | null;
        } | {
            team: components["schemas"]["TeamThen"] | null;
        } | {
            person: components["schemas"]["PersonThen"];
            quiet: {
                days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                from: string;
                until: string;
                urgent: boolean;
                zone: string;
            } | null;
        } | {
            reach: components["schemas"]["ReachThen"];
            /** @enum {string} */
            why: "removed" | "gone" | "failing" | "taken";
        } | {
            /** @description Whether what can wait comes as one message an hour. */
            digest: boolean;
            reach: components["schemas"]["ReachThen"];
        } | components["schemas"]["ReachThen"] | Record<string, never>;
        /** @description Server-sent events. */
        EventStream: string;
        /** @description One action by its digest, as `action_digest` of an approval. */
        ExactAction: {
            digest: string;
            tool: string;
        };
        /** @description JSON whose numbers every parser reads the same. */
        ExactJson: unknown;
        /** @description The fallback as it was sent. */
        Fallback: string | string[] | components["schemas"]["FormAnswers"];
        /** @description What is wrong with one field. */
        Fault: {
            message: string;
            /** @description As in `task.title`; `$` is the whole body. */
            path: string;
        };
        /**
         * Format: binary
         * @description The bytes of a file.
         */
        FileBytes: string;
        /** @description The name of a file, which is no path: without `/`, `\` and `:`, with no dot and no blank at either end, and without characters that nobody sees. */
        FileName: string;
        /** @description What a member holds. */
        FlatProperty: {
            default?: unknown;
            description?: string;
            enum?: string[];
            /** Format: int64 */
            maxLength?: number;
            /** Format: int64 */
            minLength?: number;
            title?: string;
            /** @enum {string} */
            type: "string";
        } | {
            default?: unknown;
            description?: string;
            maximum?: number;
            minimum?: number;
            title?: string;
            /** @enum {string} */
            type: "number";
        } | {
            default?: unknown;
            description?: string;
            maximum?: number;
            minimum?: number;
            title?: string;
            /** @enum {string} */
            type: "integer";
        } | {
            default?: unknown;
            description?: string;
            title?: string;
            /** @enum {string} */
            type: "boolean";
        };
        /** @description A flat JSON Schema: members are texts, numbers or flags. Keywords that are not named here are refused. */
        FlatSchema: {
            $schema?: unknown;
            additionalProperties?: boolean;
            description?: unknown;
            properties: {
                [key: string]: components["schemas"]["FlatProperty"];
            };
            required?: string[];
            title?: unknown;
            /** @enum {string} */
            type: "object";
        };
        /** @description A later message about a closed interaction. */
        FollowUp: {
            /** Format: date-time */
            at: string;
            responder: components["schemas"]["Responder"];
            text: string;
        };
        /** @description What more there is to say. */
        FollowUpDraft: {
            /** @description Text with something to see. */
            text: string;
        };
        /** @description Answers by the id of their question: a text, or the values of the options. */
        FormAnswers: {
            [key: string]: string | string[];
        };
        /** @description A question of a form; with options it is a choice. */
        FormQuestion: {
            id: string;
            multiple: boolean;
            options: components["schemas"]["ChoiceOption"][] | null;
            prompt: string;
        };
        /** @description A question of a form: free text, or a choice. */
        FormQuestionDraft: {
            id: string;
            /** @enum {boolean} */
            multiple?: false;
            options?: null;
            prompt: string;
        } | {
            id: string;
            multiple?: boolean;
            options: components["schemas"]["OptionDraft"][];
            prompt: string;
        };
        /**
         * @description `standard`: `{type, timestamp, data}`. `flat`: seven fields and nothing around them.
         * @enum {string}
         */
        Format: "standard" | "flat";
        /** @description A person's standing approval. */
        Grant: {
            /** @description For what this agent asks. */
            agent: components["schemas"]["GrantNamed"];
            /**
             * Format: date-time
             * @description When it ended before its time, if it did.
             */
            ended_at: string | null;
            /** @description Why: `revoked`, `holder_lost`, `agent_changed`, `session_ended`, `erased`, `used_up` or `restored`. */
            ended_why: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /** @description Whether it covers anything now. */
            in_force: boolean;
            /** @description The same in words. */
            in_words: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            made_at: string;
            /** @description Whose decision it is. */
            made_by: components["schemas"]["GrantNamed"];
            /**
             * Format: uuid
             * @description The approval that it was made from.
             */
            made_from: string;
            matcher: components["schemas"]["Matcher"] | null;
            /** @description In which session alone; `null` = in any. */
            session_id: string | null;
            team: components["schemas"]["GrantNamed"] | null;
            /**
             * Format: int32
             * @description How often it was.
             */
            uses: number;
            /**
             * Format: int32
             * @description How often it may be used.
             */
            uses_max: number;
            /**
             * Format: int64
             * @description Of these, in the last seven days.
             */
            uses_this_week: number;
        };
        /** @description A grant to be made. Without a matcher it is for exactly what was approved. */
        GrantDraft: {
            /**
             * Format: date-time
             * @description Within 30 days. Only a grant for a session may leave it out.
             */
            expires_at?: string | null;
            /** @description Whether it is for the agent's session alone; then it lasts a day at most. */
            for_session?: boolean;
            /**
             * Format: uuid
             * @description The approval that it is made from.
             */
            from: string;
            matcher?: components["schemas"]["Matcher"] | null;
            /** @description How often it may be used. */
            uses?: number | null;
        };
        GrantNamed: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description What can be approved ahead, and what that would have approved in the last 30 days. */
        GrantOffer: {
            /** @description The same in words. */
            in_words: string;
            matcher: components["schemas"]["Matcher"];
            past: components["schemas"]["GrantPast"];
        };
        /** @description One page. `next_cursor` is `null` on the last one. */
        GrantPage: {
            items: components["schemas"]["Grant"][];
            next_cursor: string | null;
        };
        /** @description What a matcher would have approved. */
        GrantPast: {
            /**
             * Format: int32
             * @description How many of those a person has denied.
             */
            denied: number;
            /**
             * Format: int32
             * @description How many approvals of this agent were looked at.
             */
            looked_at: number;
            /** @description Whether there are more. */
            more: boolean;
            /** @description The newest of them. */
            newest: components["schemas"]["GrantPastOne"][];
            /**
             * Format: int32
             * @description How many of them it would have approved.
             */
            would_approve: number;
        };
        GrantPastOne: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            outcome: components["schemas"]["Outcome"] | null;
            prompt: string;
        };
        /** @description The standing approval that a decision rests on, where no person was asked about this one. */
        Granted: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            made_at: string;
        };
        /** @description An endpoint. Its secret is there only when it was made a moment ago. */
        Hook: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            disabled_at: string | null;
            disabled_why: components["schemas"]["DisabledWhy"] | null;
            events: components["schemas"]["Topic"][];
            /** Format: date-time */
            failing_since: string | null;
            format: components["schemas"]["Format"];
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Only when it was made a moment ago. */
            secret?: string;
            /** @description Whether it hears only of what an agent waits for. */
            sync_only: boolean;
            target_url: string;
            /** @description The teams that it hears of, beside what belongs to none. */
            teams: string[];
        };
        /** @description An endpoint that somebody wants to have. */
        HookDraft: {
            /** @description What to hear of; absent or empty = all. */
            events?: components["schemas"]["Topic"][];
            format?: components["schemas"]["Format"] | null;
            /** @description What people call it; the host if absent. */
            name?: string | null;
            /** @description Where to send to: a public address, without a name and password in it. */
            target_url: string;
            /** @description The names of the teams to hear of, beside what belongs to none; absent = those of the token. */
            teams?: string[] | null;
        };
        /** @description Every webhook on one page: `next_cursor` is always `null`. */
        HookPage: {
            items: components["schemas"]["Hook"][];
            next_cursor: string | null;
        };
        /**
         * Format: uuid
         * @description A UUID.
         */
        Id: string;
        /**
         * Format: int64
         * @description How many days are looked back on.
         */
        InsightDays: number;
        /** @description Blockers that have ended. `by_people`, `by_rules`, `fallback`, `expired` and `cancelled` make `ended`. */
        InsightFigures: {
            /**
             * Format: int64
             * @description Answered by people, or with a responder's token.
             */
            by_people: number;
            /**
             * Format: int64
             * @description Decided as it was asked: by a policy, a grant, or an answer that stands.
             */
            by_rules: number;
            /**
             * Format: int64
             * @description Taken back.
             */
            cancelled: number;
            /**
             * Format: int64
             * @description Approvals that were denied; they count among `by_people` or `by_rules`.
             */
            denied: number;
            /** Format: int64 */
            ended: number;
            /**
             * Format: int64
             * @description The deadline passed without an answer.
             */
            expired: number;
            /**
             * Format: int64
             * @description The agent went on with its fallback.
             */
            fallback: number;
            /**
             * Format: double
             * @description Half of the answers of people took no longer; to 3 %.
             */
            median_seconds: number | null;
            /**
             * Format: double
             * @description Nine in ten of them took no longer.
             */
            p90_seconds: number | null;
            /**
             * Format: double
             * @description For how long agents stood still, all of them together.
             */
            stood_still_seconds: number;
        };
        /** @description What has ended of all that was asked in a period. */
        Insights: {
            /** @description Those that asked most first. */
            agents: components["schemas"]["InsightsOfAgent"][];
            /** @description Approvals that people were asked more than once, of the newest 50,000. */
            asked_most: components["schemas"]["AskedMost"][];
            counted: components["schemas"]["InsightsCounted"];
            /** @description Every day of the period. */
            days: components["schemas"]["InsightsOfDay"][];
            /** @description The first day of asking. */
            from: components["schemas"]["CalendarDay"];
            /** @description When it was asked, in each hour of the week. */
            hours: components["schemas"]["InsightsOfHour"][];
            kinds: components["schemas"]["InsightsOfKind"][];
            /** @description Who answered, those who answered most first. */
            people: components["schemas"]["InsightsOfPerson"][];
            /** @description Those that were asked most first. */
            teams: components["schemas"]["InsightsOfTeam"][];
            /** @description The last one. */
            to: components["schemas"]["CalendarDay"];
            /** @description Everything together. */
            total: components["schemas"]["InsightFigures"];
        };
        /** @description How far the journal is counted, which it is every few seconds. */
        InsightsCounted: {
            /**
             * Format: int64
             * @description The newest event.
             */
            newest: number;
            /**
             * Format: int64
             * @description The last event that is counted.
             */
            seq: number;
        };
        InsightsNamed: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        InsightsOfAgent: {
            agent: components["schemas"]["InsightsNamed"];
            figures: components["schemas"]["InsightFigures"];
        };
        InsightsOfDay: {
            /** @description In UTC. */
            day: components["schemas"]["CalendarDay"];
            figures: components["schemas"]["InsightFigures"];
        };
        InsightsOfHour: {
            /** Format: int64 */
            asked: number;
            /**
             * Format: int32
             * @description In UTC.
             */
            hour: number;
            /**
             * Format: int32
             * @description 1 is Monday.
             */
            weekday: number;
        };
        InsightsOfKind: {
            figures: components["schemas"]["InsightFigures"];
            kind: components["schemas"]["BlockerKind"];
        };
        InsightsOfPerson: {
            figures: components["schemas"]["InsightFigures"];
            /** @description A person, a responder's token or a user of Slack. */
            person: components["schemas"]["InsightsNamed"];
        };
        InsightsOfTeam: {
            figures: components["schemas"]["InsightFigures"];
            team: components["schemas"]["InsightsNamed"] | null;
        };
        /** @description An interaction. What does not belong to its kind is `null`. */
        Interaction: {
            action: components["schemas"]["Action"] | null;
            /** @description For an approval: `sha256:` and the hex of SHA-256 over the RFC 8785 form of `action`. */
            action_digest: string | null;
            agent: components["schemas"]["Agent"];
            /** @description Whether that is so long ago that nobody seems to wait for the answer; told as `agent_seen_at`. */
            agent_offline: boolean | null;
            /**
             * Format: date-time
             * @description When the agent was last there for it: told of a single interaction that is pending, to others than its agent.
             */
            agent_seen_at: string | null;
            amendable: components["schemas"]["Amendable"] | null;
            amended: components["schemas"]["Amended"] | null;
            answer: components["schemas"]["Answer"] | null;
            approvals: components["schemas"]["Quorum"] | null;
            /** @description For an approval: `true` only if a receipt proves that somebody approved it in time. */
            approved: boolean | null;
            /** @description The files that were sent with it, in their order. */
            attachments: components["schemas"]["Attachment"][];
            callback: components["schemas"]["Callback"] | null;
            cancel_code: components["schemas"]["CancelCode"] | null;
            /** @description Why it was taken back, in the words of who did. */
            cancel_reason: string | null;
            claim: components["schemas"]["Claim"] | null;
            /** Format: date-time */
            closed_at: string | null;
            /** @description The name of who answered it or took it back; `null` if the deadline did. */
            closed_by: string | null;
            /**
             * Format: date-time
             * @description When the agent confirmed that it has the answer.
             */
            collected_at: string | null;
            consumed: components["schemas"]["Consumed"] | null;
            /** Format: date-time */
            created_at: string;
            /** @description Where a person answers it. */
            dashboard_url: string;
            erased: components["schemas"]["Erased"] | null;
            /**
             * Format: date-time
             * @description The deadline; `null` = never.
             */
            expires_at: string | null;
            fallback: components["schemas"]["Fallback"] | null;
            /** @description Whether the answer is the fallback. */
            fallback_used: boolean;
            follow_ups: components["schemas"]["FollowUp"][];
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["Kind"];
            level: components["schemas"]["Level"] | null;
            /** @description As the agent sent it. */
            metadata: {
                [key: string]: unknown;
            } | null;
            mode: components["schemas"]["Mode"];
            /** @description For a choice. */
            multiple: boolean | null;
            /** @description For a choice. */
            options: components["schemas"]["ChoiceOption"][] | null;
            outcome: components["schemas"]["Outcome"] | null;
            /** @description For a plan review, in markdown. */
            plan: string | null;
            priority: components["schemas"]["Priority"];
            progress: components["schemas"]["Progress"] | null;
            /** @description In markdown. */
            prompt: string;
            /** @description For a form. */
            questions: components["schemas"]["FormQuestion"][] | null;
            report: components["schemas"]["Report"] | null;
            /** @description Ready to be put into the agent's context, once there is an answer. */
            resume_prompt: string | null;
            /**
             * Format: uuid
             * @description For a plan review: the id of the earlier plan that it takes the place of.
             */
            revises: string | null;
            ruled: components["schemas"]["Ruled"] | null;
            session_id: string | null;
            /** @description Where it is in Slack, for people who are there. */
            slack_permalink: string | null;
            state: components["schemas"]["State"];
            task: components["schemas"]["NamedTask"] | null;
            /** @description The name of the team that was asked; `null` = everyone. */
            team: string | null;
            title: string | null;
            to: components["schemas"]["Addressee"] | null;
            traceparent: components["schemas"]["TraceParent"] | null;
            /**
             * Format: int64
             * @description 1 when asked, one more with every change.
             */
            version: number;
            /** @description Whether it is taken back when its session ends. */
            withdraw_on_disconnect: boolean;
        };
        /** @description One page. `next_cursor` is `null` on the last one. */
        InteractionPage: {
            items: components["schemas"]["Interaction"][];
            next_cursor: string | null;
        };
        /**
         * @description The public keys of a server. Whoever has pinned none pins these; whoever has pinned an earlier one follows the
         *     statements.
         */
        Keys: {
            /** @description The key that signs receipts and checkpoints now, in base64. */
            public_key: string;
            /** @description How each key led to the next, the first one first. */
            rotations: components["schemas"]["Rotation"][];
            /** @description Keys of other nodes that this one believes (`trusted_keys`), in base64. */
            trusted: string[];
        };
        /**
         * @description What is asked for.
         * @enum {string}
         */
        Kind: "question" | "choice" | "acknowledgement" | "approval" | "plan_review" | "form" | "notification";
        /** @description How silence climbs: one rung a line, as they are written. */
        Ladder: {
            /** @description For questions that can wait. */
            async: string[];
            /** @description Whether it was set for this team, or for everyone; else it is that of everyone, or the default. */
            own: boolean;
            /** @description For questions that an agent has stopped for. */
            sync: string[];
            team: components["schemas"]["LadderTeam"] | null;
            /** @description For urgent questions, such as `0 duty` or `half team x3`. */
            urgent: string[];
        };
        LadderTeam: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /**
         * @description How serious a notification is.
         * @enum {string}
         */
        Level: "info" | "success" | "warning" | "error";
        /** @description One line with something to see. */
        Line: string;
        /** @description What a grant, or a rule that allows, covers: one action and no other, or actions like it. */
        Matcher: {
            exactly: components["schemas"]["ExactAction"];
        } | {
            like: components["schemas"]["ActionPattern"];
        };
        /**
         * @description What a file is.
         * @enum {string}
         */
        Media: "image/png" | "image/jpeg" | "text/plain" | "text/x-diff";
        /** @description An answer that stands for the same question. */
        Memory: {
            agent: components["schemas"]["MemoryNamed"] | null;
            answer: components["schemas"]["MemoryAnswer"] | null;
            /**
             * Format: date-time
             * @description When they gave it.
             */
            answered_at: string;
            /**
             * Format: date-time
             * @description When it ended before its time, if it did.
             */
            ended_at: string | null;
            /** @description Why: `revoked`, `holder_lost`, `agent_changed`, `team_deleted`, `erased`, `replaced` or `restored`. */
            ended_why: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /** @description Whether it answers anything now. */
            in_force: boolean;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When they let it stand.
             */
            made_at: string;
            /** @description Whose answer it is. */
            made_by: components["schemas"]["MemoryNamed"];
            /**
             * Format: uuid
             * @description The question that was answered.
             */
            made_from: string;
            question: components["schemas"]["MemoryQuestion"] | null;
            team: components["schemas"]["MemoryNamed"] | null;
            /**
             * Format: int64
             * @description How often it was used.
             */
            uses: number;
            /**
             * Format: int64
             * @description Of these, in the last seven days.
             */
            uses_this_week: number;
        };
        /** @description An answer that stands. */
        MemoryAnswer: {
            /** @description To a choice: values of its options. */
            selected: string[] | null;
            /** @description To a question. */
            text: string | null;
        };
        /**
         * Format: int64
         * @description For how many days an answer stands.
         */
        MemoryDays: number;
        /** @description An answer that is to stand. */
        MemoryDraft: {
            /** @description Whether for every agent that asks the same team, not for this one alone. */
            any_agent?: boolean;
            /** @description For how many days. */
            days: components["schemas"]["MemoryDays"];
            /**
             * Format: uuid
             * @description The question that this token has answered.
             */
            from: string;
        };
        MemoryNamed: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description One page. `next_cursor` is `null` on the last one. */
        MemoryPage: {
            items: components["schemas"]["Memory"][];
            next_cursor: string | null;
        };
        /** @description A question that an answer stands for. */
        MemoryQuestion: {
            fallback: components["schemas"]["MemoryAnswer"] | null;
            kind: components["schemas"]["Kind"];
            /** @description Of a choice. */
            multiple: boolean | null;
            /** @description Of a choice. */
            options: components["schemas"]["ChoiceOption"][] | null;
            prompt: string;
            title: string | null;
        };
        /**
         * @description `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
         * @enum {string}
         */
        Mode: "sync" | "async";
        /** @description The task that an interaction names, as it was named. */
        NamedTask: {
            description: string | null;
            id: string;
            step: string | null;
            title: string | null;
        };
        /** @description The task an interaction belongs to. What is absent stays as it is known. */
        NamedTaskDraft: {
            description?: string | null;
            id: string;
            step?: string | null;
            title?: string | null;
        };
        /** @description Something that an action refers to without containing it. */
        Operand: {
            name: string;
            /** @description In hex. */
            sha256: string;
            /**
             * Format: int64
             * @description In bytes.
             */
            size: number;
        };
        /** @description Something that the action refers to without containing it: part of its digest. Names are unique. */
        OperandDraft: {
            name: string;
            sha256: string;
            /** Format: int64 */
            size: number;
        };
        /** @description An option: its value, or with a label and a line below it. */
        OptionDraft: string | {
            description?: string | null;
            label?: string | null;
            value: string;
        };
        /**
         * @description How it ended.
         * @enum {string}
         */
        Outcome: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
        /**
         * Format: int64
         * @description A size of pages.
         */
        PageSize: number;
        /** @description A person, as they were then. */
        PersonThen: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            role: "viewer" | "responder" | "admin";
        };
        /** @description Words on some lines of a plan, which are counted from 1; `quote` is the beginning of these lines. */
        PlanComment: {
            /** Format: int64 */
            line: number;
            quote: string;
            text: string;
            /** Format: int64 */
            to_line: number;
        };
        /** @description Words on some lines of a plan: counted from 1 in the plan as it was sent, and there in this version. All texts of an answer together have as many characters as a prompt at most. */
        PlanCommentDraft: {
            /** Format: int64 */
            line: number;
            text: string;
            /** Format: int64 */
            to_line?: number | null;
        };
        /**
         * @description How an agent goes on with its plan. `proceed`: keep the context, edits are allowed. `proceed_clean`: clear the context, edits are allowed. `proceed_default`: clear the context, ask before edits. `adjust`: stay in plan mode and work the feedback in.
         * @enum {string}
         */
        PlanDecision: "proceed" | "proceed_clean" | "proceed_default" | "adjust";
        /** @description The policies in force, as far as they are about the token's teams. */
        Policies: {
            file: components["schemas"]["PolicySet"] | null;
            here: components["schemas"]["PolicySet"] | null;
            /** @description Whether those that were set here cannot be read, or are not signed: then people are asked about everything. */
            unreadable: boolean;
        };
        /** @description What an argument has: the one at `at`, the names that lead to it from the outermost in, or else any. Words are those of a command, in this order; a folder is one that a path is in; a host stands for those below it too. */
        PolicyCondition: {
            at?: string[];
            has: {
                words: string[];
            };
        } | {
            at?: string[];
            has: {
                below: string;
            };
        } | {
            at?: string[];
            has: {
                host: string;
            };
        } | {
            at: string[];
            has: {
                is: unknown[];
            };
        };
        /** @description Policies. The names of rules are unique. */
        PolicyDocument: {
            rules?: components["schemas"]["PolicyRule"][];
        };
        /** @description An action by which a rule is checked. The agent and the team are the first that the rule names, unless they are here. */
        PolicyExample: {
            agent?: string | null;
            arguments?: {
                [key: string]: unknown;
            };
            team?: string | null;
            tool: string;
        };
        /** @description A rule: what it does to which actions. One that forbids or asks, or says that something is destructive, has a `when`; one that allows has a `matcher`. One that forbids or is about what is destructive says why. `approvals`, `team` and `deadline_seconds` belong to rules that ask. It applies to each action of `match` and to none of `not_match`. */
        PolicyRule: {
            agents?: string[];
            approvals?: components["schemas"]["QuorumDraft"] | null;
            /** Format: int64 */
            deadline_seconds?: number | null;
            destructive?: boolean;
            match: components["schemas"]["PolicyExample"][];
            matcher?: components["schemas"]["Matcher"] | null;
            name: string;
            not_match: components["schemas"]["PolicyExample"][];
            reason?: string | null;
            team?: string | null;
            teams?: string[];
            /** @enum {string|null} */
            then?: "forbid" | "ask" | "allow" | null;
            when?: components["schemas"]["PolicyScope"] | null;
        };
        PolicyRuleInForce: {
            /**
             * Format: int64
             * @description How much it has allowed or forbidden in the last seven days.
             */
            decided_this_week: number;
            rule: components["schemas"]["PolicyRule"];
        };
        /** @description What a rule that forbids or asks applies to: all of this has to be so, and something is said. A tool is one of these names, of which a `*` at the end stands for whatever follows. */
        PolicyScope: {
            arguments?: components["schemas"]["PolicyCondition"][];
            looks_destructive?: boolean;
            tools?: string[];
        };
        PolicySet: {
            /** Format: date-time */
            at: string;
            /** @description The name of who put them in force. */
            by: string | null;
            /** @description Of all of them, in their RFC 8785 form. */
            digest: string;
            /** Format: uuid */
            id: string;
            rules: components["schemas"]["PolicyRuleInForce"][];
            /** @description `file` or `here`. */
            source: string;
        };
        /**
         * @description `urgent` comes before the others of its mode.
         * @enum {string}
         */
        Priority: "normal" | "urgent";
        /** @description An error (RFC 9457). `code` never changes its meaning. */
        Problem: {
            claimed_by?: string;
            /** Format: date-time */
            claimed_until?: string;
            /** Format: date-time */
            closed_at?: string;
            closed_by?: string | null;
            code: string;
            /** Format: date-time */
            consumed_at?: string;
            consumed_by?: string;
            /** @description For people; may be put differently one day. */
            detail: string;
            errors: components["schemas"]["Fault"][];
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome?: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
            /** Format: int64 */
            status: number;
            title: string;
            type: string;
        };
        /** @description Of a form, what is answered; of an approval that takes several people, who has approved. */
        Progress: components["schemas"]["FormAnswers"] | {
            approved: components["schemas"]["Approver"][];
            /** Format: int64 */
            needed: number;
        };
        /** @description How many different people have to approve, who counts, and whether the owner of the agent does not. */
        Quorum: {
            four_eyes: boolean;
            /** Format: int64 */
            needed: number;
            /** @enum {string} */
            of: "anyone" | "team";
        };
        /** @description How many different people have to approve, and who counts. Tokens never do. With `four_eyes` the owner of the agent does not, and has to be known. */
        QuorumDraft: {
            /** @default false */
            four_eyes: boolean | null;
            /**
             * Format: int64
             * @default 1
             */
            needed: number | null;
            /** @enum {string|null} */
            of?: "anyone" | "team" | null;
        };
        /** @description A way to reach a person. Its address is left out. */
        ReachThen: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "push" | "mail" | "ntfy" | "slack";
            /** Format: uuid */
            person: string;
        };
        Readiness: {
            /** @description What does not work although the server is ready, by name: `slack`. */
            degraded: string[];
            /** @description What is not, by name. */
            not_ready: string[];
            ready: boolean;
        };
        /** @description A decision, signed: Ed25519 over the RFC 8785 canonical JSON of every field but `signature`. */
        Receipt: {
            /** @description Of an approval: of the action as it was decided, with changed arguments if it was amended. */
            action_digest?: string;
            agent: components["schemas"]["Agent"];
            /** Format: date-time */
            answered_at: string;
            /** @description Where it takes several people: all who approved. */
            approvers?: components["schemas"]["Approver"][];
            /** Format: date-time */
            asked_at: string;
            /** @description Where it was amended: of the action as it was asked. */
            asked_digest?: string;
            /** @description Of a plan review with attachments: `sha256:` and the hex of SHA-256 over the RFC 8785 form of their list. Those of an approval are part of its action. */
            attachments_digest?: string;
            grant?: components["schemas"]["Granted"];
            /** Format: uuid */
            interaction_id: string;
            /** @enum {string} */
            kind: "approval" | "plan_review" | "question" | "choice";
            /**
             * @description How it ended.
             * @enum {string}
             */
            outcome: "answered" | "approved" | "denied" | "proceed" | "proceed_clean" | "proceed_default" | "adjust" | "delivered" | "fallback" | "expired" | "cancelled" | "void";
            /** @description Of a plan review: `sha256:` and the hex of SHA-256 over the plan. */
            plan_digest?: string;
            policy?: components["schemas"]["ByPolicy"];
            /** @description In base64. */
            public_key: string;
            remembered?: components["schemas"]["Remembered"];
            responder: components["schemas"]["Responder"];
            /** @description In base64. */
            signature: string;
            /**
             * Format: int64
             * @description 2 where a grant decided, 3 where a policy did, 4 where an earlier answer answered.
             */
            version: number;
        };
        /** @description The answer that a person had given to the same question, at `answered_at`, and let stand at `made_at`. Whose it is, is said beside it. */
        Remembered: {
            /** Format: date-time */
            answered_at: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            made_at: string;
        };
        /** @description What the agent says came of it. */
        Report: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            outcome: "done" | "failed";
            text: string | null;
        };
        /** @description What came of an answer. */
        Reporting: {
            /** @enum {string} */
            outcome: "done" | "failed";
            text?: string | null;
        };
        /** @description Who answered: a person in the dashboard, or a script with a responder token. */
        Responder: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            via: "dashboard" | "api" | "slack" | "policy";
        };
        /** @description A statement, signed: Ed25519 by `old` over the RFC 8785 canonical JSON of every field but `signature`. */
        Rotation: {
            /** Format: date-time */
            at: string;
            /** @description In base64. */
            new: string;
            /** @description In base64. */
            old: string;
            /** @description In base64. */
            signature: string;
            /** @enum {string} */
            statement: "handraise key rotation";
            /** Format: int64 */
            version: number;
        };
        /** @description What policies said of an approval when it was asked: `then` is the strictest, absent where they only say that it is destructive. */
        Ruled: {
            /** @description Whether the team that one has asked was not there: then only admins approve it. */
            admins_only?: boolean;
            by?: {
                /** Format: uuid */
                policies: string;
                reason?: string;
                rule: string;
                /** @description Whether it could not be told that it applies. */
                unclear?: boolean;
            }[];
            destructive?: boolean;
            /**
             * Format: uuid
             * @description The team that one has asked: nobody hands it to another.
             */
            team?: string;
            /** @enum {string} */
            then?: "allow" | "ask" | "forbid";
        };
        /** @description The secret of the token that came with the request. */
        Secret: {
            /** @description `whsec_` and base64, as Standard Webhooks writes it. */
            secret: string;
        };
        /** @description Tells something that nobody answers. */
        SendNotification: {
            action?: null;
            amendable?: null;
            approvals?: null;
            /** @description The ids of files that were sent with this token (`send_attachment`), each of which belongs to nothing yet. */
            attachments?: string[] | null;
            callback_url?: null;
            fallback?: null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "notification";
            /**
             * @description How serious a notification is.
             * @enum {string|null}
             */
            level?: "info" | "success" | "warning" | "error" | null;
            /** @description Anything the agent wants back, up to 8 kB and 32 levels. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string|null} */
            mode?: "async" | null;
            multiple?: null;
            options?: null;
            plan?: null;
            /**
             * @description `urgent` comes before the others of its mode.
             * @enum {string|null}
             */
            priority?: "normal" | "urgent" | null;
            /** @description In markdown. */
            prompt: string;
            questions?: null;
            revises?: null;
            /** @description The agent's own context: a run, a conversation. */
            session_id?: string | null;
            task?: components["schemas"]["NamedTaskDraft"] | null;
            /** @description The name of the team to ask, if an admin has opened it to this agent; absent = the agent's home. */
            team?: string | null;
            timeout_seconds?: null;
            /** @description A few words above the prompt. */
            title?: string | null;
            to?: null;
            withdraw_on_disconnect?: null;
        };
        /** @description A file that was taken in: it is named in an ask, or in an answer, by its `id`. */
        SentAttachment: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Unless something names it by then, it is removed.
             */
            kept_until: string;
            name: string;
            /** @description Of what is kept, in hex. */
            sha256: string;
            /**
             * Format: int64
             * @description In bytes, as it is kept.
             */
            size: number;
            /** @description What it is as it is kept: a picture is encoded anew. */
            type: components["schemas"]["Media"];
        };
        /**
         * Format: int64
         * @description A place in the journal.
         */
        Seq: number;
        /**
         * @description `expired` and `cancelled` have no answer, unless there was a fallback.
         * @enum {string}
         */
        State: "pending" | "resolved" | "expired" | "cancelled";
        /**
         * @description What an agent may do after a plan review.
         * @enum {string}
         */
        TargetMode: "edit" | "default";
        /** @description A task with the questions it waits for. */
        Task: {
            agent: components["schemas"]["Agent"];
            /** Format: date-time */
            created_at: string;
            description: string | null;
            id: string;
            /** @description Why it failed. */
            reason: string | null;
            status: components["schemas"]["TaskStatus"];
            step: string | null;
            title: string | null;
            /** Format: date-time */
            updated_at: string;
            /** Format: int64 */
            version: number;
            /** @description The oldest 50 of its pending blockers. */
            waiting_on: components["schemas"]["Waiting"][];
        };
        /** @description How a task goes. What is absent stays as it is; `reason` belongs to `failed`. That a task waits follows from its blockers. */
        TaskDraft: {
            description?: string | null;
            reason?: null;
            /** @enum {string|null} */
            status?: "running" | "done" | null;
            step?: string | null;
            title?: string | null;
        } | {
            description?: string | null;
            reason?: string | null;
            /** @enum {string} */
            status: "failed";
            step?: string | null;
            title?: string | null;
        };
        /** @description One page. `next_cursor` is `null` on the last one. */
        TaskPage: {
            items: components["schemas"]["Task"][];
            next_cursor: string | null;
        };
        /**
         * @description How a task goes; `waiting` follows from its blockers.
         * @enum {string}
         */
        TaskStatus: "running" | "waiting" | "failed" | "done";
        /** @description A team, as it was then. */
        TeamThen: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /**
         * @description What webhooks can hear of.
         * @enum {string}
         */
        Topic: "interaction.requested" | "interaction.resolved" | "interaction.expired" | "interaction.cancelled" | "notification.sent" | "task.failed";
        /** @description A place in a trace: W3C Trace Context, version 00. */
        TraceParent: string;
        /** @description How far an argument may differ: a command or several, each beginning with approved words; a path below a folder; `names` with wildcards where a tool searches by them; an address at a scheme, host and port; one of the folders where it runs; or `any`, which is for what is said about an action, or written below a folder. */
        Variation: ("names" | "any") | {
            words: components["schemas"]["CommandWords"];
        } | {
            commands: components["schemas"]["CommandWords"][];
        } | {
            below: string;
        } | {
            host: string;
        } | {
            folders: string[];
        };
        /** @description One argument that may differ: the names that lead to it from the outermost in, and how far. */
        VaryingArgument: {
            at: string[];
            by: components["schemas"]["Variation"];
        };
        /** @description A pending blocker of a task. */
        Waiting: {
            /** Format: date-time */
            created_at: string;
            dashboard_url: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["Kind"];
            mode: components["schemas"]["Mode"];
            /** @description Its first 500 characters. */
            prompt: string;
            title: string | null;
        };
        /** @description What is posted to a webhook in the format `standard`, or in the format `flat`. */
        WebhookBody: {
            data: components["schemas"]["WebhookInteraction"] | components["schemas"]["WebhookTask"];
            /** Format: date-time */
            timestamp: string;
            /**
             * @description What webhooks can hear of.
             * @enum {string}
             */
            type: "interaction.requested" | "interaction.resolved" | "interaction.expired" | "interaction.cancelled" | "notification.sent" | "task.failed";
        } | {
            /** Format: uuid */
            agent_id: string;
            /** Format: uuid */
            blocker_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            dashboard_url: string;
            question: string | null;
            task_id: string | null;
            /** @enum {string|null} */
            type: "SYNC" | "ASYNC" | null;
        };
        /** @description Of `interaction.*`, `notification.sent`, and of a `task.failed` that an interaction is to blame for: all fields of the interaction, and those of the format `flat`. */
        WebhookInteraction: components["schemas"]["Interaction"] & {
            /** Format: uuid */
            agent_id: string;
            /** Format: uuid */
            blocker_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            dashboard_url: string;
            question: string | null;
            /** @description Why its task failed. */
            reason?: string;
            task_id: string | null;
            /** @enum {string|null} */
            type: "SYNC" | "ASYNC" | null;
        };
        /** @description Of a `task.failed` that no interaction is to blame for. */
        WebhookTask: {
            /** Format: uuid */
            agent_id: string;
            /** Format: uuid */
            blocker_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            dashboard_url: string;
            question: string | null;
            reason: string | null;
            step: string | null;
            task_id: string | null;
            title: string | null;
            /** @enum {string|null} */
            type: "SYNC" | "ASYNC" | null;
        };
        /** @description Whom it is for: a person by their id and the name they had, who of the team is on duty, or all of the team. */
        Whom: {
            /** Format: uuid */
            id?: string;
            name?: string;
            /** @enum {string} */
            type: "person" | "duty" | "team";
        };
    };
    responses: {
        /** @description `agents_only` */
        agents_only: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "agents_only";
                };
            };
        };
        /** @description `already_closed`, `agent_not_offline`, `altered` */
        already_closed_or_agent_not_offline_or_altered: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "already_closed" | "agent_not_offline" | "altered";
                };
            };
        };
        /** @description `already_closed`, `altered` */
        already_closed_or_altered: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "already_closed" | "altered";
                };
            };
        };
        /** @description `already_closed`, `erased`, `already_approved`, `altered`, `attachment_missing`, `no_attachments` */
        already_closed_or_erased_or_already_approved_or_altered_or_attachment_missing_or_no_attachments: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "already_closed" | "erased" | "already_approved" | "altered" | "attachment_missing" | "no_attachments";
                };
            };
        };
        /** @description `altered` */
        altered: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "altered";
                };
            };
        };
        /** @description `altered`, `attachment_missing`, `no_attachments` */
        altered_or_attachment_missing_or_no_attachments: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "altered" | "attachment_missing" | "no_attachments";
                };
            };
        };
        /** @description `attachment_missing` */
        attachment_missing: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "attachment_missing";
                };
            };
        };
        /** @description `body_too_large` */
        body_too_large: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "body_too_large";
                };
            };
        };
        /** @description `body_too_slow` */
        body_too_slow: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "body_too_slow";
                };
            };
        };
        /** @description `busy` */
        busy: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "busy";
                };
            };
        };
        /** @description `endpoint_disabled`, `not_to_retry` */
        endpoint_disabled_or_not_to_retry: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "endpoint_disabled" | "not_to_retry";
                };
            };
        };
        /** @description `erased`, `already_closed`, `claimed`, `altered` */
        erased_or_already_closed_or_claimed_or_altered: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "erased" | "already_closed" | "claimed" | "altered";
                };
            };
        };
        /** @description `erased`, `not_approved` */
        erased_or_not_approved: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "erased" | "not_approved";
                };
            };
        };
        /** @description `erased`, `not_approved`, `already_consumed`, `restored` */
        erased_or_not_approved_or_already_consumed_or_restored: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "erased" | "not_approved" | "already_consumed" | "restored";
                };
            };
        };
        /** @description `erased`, `nothing_to_keep` */
        erased_or_nothing_to_keep: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "erased" | "nothing_to_keep";
                };
            };
        };
        /** @description `erased`, `still_pending` */
        erased_or_still_pending: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "erased" | "still_pending";
                };
            };
        };
        /** @description `idempotency_key_reused`, `invalid_request` */
        idempotency_key_reused_or_invalid_request: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "idempotency_key_reused" | "invalid_request";
                };
            };
        };
        /** @description `incomplete_body` */
        incomplete_body: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "incomplete_body";
                };
            };
        };
        /** @description `internal` */
        internal: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "internal";
                };
            };
        };
        /** @description `invalid_request` */
        invalid_request: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "invalid_request";
                };
            };
        };
        /** @description `no_attachments` */
        no_attachments: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "no_attachments";
                };
            };
        };
        /** @description `no_token`, `bad_token`, `token_expired` */
        no_token_or_bad_token_or_token_expired: {
            headers: {
                /** @description `Bearer`. */
                "WWW-Authenticate"?: string;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "no_token" | "bad_token" | "token_expired";
                };
            };
        };
        /** @description `not_found` */
        not_found: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "not_found";
                };
            };
        };
        /** @description `not_found`, `no_receipt` */
        not_found_or_no_receipt: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "not_found" | "no_receipt";
                };
            };
        };
        /** @description `quota_used_up`, `rate_limited` */
        quota_used_up_or_rate_limited: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "quota_used_up" | "rate_limited";
                };
            };
        };
        /** @description `quota_used_up`, `too_many_attachments`, `rate_limited` */
        quota_used_up_or_too_many_attachments_or_rate_limited: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "quota_used_up" | "too_many_attachments" | "rate_limited";
                };
            };
        };
        /** @description `rate_limited` */
        rate_limited: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "rate_limited";
                };
            };
        };
        /** @description `responders_only` */
        responders_only: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "responders_only";
                };
            };
        };
        /** @description `responders_only`, `not_a_person`, `owns_the_agent`, `agent_without_owner`, `not_counted` */
        responders_only_or_not_a_person_or_owns_the_agent_or_agent_without_owner_or_not_counted: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "responders_only" | "not_a_person" | "owns_the_agent" | "agent_without_owner" | "not_counted";
                };
            };
        };
        /** @description `responders_only`, `not_your_answer` */
        responders_only_or_not_your_answer: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "responders_only" | "not_your_answer";
                };
            };
        };
        /** @description `still_pending` */
        still_pending: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "still_pending";
                };
            };
        };
        /** @description `still_pending`, `erased`, `not_approved`, `already_reported` */
        still_pending_or_erased_or_not_approved_or_already_reported: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "still_pending" | "erased" | "not_approved" | "already_reported";
                };
            };
        };
        /** @description `too_many_held`, `rate_limited` */
        too_many_held_or_rate_limited: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "too_many_held" | "rate_limited";
                };
            };
        };
        /** @description `too_many_pending`, `too_much_in_task`, `quota_used_up`, `rate_limited` */
        too_many_pending_or_too_much_in_task_or_quota_used_up_or_rate_limited: {
            headers: {
                /** @description Seconds after which it makes sense to try again. */
                "Retry-After"?: number;
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "too_many_pending" | "too_much_in_task" | "quota_used_up" | "rate_limited";
                };
            };
        };
        /** @description `unreadable_json`, `incomplete_body` */
        unreadable_json_or_incomplete_body: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unreadable_json" | "incomplete_body";
                };
            };
        };
        /** @description `unsupported_media_type` */
        unsupported_media_type: {
            headers: {
                /** @description The id of the request in the log: the client's own, if it sent one. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    code: "unsupported_media_type";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    send_attachment: {
        parameters: {
            query: {
                /** @description The name of the file, without a path. */
                name: components["schemas"]["FileName"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The file, 5 MB at most. */
        requestBody: {
            content: {
                "image/jpeg": components["schemas"]["FileBytes"];
                "image/png": components["schemas"]["FileBytes"];
                "image/webp": components["schemas"]["FileBytes"];
                "text/plain": components["schemas"]["FileBytes"];
                "text/x-diff": components["schemas"]["FileBytes"];
            };
        };
        responses: {
            /** @description It is kept. */
            201: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentAttachment"];
                };
            };
            400: components["responses"]["incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["no_attachments"];
            413: components["responses"]["body_too_large"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["quota_used_up_or_too_many_attachments_or_rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_callback_secret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret of the token that came with the request. */
            200: {
                headers: {
                    /** @description `no-store`. */
                    "Cache-Control"?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                state?: components["schemas"]["DeliveryState"];
                /** @description The id of a webhook, or of where an agent is called back. */
                destination?: components["schemas"]["Id"];
                /** @description 50 if absent. */
                limit?: components["schemas"]["PageSize"];
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    /** @description `rel="next"`: the address of the next page. */
                    Link?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    retry_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is due now. */
            202: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["endpoint_disabled_or_not_to_retry"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description The `seq` of the last event seen; 0 if absent. */
                after?: components["schemas"]["Seq"];
                /** @description 100 if absent. */
                limit?: components["schemas"]["EventPageSize"];
            };
            header?: {
                /** @description `wait=N`: an empty page is held until there is something to see, for up to N seconds, 60 at most. */
                Prefer?: string;
                /** @description Of a stream: the last event seen; comes before `after`. */
                "Last-Event-ID"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of 1 MB at most, or of one event: `last_seq` is the `after` of the next; with `Accept: text/event-stream` a stream of them, each with its `seq` as `id`, its `type` as `event`, and itself as `data`. */
            200: {
                headers: {
                    /** @description `wait=N`, as it was understood. */
                    "Preference-Applied"?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/event-stream": components["schemas"]["EventStream"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["too_many_held_or_rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_grants: {
        parameters: {
            query?: {
                /** @description `true`: those too that ended more than seven days ago. */
                all?: boolean;
                /** @description 50 if absent. */
                limit?: components["schemas"]["PageSize"];
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    /** @description `rel="next"`: the address of the next page. */
                    Link?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    make_grant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantDraft"];
            };
        };
        responses: {
            /** @description The grant. */
            201: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_not_approved"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    preview_grant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantDraft"];
            };
        };
        responses: {
            /** @description What it would have approved. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantOffer"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_not_approved"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The grant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    revoke_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The grant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_hooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    create_hook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookDraft"];
            };
        };
        responses: {
            /** @description The webhook, with its secret, which is shown once. */
            201: {
                headers: {
                    /** @description What to delete to unsubscribe. */
                    Location?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hook"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            408: components["responses"]["body_too_slow"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    sample_hook: {
        parameters: {
            query?: {
                /** @description With commas between them; absent = all. */
                events?: components["schemas"]["Topic"][];
                format?: components["schemas"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One body for each event. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookBody"][];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    delete_hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing is sent there any more. */
            204: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_insights: {
        parameters: {
            query?: {
                /** @description The last day on which it was asked, in UTC. Today if absent. */
                to?: components["schemas"]["CalendarDay"];
                /** @description How many days, with that one. 30 if absent. */
                days?: components["schemas"]["InsightDays"];
                kind?: components["schemas"]["BlockerKind"];
                /** @description The name of an agent. */
                agent?: components["schemas"]["Line"];
                /** @description The id or the name of a team; `everyone`: what no team was asked. */
                team?: components["schemas"]["Line"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insights"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_insights_table: {
        parameters: {
            query?: {
                /** @description The last day on which it was asked, in UTC. Today if absent. */
                to?: components["schemas"]["CalendarDay"];
                /** @description How many days, with that one. 30 if absent. */
                days?: components["schemas"]["InsightDays"];
                kind?: components["schemas"]["BlockerKind"];
                /** @description The name of an agent. */
                agent?: components["schemas"]["Line"];
                /** @description The id or the name of a team; `everyone`: what no team was asked. */
                team?: components["schemas"]["Line"];
            };
            header?: never;
            path: {
                /** @description Which. */
                table: "days.csv" | "kinds.csv" | "agents.csv" | "teams.csv" | "people.csv" | "hours.csv" | "asked_most.csv";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The table. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_interactions: {
        parameters: {
            query?: {
                state?: components["schemas"]["State"];
                kind?: components["schemas"]["Kind"];
                mode?: components["schemas"]["Mode"];
                /** @description The name of an agent. */
                agent?: components["schemas"]["Line"];
                session_id?: components["schemas"]["Line"];
                task_id?: components["schemas"]["Line"];
                /** @description Words by their beginnings, all of them in one text: a question, its answer or a follow-up. */
                q?: components["schemas"]["Line"];
                /** @description 50 if absent. */
                limit?: components["schemas"]["PageSize"];
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    /** @description `rel="next"`: the address of the next page. */
                    Link?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    ask: {
        parameters: {
            query?: never;
            header?: {
                /** @description The agent's own name of this request: sending the same again under it asks nothing new. */
                "Idempotency-Key"?: string;
                /** @description The place in the agent's trace at which it asks (W3C Trace Context). One that is not as that says is ignored. */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ask"];
            };
        };
        responses: {
            /** @description The interaction, new or as it is by now. */
            201: {
                headers: {
                    /** @description `true` when it was there already, under the same key. */
                    "Idempotent-Replayed"?: string;
                    /** @description Where to look for the answer. */
                    Location?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["altered_or_attachment_missing_or_no_attachments"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["idempotency_key_reused_or_invalid_request"];
            429: components["responses"]["too_many_pending_or_too_much_in_task_or_quota_used_up_or_rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    cancel_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelSessionDraft"];
            };
        };
        responses: {
            /** @description What was taken back. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            408: components["responses"]["body_too_slow"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_interaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N`: the answer is held until the interaction is closed, for up to N seconds, 60 at most. */
                Prefer?: string;
                /** @description The last `ETag`: 304 if nothing has changed. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description Names this version. */
                    ETag?: string;
                    /** @description `wait=N`, as it was understood. */
                    "Preference-Applied"?: string;
                    /** @description While it is pending: when to ask again, in seconds. */
                    "Retry-After"?: number;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            /** @description Nothing has changed. */
            304: {
                headers: {
                    /** @description Names this version. */
                    ETag?: string;
                    /** @description `wait=N`, as it was understood. */
                    "Preference-Applied"?: string;
                    /** @description While it is pending: when to ask again, in seconds. */
                    "Retry-After"?: number;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            409: components["responses"]["altered"];
            429: components["responses"]["too_many_held_or_rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answering"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only_or_not_a_person_or_owns_the_agent_or_agent_without_owner_or_not_counted"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["already_closed_or_erased_or_already_approved_or_altered_or_attachment_missing_or_no_attachments"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_answer_attachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
                /** @description Which of the files of its answer. */
                place: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, byte for byte that of which `sha256` tells. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["FileBytes"];
                    "image/jpeg": components["schemas"]["FileBytes"];
                    "text/plain": components["schemas"]["FileBytes"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            409: components["responses"]["attachment_missing"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_attachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
                /** @description Which of its files. */
                place: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, byte for byte that of which `sha256` tells. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["FileBytes"];
                    "image/jpeg": components["schemas"]["FileBytes"];
                    "text/plain": components["schemas"]["FileBytes"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            409: components["responses"]["attachment_missing"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelDraft"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["already_closed_or_altered"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    claim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimDraft"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_already_closed_or_claimed_or_altered"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["erased_or_already_closed_or_claimed_or_altered"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    collect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["still_pending"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    consume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsumeDraft"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_not_approved_or_already_consumed_or_restored"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    dismiss: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            409: components["responses"]["already_closed_or_agent_not_offline_or_altered"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    follow_up: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FollowUpDraft"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_still_pending"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_grant_offers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each with what it would have approved in the last 30 days. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantOffer"][];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_receipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found_or_no_receipt"];
            409: components["responses"]["still_pending"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The interaction. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reporting"];
            };
        };
        responses: {
            /** @description The interaction. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interaction"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["still_pending_or_erased_or_not_approved_or_already_reported"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            429: components["responses"]["rate_limited"];
            503: components["responses"]["busy"];
        };
    };
    get_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ladder. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ladder"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_memories: {
        parameters: {
            query?: {
                /** @description `true`: those too that ended more than seven days ago. */
                all?: boolean;
                /** @description 50 if absent. */
                limit?: components["schemas"]["PageSize"];
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    /** @description `rel="next"`: the address of the next page. */
                    Link?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    keep_answer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryDraft"];
            };
        };
        responses: {
            /** @description The answer that stands. */
            201: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only_or_not_your_answer"];
            404: components["responses"]["not_found"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["erased_or_nothing_to_keep"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_memory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The answer that stands. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer that stands. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    revoke_memory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The answer that stands. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer that stood. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnyObject"];
                };
            };
            503: components["responses"]["busy"];
        };
    };
    get_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policies. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policies"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    add_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            /** @description All policies that are in force now. */
            201: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policies"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            408: components["responses"]["body_too_slow"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    check_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            /** @description Nothing is wrong with them. */
            204: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["responders_only"];
            408: components["responses"]["body_too_slow"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndSessionDraft"];
            };
        };
        responses: {
            /** @description What was taken back. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            408: components["responses"]["body_too_slow"];
            409: components["responses"]["altered"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    list_tasks: {
        parameters: {
            query?: {
                /** @description The name of an agent. */
                agent?: string;
                status?: components["schemas"]["TaskStatus"];
                /** @description 50 if absent. */
                limit?: components["schemas"]["PageSize"];
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    /** @description `rel="next"`: the address of the next page. */
                    Link?: string;
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPage"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_task: {
        parameters: {
            query?: {
                /** @description The name of the agent; a responder token has to say it. */
                agent?: string;
            };
            header?: never;
            path: {
                /** @description The agent's own id for it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    put_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's own id for it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskDraft"];
            };
        };
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            400: components["responses"]["unreadable_json_or_incomplete_body"];
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            403: components["responses"]["agents_only"];
            408: components["responses"]["body_too_slow"];
            413: components["responses"]["body_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["quota_used_up_or_rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_duty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team, by its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Who is on duty. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Duty"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_duty_calendar: {
        parameters: {
            query?: {
                /**
                 * @description The secret of an address that `handraise team duty calendar` made for one person. It opens this calendar alone, and
                 *     ends with their place in the team. Without it a token is needed.
                 */
                key?: string;
            };
            header?: never;
            path: {
                /** @description The team, by its id or its name; with a key by its id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calendar. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            422: components["responses"]["invalid_request"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_team_ladder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The team, by its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ladder. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ladder"];
                };
            };
            401: components["responses"]["no_token_or_bad_token_or_token_expired"];
            404: components["responses"]["not_found"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_liveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description `ok`. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            503: components["responses"]["busy"];
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenMetrics text. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text; version=1.0.0; charset=utf-8": string;
                };
            };
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["busy"];
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description It cannot. */
            503: {
                headers: {
                    /** @description The id of the request in the log: the client's own, if it sent one. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
}
