import { svg } from "../dom.ts";
import { count } from "../format.ts";
import { type Extent, type Frame, xOf, yOf } from "./curve_geometry.ts";

/** 0, some whole numbers between, and `last`; at most `most` and 1 of them. */
export function wholeTicks(last: number, most: number): number[] {
  const rough = last / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough);
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
  if (last - ticks.at(-1)! < step * 0.6 && ticks.length > 1) ticks.pop();
  return [...ticks, last];
}

export function axes({ numRel, cutoff }: Extent, frame: Frame): SVGElement {
  const room = Math.max(2, Math.floor((frame.right - frame.left) / 90));
  const ranks = wholeTicks(cutoff, room).map((rank) => Math.max(1, rank));
  return svg("g", { class: "axes" },
    wholeTicks(numRel, 6).map((found) => [
      svg("line", { class: "grid", x1: frame.left, x2: frame.right, y1: yOf(frame, found), y2: yOf(frame, found) }),
      text(frame.left - 8, yOf(frame, found) + 4, "end", count(found)),
    ]),
    ranks.map((rank) => {
      const x = middle(frame, rank);
      return [
        svg("line", { class: "tick", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 4 }),
        text(x, frame.bottom + 17, rank === cutoff ? "end" : "middle", rank === cutoff ? `N = ${count(rank)}` : count(rank)),
      ];
    }),
    svg("line", { class: "axis", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }),
    svg("line", { class: "limit", x1: xOf(frame, cutoff + 1), x2: xOf(frame, cutoff + 1), y1: frame.top - 4, y2: frame.bottom + 6 }),
    text((frame.left + frame.right) / 2, frame.bottom + 38, "middle", "rank in the served list"),
    text(8, 14, "start", "relevant documents found"));
}

export function caseLabels({ cutoff }: Extent, frame: Frame): SVGElement {
  return svg("g", { class: "case-labels" },
    text(xOf(frame, cutoff + 1) - 6, frame.top - 7, "end", "best case: all at the top"),
    text(xOf(frame, cutoff + 1) - 6, frame.bottom - 7, "end", "worst case: all just behind N"));
}

function middle(frame: Frame, rank: number): number {
  return (xOf(frame, rank) + xOf(frame, rank + 1)) / 2;
}

function text(x: number, y: number, anchor: "start" | "middle" | "end", words: string): SVGTextElement {
  return svg("text", { x, y, "text-anchor": anchor, text: words });
}
