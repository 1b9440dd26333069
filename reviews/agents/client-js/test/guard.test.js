import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import {
  ChangedToolError,
  Guard,
  MalformedAnswerError,
  NotDecidedError,
  ProblemError,
  RejectedError,
  RespondedError,
  UnreachableError,
  guardTools,
} from "../src/index.js";
import { FakeGuard, KEY, decided, send } from "./fake.js";

const INPUT = { to: "Daniel", amount: 30 };
const MESSAGES = [{ role: "user", content: "Pay Daniel 30." }];
const SCHEMA = { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } };
const WAITING = { status: "pending" };

let fake;
let ran;
afterEach(() => fake?.stop());

/** A tool as the SDK makes it, which remembers what it ran with. */
function pay(execute = async (input) => `paid ${input.amount}`) {
  ran = [];
  return {
    description: "Pays.",
    inputSchema: { jsonSchema: SCHEMA },
    execute: (input, options) => {
      ran.push(input);
      return execute(input, options);
    },
  };
}

/** What a call of the guarded tool gives, under a guard in this state. */
async function callUnder(state, { call, options = {}, tool = pay(), input = INPUT, first = {}, ...guard } = {}) {
  fake = await FakeGuard.start(state, call);
  fake.first = first;
  const tools = guardTools(new Guard(fake.url, KEY, { timeout: 10_000, patience: 400, ...guard }), { pay: tool }, options);
  return tools.pay.execute(input, { toolCallId: "c1", messages: MESSAGES, abortSignal: options.abortSignal });
}

