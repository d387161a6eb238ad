/**
 * Handraise: an agent asks, a person answers, and the agent gets that answer once.
 *
 * `Handraise` asks, `guarded` guards a function.
 */

export { actionDigest, canonicalJson } from "./canonical.js";
export { type ApproveOptions, Handraise, type Settings } from "./client.js";
export {
  AlreadyUsed, ArgumentsChanged, Cancelled, Denied, Expired, type Fault, HandraiseError, KeyChanged, NotJson,
  NotVerified, OperandChanged, Refused, Unauthorized, Unreachable,
} from "./errors.js";
export { type GuardOptions, guarded } from "./guard.js";
export { type Log, setLog } from "./log.js";
export type {
  Action, Addressee, AgentRef, Amended, Answer, Approver, Attachment, Claim, Consumed, Erased, FollowUp, FormAnswer,
  Interaction, Json, JsonObject, Operand, Option, Page, PlanComment, Question, Receipt, Remembered, Report, Responder,
  Task,
} from "./models.js";
export { approvedInWords, askedNobody, isPending } from "./models.js";
export { hashFile } from "./operands.js";
export type { About, AnyOption, Fields, Options } from "./options.js";
export type { Filter } from "./steps.js";
export { Decision, type PlanReview } from "./verdicts.js";
export { VERSION } from "./version.js";
