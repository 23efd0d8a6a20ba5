import type {
  GateDocument, HistoryDocument, LiveEvent, Series, SummaryDocument, Sweep, TopicDetail,
  TopicsPage, TopicsQuery,
} from "./documents.ts";

/** Receives notifications of new data. */
export interface SourceListener {
  event(event: LiveEvent): void;
  connection(state: ConnectionState): void;
}

export type ConnectionState =
  | { is: "connecting" }
  | { is: "connected" }
  /** The next attempt is made at `retry` (ms since 1970). */
  | { is: "lost"; retry: number }
  | { is: "token wanted"; refused: boolean };

/**
 * The origin of the page's documents: a server, or the report that the page is. Every function
 * rejects with a sentence for the reader if there is no such document.
 */
export interface Source {
  summary(): Promise<SummaryDocument>;
  series(): Promise<Series>;
  /**
   * Returns a function that unsubscribes. A source in which nothing changes never calls the
   * listener.
   */
  subscribe(listener: SourceListener): () => void;
  topics(query: TopicsQuery): Promise<TopicsPage>;
  topic(id: string): Promise<TopicDetail>;
  sweep(count: number): Promise<Sweep>;
  history(): Promise<HistoryDocument>;
  /** Night `b` against night `a`. */
  compare(a: string, b: string): Promise<GateDocument>;
}

const key = "prescope.token";

/** The server that this page came from, with the bearer token that it wants; kept for this tab. */
export function liveSource(): Source & { setToken(value: string): void } {
  takeLinkedToken();
  return {
    summary: () => load("summary"),
    series: () => load("series"),
    topics: (query) => load("topics", query),
    topic: (id) => load(`topic/${encodeURIComponent(id)}`),
    sweep: (count) => load("sweep", { count }),
    history: () => load("history"),
    compare: (a, b) => load("compare", { a, b }),
    subscribe: (listener) => {
      const stream = new EventStream(listener);
      void stream.connect();
      return () => stream.close();
    },
    setToken: (value) => sessionStorage.setItem(key, value),
  };
}

/** Takes the token from #token=... if a link carries it, and removes it from the address. */
function takeLinkedToken(): void {
  const linked = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (linked === undefined) return;
  sessionStorage.setItem(key, decodeURIComponent(linked));
  history.replaceState(null, "", "#/");
}

function tokenHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(key);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

// The callers know the type by the contract; the server is the one that this page came from.
async function load(name: string, query: object = {}): Promise<any> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const path = `/api/${name}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
  const ask = () => fetch(path, { headers: tokenHeaders(), cache: "no-store" })
    .catch(() => { throw new Error("The server does not answer."); });
  let response = await ask();
  // The server computes one costly document at a time.
  for (let again = 0; response.status === 429 && again < 10; ++again) {
    await new Promise((done) => setTimeout(done, 1000 * (0.5 + Math.random())));
    response = await ask();
  }
  if (response.ok) return response.json();
  const answer = await response.json().catch(() => null);
  throw new Error(answer?.error ?? `The server answered with status ${response.status}.`);
}

/** A stream without any message for so long, not even a heartbeat (every 15 s), is dead. */
const silence = 40_000;
const firstDelay = 500;
const longestDelay = 30_000;

/**
 * Server-sent events by fetch, because EventSource cannot send a token. Connects again after a
 * growing while.
 */
class EventStream {
  private abort = new AbortController();
  private delay = firstDelay;
  private heard = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly again = () => {
    this.close();
    this.abort = new AbortController();
    void this.connect();
  };

  constructor(private readonly listener: SourceListener) {}

  async connect(): Promise<void> {
    const { signal } = this.abort;
    addEventListener("online", this.again, { signal });
    if (!this.heard) this.listener.connection({ is: "connecting" });
    const token = tokenHeaders();
    try {
      const headers = { ...token, Accept: "text/event-stream" };
      const response = await fetch("/api/events", { headers, cache: "no-store", signal });
      if (response.status === 401)
        return this.listener.connection({ is: "token wanted", refused: "Authorization" in token });
      if (response.ok && response.body) await this.read(response.body, signal);
    } catch {
      // After any failure, connects again.
    }
    if (!signal.aborted) this.retry();
  }

  close(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }

  private async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const decoder = new TextDecoderStream() as TransformStream<Uint8Array, string>;
    const reader = body.pipeThrough(decoder).getReader();
    let rest = "";
    for (;;) {
      const watchdog = setTimeout(() => void reader.cancel(), silence);
      const { done, value } = await reader.read();
      clearTimeout(watchdog);
      if (done || signal.aborted) return;
      const events = (rest + value).split(/\r?\n\r?\n/);
      rest = events.pop()!;
      for (const event of events) this.take(event);
    }
  }

  private take(event: string): void {
    const lines = event.split(/\r?\n/);
    const field = (name: string) => lines.filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
    if (field("event").at(-1) !== "summary") return;
    const document = JSON.parse(field("data").join("\n")) as LiveEvent;
    this.heard = true;
    this.delay = firstDelay;
    this.listener.connection({ is: "connected" });
    this.listener.event(document);
  }

  private retry(): void {
    const wait = this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(longestDelay, this.delay * 2);
    this.listener.connection({ is: "lost", retry: Date.now() + wait });
    this.timer = setTimeout(this.again, wait);
  }
}
