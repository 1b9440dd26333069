// Propose, wait, take the permission, run, report.
import { setTimeout as sleep } from "node:timers/promises";
import { Connection, now } from "./connection.js";
import {
  BrokenOffError,
  ChangedToolError,
  GuardError,
  MalformedAnswerError,
  NotDecidedError,
  ProblemError,
  RejectedError,
  RespondedError,
} from "./errors.js";
import { SentConversations } from "./sent.js";

const ACTIONS = "/api/v1/actions";
// Half of what a server allows, and well below the minute after which proxies give up on an idle answer.
const POLL_SECONDS = 30;
// A server that answers at once must not be asked in a tight loop.
const PAUSE_MS = 200;
// How long a call that was given up still tries to withdraw its proposal, and one that ran to report.
const AFTERWARDS_MS = 5_000;
// Less than a guard takes, unless it is configured otherwise.
const MAX_BEGINNING_LENGTH = 80_000;
const CONFLICT = 409;
const TOO_LARGE = 413;
const UNPROCESSABLE = 422;
const UNDECIDED = ["checking", "pending"];
const ENDED = ["expired", "cancelled", "superseded"];

/** The guard at a base address, as the agent with this key sees it. */
export class Guard {
  #connection;
  #timeout;
  #sent = new SentConversations();

  /** `timeout` is how many milliseconds a decision is waited for, `patience` for how many a guard that is away. */
  constructor(baseUrl, key, { timeout = 600_000, patience = 20_000 } = {}) {
    this.#connection = new Connection(baseUrl, key, patience);
    this.#timeout = timeout;
  }

  /**
   * Propose the call of `tool` that this submission holds, wait, run the function with the approved arguments, report,
   * and return what it returned. Throws a `GuardError` for everything but an approval: then nothing has run, but for a
   * `BrokenOffError`. A call that is given up, by the signal or the time, is withdrawn. With `renew`, an id that the
   * conversation had for another call before names this one in a conversation of its own.
   */
  async run(submission, tool, execute, { signal, timeout = this.#timeout, renew = false } = {}) {
    const bounds = { deadline: now() + timeout, signal, renew };
    const action = await this.#propose(submission, bounds);
    let call;
    try {
      call = await this.#permit(await this.#settle(action, bounds), tool, bounds);
    } catch (error) {
      await this.#withdraw(action.id);
      throw error;
    }
    return this.#carryOut(action.id, call, execute);
  }

  async #propose(submission, { deadline, signal, renew }) {
    signal?.throwIfAborted();
    // Not ended by the signal, because what is stored by then has to be withdrawn.
    const proposing = this.#submit(submission, deadline).catch((error) => {
      if (!renew || !/\/duplicate-call$/.test(error.type)) throw error;
      return this.#submit({ ...submission, trace_id: crypto.randomUUID() }, deadline);
    });
    try {
      return readAction(await untilAborted(proposing, signal));
    } catch (error) {
      if (signal?.aborted) proposing.then((answer) => this.#withdraw(readAction(answer).id)).catch(() => {});
      throw error;
    }
  }

  /** Send what the guard does not have of the submission, and all of it where it has not what it should. */
  async #submit(submission, deadline) {
    const shortened = this.#sent.shorten(submission);
    const { rest, leftOut } = shortened ?? { rest: submission, leftOut: 0 };
    // One key for all tries: an answer that is lost must not propose twice.
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    try {
      const answer = await this.#connection.send("POST", ACTIONS, { body: JSON.stringify(rest), headers, deadline });
      this.#sent.remember(submission, answer.headers, leftOut);
      return answer.value;
    } catch (error) {
      if (shortened === undefined || error.status !== UNPROCESSABLE) throw error;
      this.#sent.forget(submission);
      return this.#submit(submission, deadline);
    }
  }

  async #settle(action, bounds) {
    while (UNDECIDED.includes(action.status)) {
      const rest = bounds.deadline - now();
      if (rest <= 0) throw new NotDecidedError("no decision in time", action);
      const wait = Math.min(POLL_SECONDS, Math.max(0, Math.floor(rest / 1000)));
      const path = `${ACTIONS}/${action.id}?wait=${wait}`;
      // Somewhat beyond the time, so that an answer that is on its way still arrives.
      const deadline = bounds.deadline + PAUSE_MS;
      action = readAction(await this.#connection.request("GET", path, { wait, deadline, signal: bounds.signal }), action.id);
      if (UNDECIDED.includes(action.status)) await sleep(PAUSE_MS, undefined, { signal: bounds.signal });
    }
    return action;
  }

  /** The call that may run now. */
  async #permit(action, tool, bounds) {
    if (action.status !== "decided") throw new NotDecidedError(action.status, action);
    const { outcome, model_message: message } = action.decision;
    if (outcome === "reject") throw new RejectedError(message, action);
    if (outcome === "respond") throw new RespondedError(message, action);
    if (outcome !== "approve" && outcome !== "edit") throw new MalformedAnswerError("The outcome is unknown.");
    // Before the one permission is taken: what cannot be run here may run elsewhere.
    requireTool(action.decision.tool, tool, action);
    bounds.signal?.throwIfAborted();
    // Not ended by the signal, because a permission that was given by then has to be given back.
    const taking = this.#take(action, bounds);
    try {
      const call = readCall(await untilAborted(taking, bounds.signal), action);
      bounds.signal?.throwIfAborted();
      requireTool(call.tool, tool, action);
      return call;
    } catch (error) {
      const givenBack = taking.then(() => this.#report(action.id, "failed", `The call was not run: ${error}`), () => {});
      // Who gave the call up waits for nothing.
      if (!bounds.signal?.aborted) await givenBack;
      throw error;
    }
  }

  /** Take the one permission to run. */
  async #take(action, { deadline }) {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const path = `${ACTIONS}/${action.id}/execution`;
    try {
      return await this.#connection.request("POST", path, { headers, deadline });
    } catch (error) {
      // The permission is over, or a correction came in between.
      if (error instanceof ProblemError && error.status === CONFLICT) throw new NotDecidedError(error.message, action);
      throw error;
    }
  }

  async #carryOut(actionId, call, execute) {
    let result;
    try {
      result = await execute(call.arguments);
    } catch (error) {
      await this.#report(actionId, "failed", textOf(error));
      throw error instanceof GuardError ? new BrokenOffError(error, { id: actionId }) : error;
    }
    await this.#report(actionId, "succeeded", result);
    return result;
  }

  /** Without failing: the call has run, and whoever asked for it must get what it returned. */
  async #report(actionId, status, outcome) {
    const deadline = now() + AFTERWARDS_MS;
    const put = (body) => this.#connection.request("PUT", `${ACTIONS}/${actionId}/execution/outcome`, { body, deadline });
    const body = reportOf(status, outcome);
    try {
      await put(body).catch((error) => {
        // Too large, nested too deep, or a number without bounds; the call has run, and cannot return anything else.
        if (![TOO_LARGE, UNPROCESSABLE].includes(error.status)) throw error;
        return put(reportOf(status, beginningOf(JSON.parse(body).outcome)));
      });
    } catch (error) {
      console.warn(`The outcome of action ${actionId} was not reported: ${error.message}`);
    }
  }

  async #withdraw(actionId) {
    const options = { deadline: now() + AFTERWARDS_MS };
    // Refused where it was decided: then nobody runs it either.
    await this.#connection.request("POST", `${ACTIONS}/${actionId}/cancel`, options).catch(() => {});
  }
}

