// What `smoke.mjs` has each of them run: a question, a guarded call, and one that is denied.
import { Denied, Handraise, guarded } from "../dist/index.js";

console.log(await new Handraise().ask("Which port?"));
const pay = guarded(({ to, amount }) => `paid ${amount} to ${to}`, { tool: "bank.pay" });
console.log(await pay({ to: "Ana", amount: 12.5 }));
try {
  await pay({ to: "Eve", amount: 1 });
} catch (error) {
  if (!(error instanceof Denied)) throw error;
  console.log(error.message);
}