async function eventually(isSo) {
  for (let tries = 0; tries < 100 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(isSo());
}

const silent = () => {};
const notRun = () => assert.deepEqual(ran, []);

test("an approved call runs as proposed and is reported", async () => {
  assert.equal(await callUnder(decided("approve"), { options: { system: "Be kind.", traceId: "t" } }), "paid 30");
  assert.deepEqual(ran, [INPUT]);
  assert.deepEqual(fake.bodiesOf("POST ")[0], {
    messages: MESSAGES,
    tools: { pay: { description: "Pays.", inputSchema: SCHEMA } },
    toolCall: { type: "tool-call", toolCallId: "c1", toolName: "pay", input: INPUT },
    system: "Be kind.",
    trace_id: "t",
  });
  assert.deepEqual(fake.steps, ["POST ", "POST /execution", "PUT /execution/outcome"]);
  assert.deepEqual(fake.bodiesOf("PUT /execution/outcome"), [{ status: "succeeded", outcome: "paid 30" }]);
});

test("an edited call runs as edited", async () => {
  assert.equal(await callUnder(decided("edit"), { call: { arguments: { ...INPUT, amount: 3 } } }), "paid 3");
});

test("a call that waits runs once it is approved", async () => {
  const approving = (response) => {
    fake.state = decided("approve");
    send(response, 200, { id: "0190a1b2-0000-7000-8000-000000000000", status: "pending", decision: null });
  };
  assert.equal(await callUnder({ status: "checking" }, { first: { "GET ": [approving] } }), "paid 30");
});

test("what is no approval runs nothing and tells why", async (t) => {
  const cases = [
    [decided("reject", { model_message: "Too much." }), RejectedError, /^Too much\.$/],
    [decided("respond", { model_message: "Ask me." }), RespondedError, /^Ask me\.$/],
    [{ status: "expired" }, NotDecidedError, /expired/],
    [{ status: "superseded" }, NotDecidedError, /not a rejection/],
    [decided("approve "), MalformedAnswerError, /outcome/],
    [{ status: "decided", decision: null }, MalformedAnswerError, /no action/],
    [{ status: "approved" }, MalformedAnswerError, /no action/],
    [{ ...decided("approve"), id: 7 }, MalformedAnswerError, /no action/],
  ];
  for (const [state, kind, message] of cases) {
    await t.test(JSON.stringify(state), async () => {
      await assert.rejects(callUnder(state), (error) => error instanceof kind && message.test(error.message));
      notRun();
      assert.ok(!fake.steps.includes("POST /execution"));
    });
  }
});

test("a permission for another tool or without a call runs nothing", async (t) => {
  const cases = [[{ tool: "refund" }, ChangedToolError], [{ arguments: [1] }, MalformedAnswerError], [{ tool: 7 }, MalformedAnswerError]];
  for (const [call, kind] of cases) {
    await t.test(JSON.stringify(call), async () => {
      await assert.rejects(callUnder(decided("approve"), { call }), kind);
      notRun();
      const [report] = fake.bodiesOf("PUT /execution/outcome");
      assert.equal(report.status, "failed");
      assert.match(report.outcome, /^The call was not run/);
    });
  }
});

test("no permission is taken for a tool that is not at hand", async (t) => {
  for (const tool of ["refund", undefined]) {
    await t.test(String(tool), async () => {
      await assert.rejects(callUnder(decided("edit", { tool }), { call: { tool } }), ChangedToolError);
      notRun();
      assert.ok(!fake.steps.includes("POST /execution"));
    });
  }
});

test("a permission that is given to who has given up is given back", async () => {
  const abort = new AbortController();
  const aborting = (response) => {
    abort.abort();
    const execution = { action_id: "0190a1b2-0000-7000-8000-000000000000", tool: "pay", arguments: INPUT };
    setTimeout(() => send(response, 201, execution), 20);
  };
  const first = { "POST /execution": [aborting] };
  const options = { abortSignal: abort.signal };
  await assert.rejects(callUnder(decided("approve"), { first, options }), { name: "AbortError" });
  await eventually(() => fake.steps.includes("PUT /execution/outcome"));
  assert.equal(fake.bodiesOf("PUT /execution/outcome")[0].status, "failed");
  notRun();
});

test("a permission that is refused at the last moment runs nothing", async () => {
  const first = { "POST /execution": [(response) => send(response, 409, { title: "Over", detail: "Too late." })] };
  await assert.rejects(callUnder(decided("approve"), { first }), /Too late/);
  notRun();
});

test("answers that nobody can believe run nothing", async (t) => {
  const answers = {
    html: (response) => send(response, 200, "<html>"),
    redirect: (response) => send(response, 302, "", { Location: `${fake.url}/elsewhere` }),
    bug: (response) => send(response, 500, `no ${KEY}`),
    refusal: (response) => send(response, 422, { detail: KEY, errors: [{ pointer: "/tools", detail: "Missing." }] }),
    endless: (response) => response.writeHead(200) && response.write("x".repeat(17 * 1024 * 1024)),
  };
  for (const [name, answer] of Object.entries(answers)) {
    await t.test(name, async () => {
      const trouble = (error) => error instanceof ProblemError || error instanceof MalformedAnswerError;
      await assert.rejects(callUnder(decided("approve"), { first: { "POST ": [answer] } }), (error) => {
        assert.ok(!error.message.includes(KEY), error.message);
        return trouble(error);
      });
      notRun();
      assert.equal(fake.requests.length, 1);
    });
  }
});

test("passing trouble is tried again under the same name", async () => {
  const busy = (response) => send(response, 503, "");
  const cut = (response) => response.destroy();
  const first = { "POST ": [busy, cut] };
  // The pauses between three tries take half a second at most, on a machine that has nothing else to do.
  assert.equal(await callUnder(decided("approve"), { first, patience: 10_000, timeout: 20_000 }), "paid 30");
  const names = fake.requests.filter(({ path }) => path === "").map(({ headers }) => headers["idempotency-key"]);
  assert.equal(new Set(names.filter(Boolean)).size, 1);
});

test("a guard that is away, silent or trickles is given up in time", async (t) => {
  const trickle = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  };
  for (const answer of [silent, trickle, (response) => response.destroy()]) {
    await t.test(answer.name || "cut", async () => {
      const started = performance.now();
      const first = { "POST ": Array(50).fill(answer) };
      await assert.rejects(callUnder(WAITING, { first, timeout: 300 }), UnreachableError);
      assert.ok(performance.now() - started < 1_200);
      notRun();
    });
  }
  await t.test("nobody listens", async () => {
    await fake.stop();
    const away = guardTools(new Guard(fake.url, KEY, { patience: 100 }), { pay: pay() });
    fake = undefined;
    await assert.rejects(away.pay.execute(INPUT, { messages: [] }), UnreachableError);
    notRun();
  });
});

test("a call that nobody decides in time is withdrawn", async () => {
  await assert.rejects(callUnder(WAITING, { timeout: 300 }), NotDecidedError);
  notRun();
  assert.equal(fake.steps.at(-1), "POST /cancel");
});

