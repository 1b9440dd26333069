// HTTP with a bound on the time, the tries and the size of everything.
import { setTimeout as sleep } from "node:timers/promises";
import { GuardError, MalformedAnswerError, ProblemError, UnreachableError } from "./errors.js";

// Too many requests, and what a proxy answers while the server behind it restarts. A 500 is a bug and stays one.
const PASSING_TROUBLE = new Set([429, 502, 503, 504]);
// What an answer may take on top of the wait that was asked for.
const ANSWER_MS = 10_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
// Budgets are those of a minute; nothing a server asks for holds an agent longer.
const MAX_ASKED_MS = 60_000;
// An action with all of its findings has a hundredth of it.
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export const now = () => performance.now();

export class Connection {
  #base;
  #key;
  #patience;

  constructor(baseUrl, key, patience) {
    for (const [name, value] of Object.entries({ "guard's address": baseUrl, "agent key": key })) {
      if (typeof value !== "string") throw new TypeError(`The ${name} is no text. Is its variable set?`);
    }
    this.#key = key.trim();
    // A header takes nothing else, and the error further down would quote it.
    if (!/^[\x21-\x7e]+$/.test(this.#key)) throw new TypeError("The agent key is empty, or holds what no key has.");
    this.#base = baseUrl.trim().replace(/\/+$/, "").replace(/\/+api(\/+v1)?$/, "").replace(/\/+$/, "");
    this.#patience = patience;
  }

  /** The JSON of a successful answer. As `send` otherwise. */
  async request(method, path, options) {
    return (await this.send(method, path, options)).value;
  }

  /**
   * The JSON of a successful answer, as `value`, and its `headers`. Tries passing trouble again for as long as the patience is, and not beyond
   * `deadline`; `wait` is how many seconds the server was asked to take.
   */
  async send(method, path, { body, headers, wait = 0, deadline, signal } = {}) {
    let until = Infinity;
    for (let tries = 0; ; tries++) {
      const limit = Math.min(deadline, now() + wait * 1000 + ANSWER_MS);
      const { trouble, asked, ...answer } = await this.#attempt(method, path, { body, headers, limit, signal });
      if (trouble === undefined) return answer;
      until = Math.min(until, now() + this.#patience);
      const pause = Math.max(delayOf(tries), asked);
      if (now() + pause >= (asked ? deadline : Math.min(until, deadline))) {
        throw new UnreachableError(`The guard cannot be reached (${trouble}).`);
      }
      await sleep(pause, undefined, { signal });
    }
  }

  /** What came of one try: a value, or the trouble that may pass. */
  async #attempt(method, path, { body, headers, limit, signal }) {
    const timed = AbortSignal.timeout(Math.max(1, Math.ceil(limit - now())));
    try {
      const response = await fetch(this.#base + path, {
        method,
        body,
        headers: { Authorization: `Bearer ${this.#key}`, "Content-Type": "application/json", ...headers },
        signal: signal ? AbortSignal.any([signal, timed]) : timed,
        // The key goes to the address that was given, and nowhere else.
        redirect: "manual",
      });
      const text = await readText(response);
      if (PASSING_TROUBLE.has(response.status)) {
        return { trouble: `status ${response.status}`, asked: secondsAsked(response) * 1000 };
      }
      return { value: this.#read(response, text), headers: response.headers };
    } catch (error) {
      if (error instanceof GuardError || signal?.aborted) throw error;
      const reason = timed.aborted ? "no answer in time" : String(error.cause?.message ?? error.message);
      return { trouble: this.#withoutKey(reason), asked: 0 };
    }
  }

  #read(response, text) {
    let value;
    try {
      value = text === "" ? null : JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (response.ok && value !== undefined) return value;
    if (response.ok) throw new MalformedAnswerError("The guard's answer is no JSON.");
    // A proxy that is set up wrongly may answer with the request it got, and the key is in that.
    const isProblem = value !== null && typeof value === "object" && !Array.isArray(value);
    throw new ProblemError(response.status, isProblem ? JSON.parse(this.#withoutKey(text)) : this.#strange(response));
  }

  /** What can be said where something else answered than the guard. */
  #strange(response) {
    const leadsTo = response.headers.get("Location");
    const detail = leadsTo
      ? `The address leads to ${leadsTo}. Redirects are not followed: give the guard's own address.`
      : "This is no answer of the guard's API. Is the address right, and nothing else in the way?";
    return { detail: this.#withoutKey(detail) };
  }

  #withoutKey(text) {
    return text.replaceAll(this.#key, "[key]");
  }
}

async function readText(response) {
  const parts = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new MalformedAnswerError("The guard's answer is too long.");
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

function secondsAsked(response) {
  const asked = response.headers.get("Retry-After") ?? "";
  return /^\d{1,9}$/.test(asked) ? Math.min(Number(asked), MAX_ASKED_MS / 1000) : 0;
}

/** Doubling, and uneven, so that a fleet does not come back all at once. */
function delayOf(tries) {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(tries, 10), MAX_DELAY_MS) * (0.5 + Math.random());
}
