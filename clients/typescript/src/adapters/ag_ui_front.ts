/** Questions in Handraise as interrupts that an AG-UI front end shows, and its `resume` as answers to them. */

import { planDigest } from "../canonical.js";
import { HandraiseError } from "../errors.js";
import { type Interaction, type JsonObject, isPending } from "../models.js";
import type { AnyOption } from "../options.js";
import { PROCEEDS } from "../verdicts.js";
import { type Interrupt, type ResumeEntry, type RunFinished, proofOf } from "./ag_ui_shapes.js";
import { isObject } from "./flat_schema.js";

/** The end of a run that waits for these. `calls` says of which tool call each is, by the interaction's id. */
export function interrupted(
  run: { readonly threadId: string; readonly runId: string },
  interactions: readonly Interaction[],
  calls: Readonly<Record<string, string>> = {},
): RunFinished {
  const interrupts = interactions.filter(isPending).map((one) => interruptOf(one, calls[one.id]));
  if (interrupts.length === 0) throw new TypeError("none of these waits, so the run is not interrupted");
  return { type: "RUN_FINISHED", threadId: run.threadId, runId: run.runId, outcome: { type: "interrupt", interrupts } };
}

/** An interaction as a front end shows it. `metadata.handraise` has the action or plan, its digest and the page. */
export function interruptOf(interaction: Interaction, toolCallId?: string): Interrupt {
  const { id, kind, prompt, dashboardUrl, expiresAt, title, action, actionDigest, plan } = interaction;
  const shown = action === null ? null : { tool: action.tool, arguments: action.arguments };
  const isYesOrNo = kind === "approval" || kind === "acknowledgement";
  return {
    id,
    reason: toolCallId !== undefined ? "tool_call" : isYesOrNo ? "confirmation" : "input_required",
    message: prompt,
    responseSchema: schemaOf(interaction),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
    metadata: proofOf({ interactionId: id, kind, title, dashboardUrl, action: shown, actionDigest, plan }),
  };
}

/**
 * What to send to `POST /api/v1/interactions/{id}/answer` with the responder's token of whoever used the front end: an
 * agent's own token answers nothing. It holds for what was shown, by its digest.
 *
 * Throws `HandraiseError` with the place of what does not fit. `cancelled` is no answer: the question goes on waiting,
 * or its agent cancels it.
 */
export function answerOf(interaction: Interaction, entry: ResumeEntry): JsonObject {
  if (entry.interruptId !== interaction.id) throw wrong("interruptId", `is not ${interaction.id}`);
  if (entry.status !== "resolved") throw wrong("status", "is `cancelled`, which answers nothing");
  const { payload } = entry;
  switch (interaction.kind) {
    case "question":
      if (typeof payload !== "string") throw wrong("payload", "must be a text");
      return { text: payload };
    case "choice":
      return { selected: selectedIn(interaction, payload) };
    case "acknowledgement":
      if (payload !== true) throw wrong("payload", "must be true");
      return {};
    case "approval":
      return approvalIn(interaction, payload);
    case "plan_review":
      if (!isObject(payload)) throw wrong("payload", "must be an object");
      return { ...payload, digest: planDigest(interaction.plan ?? "") };
    case "form":
      if (!isObject(payload)) throw wrong("payload", "must be an object");
      return { answers: payload };
    default:
      throw new TypeError(`a ${interaction.kind} waits for no answer`);
  }
}

function approvalIn(interaction: Interaction, payload: unknown): JsonObject {
  if (!isObject(payload)) throw wrong("payload", "must be an object");
  const { approved, reason, editedArgs, ...others } = payload;
  if (typeof approved !== "boolean") throw wrong("payload.approved", "must be true or false");
  if (reason !== undefined && typeof reason !== "string") throw wrong("payload.reason", "must be a text");
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(`payload.${other}`, "is not known here");
  const isChanged = editedArgs !== undefined;
  if (isChanged && !isObject(editedArgs)) throw wrong("payload.editedArgs", "must be an object");
  if (isChanged && !interaction.amendable) throw wrong("payload.editedArgs", "may not be changed");
  return {
    approved,
    digest: interaction.actionDigest ?? "",
    ...(reason === undefined ? {} : { text: reason }),
    ...(isChanged && approved ? { arguments: editedArgs } : {}),
  };
}

function selectedIn({ multiple, options }: Interaction, payload: unknown): string[] {
  const given: unknown[] = multiple && Array.isArray(payload) ? payload : [payload];
  const known = (options ?? []).map((one) => one.value);
  const selected = given.filter((one): one is string => typeof one === "string" && known.includes(one));
  if (selected.length !== given.length) throw wrong("payload", `must be of: ${known.join(", ")}`);
  return selected;
}

function schemaOf(interaction: Interaction): Record<string, unknown> {
  const { kind, options, multiple, amendable, questions } = interaction;
  switch (kind) {
    case "question":
      return { type: "string" };
    case "choice":
      return oneOf(options ?? [], multiple ?? false);
    case "acknowledgement":
      return { type: "boolean", const: true };
    case "approval": {
      const allowed = isObject(amendable) ? amendable["schema"] : undefined;
      const edited = isObject(allowed) ? allowed : { type: "object" };
      const properties = { approved: { type: "boolean" }, reason: { type: "string" }, ...(amendable ? { editedArgs: edited } : {}) };
      return { type: "object", properties, required: ["approved"], additionalProperties: false };
    }
    case "plan_review": {
      const decision = { type: "string", enum: [...PROCEEDS.keys(), "adjust"] };
      const properties = { decision, feedback: { type: "string" } };
      return { type: "object", properties, required: ["decision"], additionalProperties: false };
    }
    case "form": {
      const asked = questions ?? [];
      const members = asked.map(({ id, prompt, options: from, multiple: several }) => {
        const answer = from?.length ? oneOf(from, several ?? false) : { type: "string" };
        return [id, { ...answer, description: prompt }];
      });
      return { type: "object", properties: Object.fromEntries(members), required: asked.map(({ id }) => id), additionalProperties: false };
    }
    default:
      throw new TypeError(`a ${kind} waits for no answer`);
  }
}

function oneOf(options: readonly AnyOption[], multiple: boolean): Record<string, unknown> {
  const values = options.map((one) => (typeof one === "string" ? one : one.value));
  const one = { type: "string", enum: values };
  return multiple ? { type: "array", items: one, uniqueItems: true } : one;
}

function wrong(place: string, why: string): HandraiseError {
  return new HandraiseError(`${place} of this entry ${why}`);
}