test("a call that is aborted is withdrawn, also while it is proposed", async (t) => {
  for (const step of ["GET ", "POST "]) {
    await t.test(step, async () => {
      const abort = new AbortController();
      const aborting = (response) => {
        abort.abort();
        setTimeout(() => send(response, 200, { id: "0190a1b2-0000-7000-8000-000000000000", ...WAITING }), 20);
      };
      const options = { abortSignal: abort.signal };
      await assert.rejects(callUnder(WAITING, { first: { [step]: [aborting] }, options }), { name: "AbortError" });
      await eventually(() => fake.steps.includes("POST /cancel"));
      notRun();
    });
  }
});

test("a tool that fails is reported as failed", async () => {
  const tool = pay(async () => {
    throw new Error("no money");
  });
  await assert.rejects(callUnder(decided("approve"), { tool }), /no money/);
  assert.deepEqual(fake.bodiesOf("PUT /execution/outcome"), [{ status: "failed", outcome: "Error: no money" }]);
});

test("a call within which another is refused is not told as one that did not run", async () => {
  const refused = pay(async () => {
    throw new RejectedError("No.", { id: "0" });
  });
  const told = { name: "BrokenOffError", message: /had begun .* No\./ };
  await assert.rejects(callUnder(decided("approve"), { tool: refused }), told);
});

test("what a tool returned is not lost with its report", async () => {
  const warned = mock.method(console, "warn", () => {});
  const first = { "PUT /execution/outcome": [(response) => send(response, 500, "")] };
  assert.equal(await callUnder(decided("approve"), { first, tool: pay(async () => 10n) }), 10n);
  assert.equal(warned.mock.callCount(), 1);
  assert.deepEqual(fake.bodiesOf("PUT /execution/outcome"), [{ status: "succeeded", outcome: "10" }]);
  warned.mock.restore();
});

test("what cannot be shown is returned and reported all the same", async () => {
  const odd = Object.assign(Object.create(null), { big: 10n });
  assert.equal(await callUnder(decided("approve"), { tool: pay(async () => odd) }), odd);
  assert.equal(fake.bodiesOf("PUT /execution/outcome")[0].status, "succeeded");
});

test("what is larger than the guard takes is reported by its beginning", async () => {
  const first = { "PUT /execution/outcome": [(response) => send(response, 413, {})] };
  const page = "x".repeat(2_000_000);
  assert.equal(await callUnder(decided("approve"), { first, tool: pay(async () => page) }), page);
  const { status, outcome } = fake.bodiesOf("PUT /execution/outcome")[1];
  assert.equal(status, "succeeded");
  assert.ok(outcome.length < 100_000 && outcome.startsWith("xxx") && outcome.includes("1920000 more characters"));
});

test("what the guard does not take as it is is reported as text", async () => {
  const first = { "PUT /execution/outcome": [(response) => send(response, 422, {})] };
  await callUnder(decided("approve"), { first, tool: pay(async () => ({ page: [[1]] })) });
  assert.deepEqual(fake.bodiesOf("PUT /execution/outcome")[1], { status: "succeeded", outcome: '{"page":[[1]]}' });
});

test("of a tool that yields results the last one counts", async () => {
  const tool = pay(async function* () {
    yield "wait";
    yield "paid";
  });
  assert.equal(await callUnder(decided("approve"), { tool }), "paid");
});

test("what JSON would show as something else is proposed to nobody", async (t) => {
  for (const value of [new Date(0), new Map(), NaN, 1n, () => {}, new (class Amount {})()]) {
    await t.test(String(value), async () => {
      await assert.rejects(callUnder(decided("approve"), { input: { amount: value } }), TypeError);
      notRun();
      assert.equal(fake.requests.length, 0);
    });
  }
});

test("what is shown is a copy: a change while it waits does not run", async () => {
  const input = { ...INPUT };
  const running = callUnder(decided("approve"), { input });
  input.amount = 3_000;
  await running.catch(() => {});
  assert.deepEqual(ran, fake.bodiesOf("POST ").map((body) => body.toolCall.input));
});

test("files of messages are sent as text", async () => {
  fake = await FakeGuard.start(decided("approve"));
  const tools = guardTools(new Guard(fake.url, KEY), { pay: pay() });
  const image = { type: "image", image: new Uint8Array([1, 2]), from: new URL("https://a.example/") };
  await tools.pay.execute(INPUT, { messages: [{ role: "user", content: [image] }] });
  const [sent] = fake.bodiesOf("POST ")[0].messages[0].content;
  assert.deepEqual(sent, { type: "image", image: "AQI=", from: "https://a.example/" });
});

