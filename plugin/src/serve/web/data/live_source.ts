import type { LiveEvent, TopicsQuery } from "./documents.ts";
import { eventStream } from "./event_stream.ts";
import { type Source, SourceError, type Token } from "./source.ts";

/** The server that this page came from. */
export function liveSource(token: Token): Source {
  const get = (path: string) => fetchDocument(path, token);
  return {
    summary: () => get("/api/summary"),
    series: () => get("/api/series"),
    topics: (query: TopicsQuery) => get(`/api/topics?${parameters(query)}`),
    topic: (id) => get(`/api/topic/${encodeURIComponent(id)}`),
    sweep: (count) => get(`/api/sweep${count === undefined ? "" : `?count=${count}`}`),
    robustness: (a, b) => get(`/api/robustness?${new URLSearchParams({ a, b })}`),
    history: () => get("/api/history"),
    compare: (a, b) => get(`/api/compare?a=${a}&b=${b}`),
    subscribe: (listener) => eventStream<LiveEvent>("/api/events", token, listener),
  };
}

function parameters(query: TopicsQuery): URLSearchParams {
  return new URLSearchParams(Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [name, String(value)]));
}

// The callers know the type by the contract; the server is the one that this page came from.
async function fetchDocument(path: string, token: Token): Promise<any> {
  let response: Response;
  try {
    response = await fetch(path, { headers: token.headers(), cache: "no-store" });
  } catch {
    throw new SourceError("The server does not answer.");
  }
  if (response.ok) return response.json();
  throw new SourceError(await reason(response), response.status);
}

async function reason(response: Response): Promise<string> {
  try {
    return String((await response.json()).error);
  } catch {
    return `The server answered with status ${response.status}.`;
  }
}
