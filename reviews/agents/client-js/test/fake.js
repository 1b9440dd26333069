// A guard on this machine that answers like the API, with the decisions a test wants, and misbehaves as it is told.
import { once } from "node:events";
import { createServer } from "node:http";

const ID = "0190a1b2-0000-7000-8000-000000000000";
export const KEY = "pgr_test_key";

/** What becomes of the call; `decision` undefined leaves it waiting. */
export const decided = (outcome, fields = {}) => ({
  status: "decided",
  decision: { outcome, model_message: "", tool: "pay", ...fields },
});

export class FakeGuard {
  requests = [];
  /** By "METHOD path-behind-the-id": answers given before the ordinary one, each a function of the response. */
  first = {};
  /** Headers of the answer to each proposal. */
  headers = {};

  constructor(state, call) {
    this.state = state;
    this.call = call;
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(state, call = {}) {
    const fake = new FakeGuard(state, call);
    fake.server.listen(0, "127.0.0.1");
    await once(fake.server, "listening");
    fake.url = `http://127.0.0.1:${fake.server.address().port}`;
    return fake;
  }

  async stop() {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  /** Method and path behind the action's id of every request, but for the polls. */
  get steps() {
    return this.requests.map(({ method, path }) => `${method} ${path}`).filter((step) => step !== "GET ");
  }

  bodiesOf(step) {
    return this.requests.filter(({ method, path }) => `${method} ${path}` === step).map(({ body }) => body);
  }

  async #answer(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const path = new URL(request.url, this.url).pathname.replace("/api/v1/actions", "").replace(`/${ID}`, "");
    const body = text === "" ? undefined : JSON.parse(text);
    this.requests.push({ method: request.method, path, body, headers: request.headers });
    const misbehave = (this.first[`${request.method} ${path}`] ?? []).shift();
    if (misbehave) return misbehave(response);
    if (path === "/cancel") this.state = { status: "cancelled" };
    const action = { id: ID, decision: null, ...this.state };
    const { tool = "pay", arguments: approved = this.bodiesOf("POST ").at(-1).toolCall?.input } = this.call;
    const execution = { id: ID, action_id: ID, tool, arguments: approved };
    const headers = path === "" ? this.headers : {};
    send(response, path === "/execution" ? 201 : 200, path === "/execution" ? execution : action, headers);
  }
}

export function send(response, status, value, headers = {}) {
  response.writeHead(status, headers).end(typeof value === "string" ? value : JSON.stringify(value));
}
