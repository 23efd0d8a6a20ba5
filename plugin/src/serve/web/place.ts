/** A place within the page: #/topic/EP1?measure=PRES@100 */
export interface Place {
  /** Decoded: ["topic", "EP1"]; [] is the beginning. */
  path: string[];
  parameters: URLSearchParams;
}

/** What views share and links carry on. */
const carried = ["measure", "a", "b"];

export function parsePlace(hash: string): Place {
  const [path = "", query = ""] = split(hash.replace(/^#\/?/, ""));
  return { path: path.split("/").filter(Boolean).map(decoded), parameters: new URLSearchParams(query) };
}

export function presentPlace(): Place {
  return parsePlace(location.hash);
}

/** The address of a place: href("topic", id) or href("topics", {sort: "difference"}). */
export function href(...parts: (string | Record<string, string | null>)[]): string {
  const path = parts.filter((part): part is string => typeof part === "string");
  const parameters = new URLSearchParams();
  const here = presentPlace().parameters;
  for (const name of carried) if (here.has(name)) parameters.set(name, here.get(name)!);
  for (const part of parts) if (typeof part !== "string") change(parameters, part);
  return address(path, parameters);
}

export function address(path: string[], parameters: URLSearchParams): string {
  const query = parameters.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export function change(parameters: URLSearchParams, changes: Record<string, string | null>): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
}

function split(text: string): [string, string] {
  const at = text.indexOf("?");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

// A hand-written address may hold what is not percent-encoding.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
