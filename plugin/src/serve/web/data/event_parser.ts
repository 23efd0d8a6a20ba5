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