test("what no guard can store of the past is told as the guard keeps a report, and the call as it is", async () => {
  fake = await FakeGuard.start(decided("approve"));
  const tools = guardTools(new Guard(fake.url, KEY), { pay: pay() });
  const result = { type: "tool-result", toolName: "read", output: { type: "json", value: { "a\0": "\ud800 😀\0" } } };
  await tools.pay.execute({ to: "\0" }, { messages: [{ role: "tool", content: [result] }] });
  const [{ messages, toolCall }] = fake.bodiesOf("POST ");
  assert.deepEqual(messages[0].content[0].output.value, { "a\ufffd": "\ufffd 😀\ufffd" });
  assert.deepEqual(toolCall.input, { to: "\0" });
});

test("a tool that cannot be guarded is refused, or named as unguarded", () => {
  const search = { type: "provider", id: "x.search" };
  assert.throws(() => guardTools(new Guard("http://g", KEY), { search }), /search is run by the provider/);
  assert.throws(() => guardTools(new Guard("http://g", KEY), { pay: { ...pay(), inputSchema: {} } }), /schema of pay/);
  const tools = guardTools(new Guard("http://g", KEY), { search, pay: pay() }, { unguarded: ["search"] });
  assert.equal(tools.search, search);
});

test("schemas of other kinds are read as they say or as they are told", async () => {
  const standard = { "~standard": { jsonSchema: { input: () => SCHEMA } } };
  await callUnder(decided("approve"), { tool: { ...pay(), inputSchema: standard } });
  assert.deepEqual(fake.bodiesOf("POST ")[0].tools.pay.inputSchema, SCHEMA);
  await fake.stop();
  await callUnder(decided("approve"), { tool: { ...pay(), inputSchema: 7 }, options: { toJsonSchema: () => SCHEMA } });
  assert.deepEqual(fake.bodiesOf("POST ")[0].tools.pay.inputSchema, SCHEMA);
});

const CALLING = { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: INPUT }] };
const RESULT = { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "pay", output: { type: "text", value: "paid" } }] };

/** A fake guard that has the first message of each proposal, and a tool before it. */
async function remembering(options) {
  fake = await FakeGuard.start(decided("approve"));
  fake.headers = { "Continue-From": "token", "Continue-Behind": "1", "Tools-Digest": "digest" };
  return guardTools(new Guard(fake.url, KEY), { pay: pay() }, options).pay;
}

test("of a conversation only what is new is sent, and the tools by their digest", async () => {
  const tool = await remembering({ system: "Be kind.", traceId: () => "t" });
  await tool.execute(INPUT, { toolCallId: "c1", messages: [...MESSAGES, CALLING] });
  await tool.execute(INPUT, { toolCallId: "c2", messages: [...MESSAGES, CALLING, RESULT, CALLING] });
  const [first, second] = fake.bodiesOf("POST ");
  assert.deepEqual([first.messages.length, Object.keys(first.tools)], [2, ["pay"]]);
  const toolCall = { type: "tool-call", toolCallId: "c2", toolName: "pay", input: INPUT };
  const messages = [CALLING, RESULT, CALLING];
  assert.deepEqual(second, { messages, toolCall, trace_id: "t", continues: "token", tools_digest: "digest" });
});

test("tools that stand elsewhere are sent with each proposal", async () => {
  const tool = await remembering({ traceId: "t" });
  await tool.execute(INPUT, { messages: MESSAGES });
  const guard = new Guard(fake.url, KEY);
  const submission = { trace_id: "t", messages: MESSAGES, toolConfig: { tools: [] }, toolCall: { input: INPUT } };
  for (let times = 0; times < 2; times++) await guard.run(submission, "pay", () => "paid");
  const { toolConfig, tools_digest: digest, continues } = fake.bodiesOf("POST ").at(-1);
  assert.deepEqual([toolConfig, digest, continues], [{ tools: [] }, undefined, "token"]);
});

test("what goes on behind a provider's response is sent as it is", async () => {
  await remembering({ traceId: "t" });
  const guard = new Guard(fake.url, KEY);
  const submission = { trace_id: "t", input: MESSAGES, tools: [], toolCall: { input: INPUT } };
  await guard.run(submission, "pay", () => "paid");
  const further = { ...submission, input: [...MESSAGES, CALLING], previous_response_id: "resp_1" };
  await guard.run(further, "pay", () => "paid");
  assert.deepEqual(fake.bodiesOf("POST ").at(-1), further);
});

