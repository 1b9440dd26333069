// The quickstart for the real AI SDK. Under each decision, it prints what was proposed, ran and was told; with a trial of
// the conformance kit, it prints each call that runs, is told on stdin what that returned, and prints what was told; with
// a number of turns, it prints what was sent of a conversation that grows by two pages with each.
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { pathToFileURL } from "node:url";
import { jsonSchema, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const client = pathToFileURL(`${process.argv[2]}/`);
const { FakeGuard, KEY, decided } = await import(new URL("test/fake.js", client));

const INPUT = { to: process.argv[5] ? "daniel@example.org" : "Daniel", amount: 30 };
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

/** A model that pays, and notes what it was told. */
function payingModel(told) {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const result = prompt.at(-1).role === "tool" ? prompt.at(-1).content[0].output : undefined;
      if (result) told.push(JSON.stringify(result));
      const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: JSON.stringify(INPUT) };
      const content = [result ? { type: "text", text: "Done." } : call];
      const finishReason = { unified: result ? "stop" : "tool-calls", raw: undefined };
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
  });
}

/** Run the quickstart as its reader has it, towards a guard at this address, beside the reader's own module. */
async function runQuickstart(name, url, own, key = KEY, options = "{}", around = "guard, tools") {
  globalThis.own = own;
  await writeFile(`own_${name}.js`, "export const { model, tools } = globalThis.own;");
  const source = await readFile(process.argv[4], "utf8");
  const filled = source.replace("https://guard.example", url).replace('"pgr_YOUR_KEY"', `"${key}", ${options}`);
  const placed = filled.replace("guard, tools", around).replace("./my_agent.js", `./own_${name}.js`).replace('"provenanceguard"', `"${client}src/index.js"`);
  await writeFile(`${name}.mjs`, placed);
  await import(pathToFileURL(resolve(`${name}.mjs`)));
}

async function payUnder(name, [state, call], inputSchema) {
  const fake = await FakeGuard.start(state, call);
  const [ran, told] = [[], []];
  const execute = async (input) => {
    ran.push(input);
    return `paid ${input.amount}`;
  };
  const tools = { pay: tool({ description: "Pays.", inputSchema, execute }) };
  await runQuickstart(name, fake.url, { model: payingModel(told), tools });
  await fake.stop();
  return { bodies: fake.bodiesOf("POST "), ran, told: told.join(), reports: fake.bodiesOf("PUT /execution/outcome") };
}

async function payUnderEachDecision(inputSchema) {
  const results = {};
  for (const [name, decision] of Object.entries(DECISIONS)) results[name] = await payUnder(name, decision, inputSchema);
  return results;
}

async function payInTrial({ url, key, timeout }) {
  const input = createInterface({ input: process.stdin });
  const told = [];
  const execute = async (called) => {
    console.log(JSON.stringify({ called }));
    return (await input[Symbol.asyncIterator]().next()).value;
  };
  const tools = { pay: tool({ description: "Pays.", inputSchema: SCHEMAS.zod, execute }) };
  await runQuickstart("trial", url, { model: payingModel(told), tools }, key, JSON.stringify({ timeout }));
  input.close();
  return { told: told.join() };
}

const PAGE = "An invoice of March, due by the end of April, with what was agreed in the last letter. ".repeat(40);

async function payInTurns({ url, key, turns }) {
  const bodies = [];
  const usual = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    if (String(address).endsWith("/actions")) bodies.push(options.body);
    return usual(address, options);
  };
  let turn = 0;
  const calls = () =>
    ["a", "b"].map((name) => {
      const input = JSON.stringify({ ...INPUT, amount: turn, to: name });
      return { type: "tool-call", toolCallId: `${turn}${name}`, toolName: "pay", input };
    });
  const model = new MockLanguageModelV3({
    doGenerate: async () => {
      const content = ++turn > turns ? [{ type: "text", text: "Done." }] : calls();
      const finishReason = { unified: turn > turns ? "stop" : "tool-calls", raw: undefined };
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
  });
  const tools = { pay: tool({ description: "Pays.", inputSchema: SCHEMAS.zod, execute: async ({ to }) => `${turn}${to} ${PAGE}` }) };
  const around = 'guard, tools, { metadata: { test_decision: "approve" } }';
  await runQuickstart("turns", url, { model, tools }, key, "{}", around);
  return bodies;
}

const [schema, , trial] = process.argv.slice(3);
const told = trial && JSON.parse(trial);
const run = told?.turns ? payInTurns : payInTrial;
console.log(JSON.stringify(told ? await run(told) : await payUnderEachDecision(SCHEMAS[schema])));
