// Tools of the AI SDK whose calls are decided before they run.
import { isDeepStrictEqual } from "node:util";
import { isObject } from "./guard.js";

/**
 * The same tools, each of whose calls waits for the guard and runs with the approved arguments. What stops a call is
 * thrown, so that the SDK tells the model why. Throws a TypeError for a tool that cannot be guarded.
 */
export function guardTools(guard, tools, options = {}) {
  const { unguarded = [], toJsonSchema = jsonSchemaOf } = options;
  const guarded = Object.entries(tools).filter(([name]) => !unguarded.includes(name));
  for (const [name, tool] of guarded) {
    if (typeof tool.execute !== "function") {
      throw new TypeError(`${name} is run by the provider or the page, where no guard stands; list it as unguarded.`);
    }
    if (toJsonSchema === jsonSchemaOf && !hasJsonSchema(tool.inputSchema)) {
      throw new TypeError(`The schema of ${name} is unknown: pass toJsonSchema, such as (s) => asSchema(s).jsonSchema.`);
    }
  }
  const conversation = { nameTrace: traceNames(options.traceId), underWay: new Set() };
  let described;
  const describe = () => (described ??= describeTools(guarded, toJsonSchema));
  const wrap = ([name, tool]) => [name, { ...tool, execute: guardedExecute(guard, name, tool, describe, conversation, options) }];
  return { ...tools, ...Object.fromEntries(guarded.map(wrap)) };
}

function guardedExecute(guard, name, tool, describe, { nameTrace, underWay }, { system, metadata, timeout }) {
  const decideAndRun = async (proposed, alike, traceId, call) => {
    const submission = {
      messages: asStored([...(call.messages ?? []), ...alike]),
      tools: await describe(),
      toolCall: proposed,
      ...(system === undefined ? {} : { system }),
      ...(traceId === undefined ? {} : { trace_id: traceId }),
      ...(metadata === undefined ? {} : { metadata }),
    };
    const execute = async (approved) => lastOf(await tool.execute(approved, call));
    return guard.run(submission, name, execute, { signal: call.abortSignal, timeout, renew: true });
  };
  return async (input, call = {}) => {
    const traceId = nameTrace(call);
    const proposed = { type: "tool-call", toolCallId: call.toolCallId, toolName: name, input: asPlainJson(input, name) };
    // The calls of one answer run at once, and the SDK tells none of the others: one that stands in it twice would pass
    // twice as the first.
    const isAlike = (other) =>
      other.traceId === traceId && other.proposed.toolName === name && isDeepStrictEqual(other.proposed.input, proposed.input);
    const content = [...underWay].filter(isAlike).map((other) => other.proposed);
    const own = { traceId, proposed };
    underWay.add(own);
    try {
      return await decideAndRun(proposed, content.length ? [{ role: "assistant", content }] : [], traceId, call);
    } finally {
      underWay.delete(own);
    }
  };
}

/** From a call's options to its conversation's name: as it is told, or one for each run of the SDK. */
function traceNames(told) {
  if (told !== undefined) return typeof told === "function" ? told : () => told;
  // The messages are others with every step, but for the first: what a run begins with stays the same object.
  const names = new WeakMap();
  return ({ messages: [first] = [] }) => {
    if (!isObject(first)) return undefined;
    if (!names.has(first)) names.set(first, crypto.randomUUID());
    return names.get(first);
  };
}

async function describeTools(tools, toJsonSchema) {
  const described = {};
  for (const [name, tool] of tools) {
    const inputSchema = await toJsonSchema(tool.inputSchema);
    if (!isObject(inputSchema)) throw new TypeError(`The schema of ${name} is no JSON Schema.`);
    described[name] = { description: tool.description ?? "", inputSchema };
  }
  return described;
}

const hasJsonSchema = (schema) =>
  schema?.jsonSchema !== undefined || typeof schema?.["~standard"]?.jsonSchema?.input === "function";

/** Of the SDK's own schemas, and of those that follow Standard JSON Schema, such as Zod's. */
const jsonSchemaOf = async (schema) =>
  (await schema.jsonSchema) ?? schema["~standard"].jsonSchema.input({ target: "draft-07" });

/** A copy that is shown to whoever decides and run behind it. Throws for what JSON would show as something else. */
function asPlainJson(value, tool) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item) => asPlainJson(item, tool));
  if (isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([key, member]) => [key, asPlainJson(member, tool)]));
  }
  throw new TypeError(`The input of ${tool} holds what has no JSON, so nobody could see what would run.`);
}

/**
 * Messages with images and files as text, which JSON would write as a list of numbers, and with U+FFFD for what no guard
 * can store: a tool may return a NUL, and every later call of the conversation would be refused for it.
 */
function asStored(value) {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\ufffd");
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (Array.isArray(value)) return value.map(asStored);
  if (!isObject(value) || typeof value.toJSON === "function") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [asStored(key), asStored(member)]));
}

/** What a tool returns; of one that yields results on its way, the last. */
async function lastOf(result) {
  if (typeof result?.[Symbol.asyncIterator] !== "function") return result;
  let last;
  for await (const part of result) last = part;
  return last;
}