export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** The action of an answer; what this client does not know is no permission. */
function readAction(answer, id = answer?.id) {
  const isKnown = isObject(answer) && /^[0-9a-f-]{36}$/.test(answer.id) && answer.id === id;
  const isUndecided = isKnown && [...UNDECIDED, ...ENDED].includes(answer.status);
  const isDecided = isKnown && answer.status === "decided" && isObject(answer.decision);
  if (!isUndecided && !isDecided) throw new MalformedAnswerError("The guard's answer is no action.");
  return answer;
}

/** The call of a permission. */
function readCall(execution, action) {
  const isCall = isObject(execution) && isObject(execution.arguments) && typeof execution.tool === "string";
  if (!isCall || execution.action_id !== action.id) throw new MalformedAnswerError("The permission holds no call.");
  return execution;
}

function requireTool(approved, tool, action) {
  if (approved === tool) return;
  throw new ChangedToolError(`A reviewer chose ${approved} instead, which cannot be run here.`, action);
}

/** What the work gives, or the signal's reason as soon as it is aborted. */
function untilAborted(work, signal) {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function reportOf(status, outcome) {
  try {
    const body = JSON.stringify({ status, outcome: outcome ?? "" });
    // A function or a symbol has no JSON and is left out without a word.
    if ("outcome" in JSON.parse(body)) return body;
  } catch {
    // A cycle, or a bigint.
  }
  return JSON.stringify({ status, outcome: textOf(outcome) });
}

/** What a tool returned or threw, as text. Never throws: objects say themselves how they read, and the call has run. */
function textOf(value) {
  try {
    return String(value);
  } catch {
    return `a ${typeof value} that cannot be shown`;
  }
}

/** What a guard is told of an outcome that it does not take whole. */
function beginningOf(outcome) {
  const text = typeof outcome === "string" ? outcome : JSON.stringify(outcome);
  const leftOut = text.length - MAX_BEGINNING_LENGTH;
  return leftOut > 0 ? `${text.slice(0, MAX_BEGINNING_LENGTH)}\n[${leftOut} more characters: too long for the guard]` : text;
}
