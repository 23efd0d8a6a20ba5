import type { GateOutcome } from "../data/gate_document.ts";
import { type Child, svg } from "../dom.ts";
import { place } from "./plot.ts";

export const verdicts: (GateOutcome | null)[] = ["PASS", "REGRESSION", "INCONCLUSIVE", "BAD INPUT", null];

export function verdictText(verdict: GateOutcome | null): string {
  return verdict ?? "not gated";
}

/** A mark of its own shape for each verdict: dot, triangle, diamond, cross, open dot. */
export function nightMark(verdict: GateOutcome | null, x: number, y: number): Child {
  switch (verdict) {
    case "PASS": return svg("circle", { class: "mark pass", cx: place(x), cy: place(y), r: 3.6 });
    case "REGRESSION": return svg("path", { class: "mark fail", d: `M${place(x - 7)} ${place(y - 6)}h14l-7 12Z` });
    case "INCONCLUSIVE": return svg("path", { class: "mark doubt", d: `M${place(x)} ${place(y - 6)}l6 6l-6 6l-6 -6Z` });
    case "BAD INPUT": return svg("path", { class: "mark cross", d: `M${place(x - 5)} ${place(y - 5)}l10 10m0 -10l-10 10` });
    case null: return svg("circle", { class: "mark open", cx: place(x), cy: place(y), r: 3.8 });
  }
}

/** The mark alone, beside words. */
export function verdictSign(verdict: GateOutcome | null): SVGSVGElement {
  return svg("svg", { class: "verdict-sign", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, nightMark(verdict, 8, 8));
}
