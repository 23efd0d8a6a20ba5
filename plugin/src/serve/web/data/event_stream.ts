import type { ConnectionState, Token } from "./source.ts";

/** A stream on which nothing came for so long, not even a heartbeat (15 s), is dead. */
const silence = 40_000;
const firstDelay = 500;
const longestDelay = 30_000;

interface Listener<Event> {
  event(event: Event): void;
  connection(state: ConnectionState): void;
}

/**
 * Server-sent events by fetch, because EventSource cannot send a token. Connects again after a
 * growing while; gives what ends it.
 */
export function eventStream<Event>(path: string, token: Token, listener: Listener<Event>): () => void {
  const stream = new Stream<Event>(path, token, listener);
  void stream.connect();
  return () => stream.close();
}

class Stream<Event> {
  private abort = new AbortController();
  private delay = firstDelay;
  private heard = false;
  private closed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly again = () => this.connectNow();

  constructor(private readonly path: string, private readonly token: Token, private readonly listener: Listener<Event>) {
    addEventListener("online", this.again);
  }

  async connect(): Promise<void> {
    const attempt = this.abort;
    if (!this.heard) this.listener.connection({ is: "connecting" });
    try {
      const response = await fetch(this.path, {
        headers: { ...this.token.headers(), Accept: "text/event-stream" }, cache: "no-store", signal: attempt.signal });
      if (response.status === 401) return this.wantToken();
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      await this.read(response.body);
    } catch {
      // Whatever went wrong, the answer is to connect again.
    }
    if (!this.closed && attempt === this.abort) this.retry();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.again);
    this.abort.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
    const parser = new EventParser((name, data) => this.take(name, data));
    for (;;) {
      const watchdog = setTimeout(() => void reader.cancel(), silence);
      const { done, value } = await reader.read();
      clearTimeout(watchdog);
      if (done || this.closed) return;
      parser.add(value);
    }
  }

  private take(name: string, data: string): void {
    if (name !== "summary") return;
    const event = JSON.parse(data) as Event;
    this.heard = true;
    this.delay = firstDelay;
    this.listener.connection({ is: "connected" });
    this.listener.event(event);
  }

  private retry(): void {
    const wait = this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(longestDelay, this.delay * 2);
    this.listener.connection({ is: "lost", retry: Date.now() + wait });
    this.timer = setTimeout(this.again, wait);
  }

  private connectNow(): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.abort.abort();
    this.abort = new AbortController();
    void this.connect();
  }

  private wantToken(): void {
    this.listener.connection({ is: "token wanted", refused: "Authorization" in this.token.headers() });
  }
}

/** Takes text/event-stream in pieces of any size and calls back once an event. */
export class EventParser {
  private rest = "";
  private name = "";
  private data: string[] = [];

  constructor(private readonly event: (name: string, data: string) => void) {}

  add(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n/);
    this.rest = lines.pop()!;
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === "") return this.finish();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    if (field === "data") this.data.push(value);
  }

  private finish(): void {
    if (this.data.length > 0) this.event(this.name || "message", this.data.join("\n"));
    this.name = "";
    this.data = [];
  }
}
