import type { LiveEvent, Series, SummaryDocument, Sweep, TopicDetail, TopicsPage, TopicsQuery } from "./documents.ts";
import type { Robustness } from "./report_documents.ts";

/** How the page hears of what is new. */
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
 * Where the page's documents come from: a server, or the report that the page is. Every function
 * rejects with a SourceError where there is no such document.
 */
export interface Source {
  summary(): Promise<SummaryDocument>;
  series(): Promise<Series>;
  /** Gives what stops it. A source in which nothing changes never calls the listener. */
  subscribe(listener: SourceListener): () => void;
  topics(query: TopicsQuery): Promise<TopicsPage>;
  topic(id: string): Promise<TopicDetail>;
  sweep(count?: number): Promise<Sweep>;
  /** Of two arms, where a fifth of the citations is drawn away; absent where nobody can tell. */
  robustness?(a: string, b: string): Promise<Robustness>;
  /** As `prescope history --json` writes it; the view knows its type. */
  history(): Promise<unknown>;
  /** As `prescope gate --json` writes it, of night `b` against night `a`. */
  compare(a: number, b: number): Promise<unknown>;
}

/** A sentence for the reader, and the HTTP status where there was an answer. */
export class SourceError extends Error {
  constructor(message: string, readonly status: number | null = null) {
    super(message);
  }
}

const key = "prescope.token";

/** The bearer token of a server that wants one; kept for this tab. */
export interface Token {
  headers(): Record<string, string>;
  set(value: string): void;
}

/** Takes the token from #token=... where a link carries it, and removes it from the address. */
export function token(): Token {
  const linked = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (linked !== undefined) {
    sessionStorage.setItem(key, decodeURIComponent(linked));
    history.replaceState(null, "", "#/");
  }
  return {
    headers() {
      const value = sessionStorage.getItem(key);
      const headers: Record<string, string> = {};
      if (value !== null) headers.Authorization = `Bearer ${value}`;
      return headers;
    },
    set: (value) => sessionStorage.setItem(key, value),
  };
}
