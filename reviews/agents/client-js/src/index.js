// Have an agent's tool calls decided before they run: propose, wait, and run only what was approved.
export {
  BrokenOffError,
  ChangedToolError,
  GuardError,
  MalformedAnswerError,
  NotDecidedError,
  NotRunnableError,
  ProblemError,
  RejectedError,
  RespondedError,
  UnreachableError,
} from "./errors.js";
export { Guard } from "./guard.js";
export { guardTools } from "./tools.js";
