/** The API's own types, made of `docs/openapi.json` (`npm run api`), and whether `models` has all that they have. */

import type { components } from "./api.js";
import type * as models from "./models.js";

export type Wire = components["schemas"];

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail> & string>}` : Name;

/** The members of a type of the API that its model lacks; `never` where it has them all. */
type Missing<Name extends keyof Wire, Model, Left extends string = never> = Exclude<
  Camel<keyof Wire[Name]>,
  keyof Model | Left
>;

type Nothing<Found extends never> = Found;

/** Does not compile when the API says something that a model has no place for. */
export type EverythingIsRead = Nothing<
  | Missing<"Interaction", models.Interaction>
  | Missing<"Answer", models.Answer>
  | Missing<"Action", models.Action>
  | Missing<"Addressee", models.Addressee>
  | Missing<"Amended", models.Amended>
  | Missing<"Approver", models.Approver>
  | Missing<"Attachment", models.Attachment>
  | Missing<"Claim", models.Claim>
  // The signature is for `consumption`.
  | Missing<"Consumed", models.Consumed, "publicKey" | "signature">
  | Missing<"Erased", models.Erased>
  | Missing<"FollowUp", models.FollowUp>
  | Missing<"InteractionPage", models.Page>
  | Missing<"PlanComment", models.PlanComment>
  // In `document`; the policy is its rule here; a remembered answer is no decision.
  | Missing<"Receipt", models.Receipt, "version" | "signature" | "policy" | "remembered">
  | Missing<"Remembered", models.Remembered>
  | Missing<"Report", models.Report>
>;
