import type {
  GateDocument, HistoryDocument, LiveEvent, Series, Sweep, TopicDetail, TopicsPage, TopicsQuery,
} from "./documents.ts";

export type ConnectionState =
  | { is: "connecting" }
  | { is: "connected" }
  /** The next attempt is made at `retry` (ms since 1970). */
  | { is: "lost"; retry: number }
  /** An event came that the page cannot read or show. The next one is tried again. */
  | { is: "unreadable"; problem: string }
  | { is: "token wanted"; refused: boolean };

/**
 * The origin of the views' documents: a server, or the report that the page is. Every function
 * rejects with a sentence for the reader if there is no such document.
 */
export interface Source {
  topics(query: TopicsQuery): Promise<TopicsPage>;
  topic(id: string): Promise<TopicDetail>;
  sweep(count: number): Promise<Sweep>;
  history(): Promise<HistoryDocument>;
  /** Night `b` against night `a`. */
  compare(a: string, b: string): Promise<GateDocument>;
}

const key = "prescope.token";

/** The server that this page came from, with the bearer token that it wants; kept for this tab. */
export const server: Source = {
  topics: (query) => load("topics", query),
  topic: (id) => load(`topic/${encodeURIComponent(id)}`),
  sweep: (count) => load("sweep", { count }),
  history: () => load("history"),
  compare: (a, b) => load("compare", { a, b }),
};

/** The course of time, which only a server has. */
export const loadSeries = (): Promise<Series> => load("series");

/** Keeps only visible ASCII: tokens have no other characters, and a header cannot carry them. */
export function setToken(value: string): void {
  sessionStorage.setItem(key, value.replace(/[^\x21-\x7e]/g, ""));
}

/**
 * Takes the token from #token=... if the address has one, and removes it from there. Returns true
 * if it did.
 */
export function takeLinkedToken(): boolean {
  const linked = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (linked === undefined) return false;
  setToken(decoded(linked));
  history.replaceState(null, "", "#/");
  return true;
}

/** Returns `part` as it is if its percent-encoding is invalid, as a written one may be. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
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
 * growing while, or when the browser is online again. A hidden page is not connected, because a
 * browser has only six connections to a server. Returns a function that ends it.
 */
export function follow(onEvent: (event: LiveEvent) => void,
  onConnection: (state: ConnectionState) => void): () => void {
  let delay = firstDelay, heard = false, attempt: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ended = new AbortController();
  const close = () => {
    clearTimeout(timer);
    attempt?.abort();
  };
  const take = (data: string) => {
    heard = true;
    delay = firstDelay;
    try {
      const event = JSON.parse(data) as LiveEvent;
      onConnection({ is: "connected" });
      onEvent(event);
    } catch (error) {
      console.error(error);
      onConnection({ is: "unreadable", problem: String(error) });
    }
  };
  const connect = async () => {
    close();
    attempt = new AbortController();
    const { signal } = attempt, token = tokenHeaders();
    addEventListener("online", connect, { signal });
    if (!heard) onConnection({ is: "connecting" });
    try {
      const headers = { ...token, Accept: "text/event-stream" };
      const response = await fetch("/api/events", { headers, cache: "no-store", signal });
      if (response.status === 401)
        return onConnection({ is: "token wanted", refused: "Authorization" in token });
      if (response.ok && response.body) await readEvents(response.body, signal, take);
    } catch {
      // After any failure, connects again.
    }
    if (signal.aborted) return;
    const wait = delay * (0.75 + Math.random() / 2);
    delay = Math.min(longestDelay, delay * 2);
    onConnection({ is: "lost", retry: Date.now() + wait });
    timer = setTimeout(connect, wait);
  };
  const connectIfVisible = () => {
    heard = false;
    if (document.hidden) close();
    else void connect();
  };
  document.addEventListener("visibilitychange", connectIfVisible, { signal: ended.signal });
  connectIfVisible();
  return () => {
    ended.abort();
    close();
  };
}

/** Calls `take` with the data of each event, one line of JSON, until the stream ends. */
async function readEvents(
  body: ReadableStream<Uint8Array>, signal: AbortSignal, take: (data: string) => void) {
  const decoder = new TextDecoderStream() as TransformStream<Uint8Array, string>;
  const reader = body.pipeThrough(decoder).getReader();
  let rest = "";
  for (;;) {
    const watchdog = setTimeout(() => void reader.cancel(), silence);
    const { done, value } = await reader.read();
    clearTimeout(watchdog);
    if (done || signal.aborted) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      // Only a line feed ends a line: "." and "$" of a regular expression also stop at U+2028.
      const data = event.split("\n").find((each) => each.startsWith("data: "));
      if (data !== undefined) take(data.slice("data: ".length));
    }
  }
}
