// Everything but a permission is an error, so that a forgotten `if` runs nothing. The message of each may be told to
// the model: no key and no stack stands in it.

/** Any reason not to run the call. */
export class GuardError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** The guard could not be reached, only reported trouble of its own, or did not answer in time. */
export class UnreachableError extends GuardError {}

/** The answer is not what the API documents; nothing in it is believed. */
export class MalformedAnswerError extends GuardError {}

/** The API refused, as RFC 9457 problem details. */
export class ProblemError extends GuardError {
  constructor(status, problem) {
    const fields = Array.isArray(problem.errors) ? problem.errors : [];
    const detail = String(problem.detail ?? problem.title ?? "refused");
    // The detail may name some of them already.
    const named = fields.map((field) => `${field?.pointer}: ${field?.detail}`);
    const wrong = named.filter((field) => !detail.includes(field.replace(/\.$/, ""))).join("; ");
    super(`${status}: ${detail}${wrong && ` (${wrong})`}`);
    this.status = status;
    this.type = String(problem.type ?? "about:blank");
  }
}

/** The call must not run. */
export class NotRunnableError extends GuardError {
  constructor(message, action) {
    super(message);
    this.actionId = action.id;
  }
}

/** A reviewer or the workspace's policy said no. */
export class RejectedError extends NotRunnableError {}

/** A reviewer answered instead; the answer is the message. */
export class RespondedError extends NotRunnableError {}

/** Another tool was approved than the one proposed. */
export class ChangedToolError extends NotRunnableError {}

/** A call that was made within this one must not run. This one had begun: what it did before that is done. */
export class BrokenOffError extends NotRunnableError {
  constructor(refusal, action) {
    super(`The call had begun when another that it makes was refused: ${refusal.message}`, action);
    this.cause = refusal;
  }
}

/** Nobody decided: it expired, was withdrawn, or the wait ended first. Neither an approval nor a rejection. */
export class NotDecidedError extends NotRunnableError {
  constructor(reason, action) {
    super(`The call was not decided (${reason}), so it did not run. This is not a rejection.`, action);
    this.reason = reason;
  }
}