test("of equal calls at once the later is told of the earlier", async () => {
  const tool = await remembering({});
  const messages = [{ ...MESSAGES[0] }];
  const calls = ["a", "b"].map((toolCallId) => tool.execute(INPUT, { toolCallId, messages }));
  await Promise.all([...calls, tool.execute({ ...INPUT, amount: 5 }, { toolCallId: "c", messages })]);
  await tool.execute(INPUT, { toolCallId: "d", messages: [{ ...MESSAGES[0] }] });
  const told = Object.fromEntries(fake.bodiesOf("POST ").map((body) => [body.toolCall.toolCallId, body.messages.slice(1)]));
  const first = { type: "tool-call", toolCallId: "a", toolName: "pay", input: INPUT };
  assert.deepEqual(told, { a: [], b: [{ role: "assistant", content: [first] }], c: [], d: [] });
});

test("each run of the SDK is a conversation, unless it is named", async () => {
  const tool = await remembering({});
  const run = [{ ...MESSAGES[0] }];
  for (const messages of [run, [...run], [{ ...MESSAGES[0] }]]) await tool.execute(INPUT, { messages });
  const [first, second, other] = fake.bodiesOf("POST ");
  assert.equal(first.trace_id, second.trace_id);
  assert.notEqual(first.trace_id, other.trace_id);
  assert.deepEqual([second.messages, other.messages.length], [[], 1]);
});

test("a beginning that has changed is sent whole", async (t) => {
  const changes = { message: [{ role: "user", content: "Pay Ann." }], nothing: [] };
  for (const [name, messages] of Object.entries(changes)) {
    await t.test(name, async () => {
      const tool = await remembering({ traceId: "t" });
      await tool.execute(INPUT, { messages: MESSAGES });
      await tool.execute(INPUT, { messages });
      assert.deepEqual(fake.bodiesOf("POST ")[1].messages, messages);
      await fake.stop();
    });
  }
  fake = undefined;
});

test("what the guard has no more is sent again, once", async () => {
  const tool = await remembering({ traceId: "t" });
  await tool.execute(INPUT, { messages: MESSAGES });
  const unknown = (response) => send(response, 422, { title: "Unknown", errors: [{ pointer: "/continues" }] });
  fake.first = { "POST ": [unknown] };
  assert.equal(await tool.execute(INPUT, { messages: [...MESSAGES, CALLING] }), "paid 30");
  const [, shortened, whole] = fake.bodiesOf("POST ");
  assert.deepEqual([shortened.continues, shortened.messages.length], ["token", 1]);
  assert.deepEqual([whole.continues, whole.messages.length], [undefined, 2]);
  fake.first = { "POST ": [unknown, unknown] };
  await assert.rejects(tool.execute(INPUT, { messages: [...MESSAGES, CALLING] }), ProblemError);
});

test("an id that a model gives to every call names none of them", async () => {
  const tool = await remembering({ traceId: "t" });
  const other = (response) => send(response, 409, { type: "/problems/duplicate-call", title: "Another call of this name" });
  fake.first = { "POST ": [other] };
  assert.equal(await tool.execute(INPUT, { toolCallId: "c1", messages: MESSAGES }), "paid 30");
  assert.notEqual(fake.bodiesOf("POST ")[1].trace_id, "t");
});

test("an address that is none of the guard's is told from a refusal, and a variable that is not set from both", async () => {
  const first = { "POST ": [(response) => send(response, 301, "", { Location: "https://guard.example/" })] };
  await assert.rejects(callUnder(decided("approve"), { first }), /301: The address leads to https:\/\/guard\.example\//);
  await fake.stop();
  first["POST "].push((response) => send(response, 404, "<html>"));
  await assert.rejects(callUnder(decided("approve"), { first }), /404: .*Is the address right/);
  notRun();
  assert.throws(() => new Guard(fake.url, undefined), /agent key is no text/);
  assert.throws(() => new Guard(undefined, KEY), /address is no text/);
});

test("a key that no header may hold is refused without being quoted", () => {
  assert.throws(() => new Guard("http://g", "pgr\nsecret"), (error) => !error.message.includes("secret"));
});
