// What a guard has of a conversation already, so that only what came after is sent.
import { createHash } from "node:crypto";

// Where the API takes what happened so far.
const TURNS = ["messages", "input", "contents", "history"];
// What stands in the beginning of a conversation, and in nothing that continues it.
const BEGINNING = [
  "query",
  "system",
  "instructions",
  "systemInstruction",
  "system_instruction",
  "system_prompt",
  "systemPrompt",
  "sources",
];
// Conversations that are remembered, each by a few hashes; the one that was proposed for longest ago goes first.
const MAX_CONVERSATIONS = 1000;

/** The conversations that were sent, by their `trace_id`. */
export class SentConversations {
  #sent = new Map();

  /** The submission without what the guard has, and how many turns that are; undefined where all has to be sent. */
  shorten(body) {
    const sent = this.#sent.get(body.trace_id);
    const field = turnsOf(body);
    if (sent === undefined || field === undefined || body[field].length < sent.turns) return undefined;
    if (hashBeginning(body, field, sent.turns) !== sent.beginning) return undefined;
    const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !BEGINNING.includes(name)));
    Object.assign(rest, { continues: sent.continues, [field]: body[field].slice(sent.turns) });
    // They may stand elsewhere, as in Bedrock's `toolConfig`, for which the digest cannot.
    if (rest.tools !== undefined && sent.toolsDigest && sent.tools === hash(body.tools)) {
      delete rest.tools;
      rest.tools_digest = sent.toolsDigest;
    }
    return { rest, leftOut: sent.turns };
  }

  /** Note what the guard has of this submission, as its answer says; so many turns of it were left out. */
  remember(body, headers, leftOut) {
    const field = turnsOf(body);
    const continues = headers.get("Continue-From");
    const behind = headers.get("Continue-Behind") ?? "";
    if (!body.trace_id || field === undefined || !continues || !/^\d{1,9}$/.test(behind)) return;
    const turns = leftOut + Number(behind);
    const toolsDigest = headers.get("Tools-Digest");
    const beginning = hashBeginning(body, field, turns);
    this.forget(body);
    this.#sent.set(body.trace_id, { turns, beginning, continues, tools: hash(body.tools), toolsDigest });
    if (this.#sent.size > MAX_CONVERSATIONS) this.#sent.delete(this.#sent.keys().next().value);
  }

  /** Send all of this conversation again. */
  forget(body) {
    this.#sent.delete(body.trace_id);
  }
}

// What goes on behind a response of the model's provider says so itself.
const turnsOf = (body) =>
  (body.previous_response_id ?? null) === null ? TURNS.find((name) => Array.isArray(body[name])) : undefined;

const hashBeginning = (body, field, turns) =>
  hash([field, BEGINNING.map((name) => body[name]), body[field].slice(0, turns)]);

const hash = (value) => createHash("sha256").update(JSON.stringify(value) ?? "").digest("hex");
