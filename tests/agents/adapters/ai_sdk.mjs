// An agent of the real AI SDK with guarded tools, under each decision; prints what was proposed, ran and was told.
import { pathToFileURL } from "node:url";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const client = pathToFileURL(`${process.argv[2]}/`);
const { Guard, guardTools } = await import(new URL("src/index.js", client));
const { FakeGuard, decided } = await import(new URL("test/fake.js", client));

const INPUT = { to: "Daniel", amount: 30 };
const DECISIONS = {
  approve: [decided("approve")],
  edit: [decided("edit"), { arguments: { ...INPUT, amount: 3 } }],
  reject: [decided("reject", { model_message: "Too much." })],
};
const SCHEMAS = {
  zod: z.object({ to: z.string(), amount: z.number() }),
  json: jsonSchema({ type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } }),
};
const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that pays, and then says what it was told. */
function payingModel() {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const result = prompt.at(-1).role === "tool" ? prompt.at(-1).content[0].output : undefined;
      const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: JSON.stringify(INPUT) };
      const content = [result ? { type: "text", text: JSON.stringify(result) } : call];
      const finishReason = { unified: result ? "stop" : "tool-calls", raw: undefined };
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
  });
}

async function payUnder(state, call, inputSchema) {
  const fake = await FakeGuard.start(state, call);
  const ran = [];
  const execute = async (input) => {
    ran.push(input);
    return `paid ${input.amount}`;
  };
  const tools = guardTools(new Guard(fake.url, "key"), { pay: tool({ description: "Pays.", inputSchema, execute }) });
  const options = { model: payingModel(), tools, system: "Be kind.", prompt: "Pay Daniel 30.", stopWhen: stepCountIs(3) };
  const { text } = await generateText(options);
  await fake.stop();
  return { bodies: fake.bodiesOf("POST "), ran, told: text, reports: fake.bodiesOf("PUT /execution/outcome") };
}

const results = {};
for (const [name, [state, call]] of Object.entries(DECISIONS)) {
  results[name] = await payUnder(state, call, SCHEMAS[process.argv[3]]);
}
console.log(JSON.stringify(results));
