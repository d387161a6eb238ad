import { Agent, RunContext, RunState, run, setTracingDisabled, tool } from "@openai/agents";
import { ScriptedModel, functionCall, modelResponder } from "@openai/agents/testing";
import { approved, forms, settle } from "handraise/openai-agents";

import { CALLS, PARAMETERS, SECRET, find, isDurable, keep, options, pay, tell } from "./script.js";

setTracingDisabled(true);

const respond = modelResponder(({ request }) => {
  const items = Array.isArray(request.input) ? request.input : [];
  const results = items.filter((one) => one.type === "function_call_result");
  if (results.length > 0) tell(Object.fromEntries(results.map((one) => [one.callId, JSON.stringify(one.output)])));
  return CALLS.map(({ id, tool, args }) => functionCall(tool, args, { callId: id }));
});

const own = tool({
  name: "pay",
  description: "Pays",
  parameters: PARAMETERS,
  execute: (input, context) => pay(input, context?.context.password),
});
if (isDurable && options.amendable === true) options.amendable = forms([own]);
const agent = new Agent({ name: "payer", model: new ScriptedModel([respond, respond]), tools: approved([own], options) });
const context = { password: SECRET };

if (isDurable) {
  const found = find();
  let state;
  if (found === null) {
    ({ state } = await run(agent, "Pay them", { context }));
    // The state would hold the secret: it is given anew when the run goes on.
    keep(state.toString().replaceAll(SECRET, ""));
  } else {
    state = await RunState.fromStringWithContext(agent, found, new RunContext(context), { contextStrategy: "replace" });
  }
  await run(agent, await settle(state, options));
} else {
  await run(agent, "Pay them", { context });
}
