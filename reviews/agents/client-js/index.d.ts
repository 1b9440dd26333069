/** Any reason not to run a call. Its message may be told to the model. */
export class GuardError extends Error {}
/** The guard could not be reached, or did not answer in time. */
export class UnreachableError extends GuardError {}
/** The answer is not what the API documents. */
export class MalformedAnswerError extends GuardError {}
/** The API refused the request. */
export class ProblemError extends GuardError {
  readonly status: number;
  readonly type: string;
}
/** The call must not run. */
export class NotRunnableError extends GuardError {
  readonly actionId: string;
}
/** A call that was made within this one must not run; this one had begun. */
export class BrokenOffError extends NotRunnableError {}
/** A reviewer or the workspace's policy said no. */
export class RejectedError extends NotRunnableError {}
/** A reviewer answered instead. */
export class RespondedError extends NotRunnableError {}
/** Another tool was approved. */
export class ChangedToolError extends NotRunnableError {}
/** Nobody decided. */
export class NotDecidedError extends NotRunnableError {
  readonly reason: string;
}

export interface GuardOptions {
  /** Milliseconds that a decision is waited for; ten minutes unless it is said. */
  timeout?: number;
  /** Milliseconds for which a guard that is away is tried again. */
  patience?: number;
}

export class Guard {
  constructor(baseUrl: string, key: string, options?: GuardOptions);
  /**
   * Propose, wait, run with the approved arguments, report. Throws a `GuardError` where nothing has run, and a
   * `BrokenOffError` where a call within it was refused.
   */
  run<Result>(
    submission: object,
    tool: string,
    execute: (approved: Record<string, unknown>) => Result | Promise<Result>,
    options?: { signal?: AbortSignal; timeout?: number; renew?: boolean },
  ): Promise<Result>;
}

export interface GuardToolsOptions {
  /** The system prompt, which the SDK does not hand to tools. */
  system?: string;
  /** Names the conversation, or tells its name from a call's options; without, each run of the SDK is one. */
  traceId?: string | ((call: any) => string | undefined);
  metadata?: Record<string, unknown>;
  /** Milliseconds that a decision is waited for. */
  timeout?: number;
  /** Tools that are left as they are. */
  unguarded?: readonly string[];
  /** For schemas of other kinds, such as `(schema) => asSchema(schema).jsonSchema`. */
  toJsonSchema?: (schema: any) => unknown;
}

/** The same tools, each of whose calls waits for the guard and runs with the approved arguments. */
export function guardTools<Tools extends Record<string, any>>(
  guard: Guard,
  tools: Tools,
  options?: GuardToolsOptions,
): Tools;
