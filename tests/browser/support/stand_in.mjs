// Stands in for the server if a test needs answers that a real one cannot be made to give: hostile
// names, a server that goes away, a token. Answers as docs/http.md says.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { liveSummary } from "./documents.mjs";

const measures = { AP: { mean: "MAP", meaning: "Average precision." }, R: { mean: "R", meaning: "Recall." },
  PRES: { mean: "PRES", meaning: "How early the known relevant documents arrive within the N documents read." } };
const counters = Object.fromEntries(Object.keys(liveSummary().health).map((name, index) =>
  [name, { group: ["lost", "fault", "expected", "comparison", "flow"][index % 5], line: `Counted by ${name}.` }]));
const page = Object.entries({ measures, counters }).reduce((made, [name, facts]) =>
  made.replace(`id="prescope-${name}">{}`, `id="prescope-${name}">${JSON.stringify(facts)}`), readFileSync(process.env.PRESCOPE_PAGE, "utf8"));
const policy = readFileSync(process.env.PRESCOPE_PAGE_POLICY, "utf8");

export class StandIn {
  /** `answers`: path -> document, or a function of the URL; `token`: the required token, if any. */
  constructor({ answers = {}, token = null } = {}) {
    this.answers = answers;
    this.token = token;
    this.streams = new Set();
    this.event = null;
    this.busy = 0;  // requests that are answered 429 before the others
    this.events = 0;
  }

  /** Listens, on the port it had before if there was one. */
  async start() {
    this.server = createServer((request, response) => this.answer(request, response));
    await new Promise((done) => this.server.listen(this.port ?? 0, "127.0.0.1", done));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/`;
    return this;
  }

  async stop() {
    for (const stream of this.streams) stream.destroy();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** Sends an event to all listeners, present and future. */
  publish(document, point = null) {
    this.answers["/api/summary"] = document;
    this.event = `id: ${++this.events}\nevent: summary\ndata: ${JSON.stringify({ document, point })}\n\n`;
    for (const stream of this.streams) stream.write(this.event);
  }

  answer(request, response) {
    const url = new URL(request.url, this.url);
    if (url.pathname === "/") return this.send(response, 200, "text/html; charset=utf-8", page);
    if (this.token !== null && request.headers.authorization !== `Bearer ${this.token}`)
      return this.send(response, 401, "application/json", JSON.stringify({ error: "a bearer token is wanted" }));
    if (url.pathname === "/api/events") return this.stream(response);
    if (this.busy-- > 0) return this.send(response, 429, "application/json", JSON.stringify({ error: "others are being answered" }));
    const known = this.answers[url.pathname] ?? this.answers[decodeURIComponent(url.pathname)];
    const document = typeof known === "function" ? known(url) : known;
    if (document === undefined || document === null) return this.send(response, 404, "application/json", JSON.stringify({ error: "there is no such thing" }));
    this.send(response, 200, "application/json; charset=utf-8", JSON.stringify(document));
  }

  send(response, status, type, body) {
    response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": policy, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    response.end(body);
  }

  stream(response) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store", Connection: "close" });
    response.write("retry: 2000\n\n");
    if (this.event) response.write(this.event);
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
  }
}
