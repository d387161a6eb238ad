// The plain client: a question, a choice, and a function that runs once a person has approved the call.
import { Denied, Handraise, guarded } from "handraise";

const people = new Handraise();
const name = await people.ask("What shall the new service be called?");
const where = await people.choose(`Where does \`${name}\` go first?`, ["staging", "production"]);

const deploy = guarded(async ({ service, to }) => `deployed ${service} to ${to}`, {
  tool: "deploy",
  prompt: "May this be deployed?",
  client: people,
});
try {
  console.log(await deploy({ service: name, to: where }));
} catch (error) {
  if (!(error instanceof Denied)) throw error;
  console.log(error.message);
}
