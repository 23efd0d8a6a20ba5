import { armName } from "../arms.ts";
import type { TopicsPage } from "../data/documents.ts";
import { element, fill, setText } from "../dom.ts";
import { explained } from "../explain.ts";
import { count, counted, difference } from "../format.ts";
import { named } from "./names.ts";

type Bin = TopicsPage["strip"][number];

/** Wins, ties and losses in words, and how far apart the arms are in how many topics. */
export interface OutcomeStrip {
  element: HTMLElement;
  set(page: TopicsPage, looks: { a: number; b: number }): void;
}

const leastReach = 0.25;

export function outcomeStrip(): OutcomeStrip {
  const words = element("p", { class: "outcome-words" });
  const readout = element("p", { class: "readout", "aria-live": "polite" });
  const plot = element("div", { class: "plot strip", tabindex: 0, role: "img", "data-key": "strip" });
  const legend = element("div", { class: "strip-legend" });
  const figure = element("figure", { class: "outcomes" }, words, legend, plot, readout);
  let bins: Bin[] = [], at: number | null = null, page: TopicsPage | null = null;
  const read = (index: number | null) => {
    at = index;
    plot.querySelectorAll("[data-bin]").forEach((bar) =>
      bar.classList.toggle("chosen", bar.getAttribute("data-bin") === String(index)));
    setText(readout, page === null ? "" : index === null ? hint(page) : binWords(bins[index]!, page));
  };
  plot.addEventListener("keydown", (event) => {
    const to = moved(event.key, at, bins.length);
    if (to === undefined) return;
    event.preventDefault();
    read(to);
  });
  plot.addEventListener("pointermove", (event) => {
    const { left, width } = plot.getBoundingClientRect();
    read(Math.min(bins.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bins.length))));
  });
  plot.addEventListener("pointerleave", () => read(null));
  return { element: figure, set: (shown, looks) => {
    figure.hidden = shown.b === null || shown.wins + shown.ties + shown.losses === 0;
    if (figure.hidden || shown.b === null) return;
    page = shown;
    bins = inReach(shown.strip);
    fill(words, ...outcomeWords(shown));
    fill(legend, element("span", {}, "← ", armName(looks.a, shown.a), " ahead"),
      element("span", {}, armName(looks.b, shown.b), " ahead →"));
    plot.setAttribute("aria-label", stripWords(shown, bins));
    fill(plot, ...drawing(bins, looks));
    read(at === null || at >= bins.length ? null : at);
  } };
}

function hint({ measure }: TopicsPage): string {
  return `Topics by their difference in ${measure}, in steps of 0.05. Point at a bar, or use the arrow keys, to read it.`;
}

function moved(key: string, at: number | null, length: number): number | undefined {
  switch (key) {
    case "ArrowLeft": return at === null ? (length >> 1) - 1 : Math.max(0, at - 1);
    case "ArrowRight": return at === null ? length >> 1 : Math.min(length - 1, at + 1);
    case "Home": return 0;
    case "End": return length - 1;
    default: return undefined;
  }
}

function outcomeWords({ a, b, measure, wins, ties, losses }: TopicsPage) {
  const line = `Topics in which ${named(b ?? "")} scores higher than, the same as, and lower than ${named(a)} in ${measure} (mean over visits).`;
  return [
    explained([element("strong", { text: count(wins) }), ` ${wins === 1 ? "topic goes" : "topics go"} to `, element("bdi", { text: named(b ?? "") })], line), ", ",
    explained([element("strong", { text: count(losses) }), " to ", element("bdi", { text: named(a) })], line), ", ",
    explained([element("strong", { text: count(ties) }), ties === 1 ? " is level" : " are level"], line),
    element("span", { class: "quiet" }, ` (${measure}, of ${counted(wins + ties + losses, "topic")} that both served)`),
  ];
}

/** The bins around 0 as far as any difference goes, as many on either side. */
export function inReach(strip: readonly Bin[]): Bin[] {
  const reach = strip.filter((bin) => bin.topics > 0)
    .reduce((most, bin) => Math.max(most, Math.abs(bin.low), Math.abs(bin.high)), leastReach) + 1e-9;
  return strip.filter((bin) => Math.abs(bin.low) <= reach && Math.abs(bin.high) <= reach);
}

/** The largest absolute difference that the strip has room for. */
export function reachOf(strip: readonly Bin[]): number {
  return inReach(strip).reduce((most, bin) => Math.max(most, bin.high), 0);
}

function stripWords(page: TopicsPage, bins: readonly Bin[]): string {
  const fullest = bins.reduce((most, bin) => (bin.topics > most.topics ? bin : most));
  return `Topics by how far apart the arms are. ${named(page.b ?? "")} ahead in ${page.wins}, ${named(page.a)} in ${page.losses}, level in ${page.ties}. ` +
    `Fullest: ${binWords(fullest, page)} Arrow keys read each bar.`;
}

function binWords(bin: Bin, page: TopicsPage): string {
  const [near, far] = [Math.abs(bin.low), Math.abs(bin.high)].sort((x, y) => x - y) as [number, number];
  const ahead = named((bin.low >= 0 ? page.b : page.a) ?? "");
  return `${counted(bin.topics, "topic")}: ${ahead} ahead by ${near.toFixed(2)} to ${far.toFixed(2)}.`;
}

function drawing(bins: readonly Bin[], looks: { a: number; b: number }): HTMLElement[] {
  const most = Math.max(1, ...bins.map((bin) => bin.topics));
  const bars = bins.map((bin, i) => {
    const bar = element("div", { class: "strip-bar" });
    bar.style.height = bin.topics === 0 ? "0" : `max(2px, ${((bin.topics / most) * 100).toFixed(2)}%)`;
    return element("div", { class: `strip-bin arm-${(bin.low >= 0 ? looks.b : looks.a) % 6}${i * 2 === bins.length ? " middle" : ""}`, "data-bin": i },
      element("span", { class: "strip-count", text: bin.topics === 0 ? "" : count(bin.topics) }),
      element("div", { class: "strip-column" }, bar));
  });
  return [element("div", { class: "strip-bins" }, bars), axis(bins.at(-1)?.high ?? 1)];
}

function axis(reach: number): HTMLElement {
  return element("div", { class: "strip-axis" }, [-1, -0.5, 0, 0.5, 1].map((part) => {
    const label = element("span", { text: part === 0 ? "0" : difference(part * reach).replace(/(\.\d\d\d?)0+$/, "$1").replace(/(\.\d\d)0$/, "$1") });
    label.style.left = `${(part + 1) * 50}%`;
    return label;
  }));
}
