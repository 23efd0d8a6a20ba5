// Cells of tables about live differences.
import type { Difference } from "../data/documents.ts";
import { html, picture, svg } from "../dom.ts";
import { visibleText } from "../format.ts";

/** The difference that the interval is about; without one, the mean difference. */
export const shownMean = ({ mean, live }: Difference) => live ? live.mean : mean;

/** Only a verdict has a colour. */
const isVerdict = ({ live }: Difference) =>
  live?.state === "leading" || live?.state === "confirmed";

/**
 * The tag names the better arm, so it never has the colour of a loss. `planned` is the state of a
 * planned test, which then is the verdict.
 */
export function stateTag(of: Difference, words: string, planned?: string): HTMLElement {
  const isShown = planned ? planned === "better" || planned === "worse" : isVerdict(of);
  const tone = of.live?.state === "leading" ? "warn" : "good";
  return html("span.tag", { class: isShown ? tone : null }, visibleText(words));
}

/** The largest value that the pictures of all rows must show. */
export function reachOf(differences: Difference[]): number {
  return Math.max(0.01, ...differences.flatMap((of) => {
    const ends = of.live;
    return ends && isBounded(ends) ? [ends.low, ends.high] : [of.mean ?? 0];
  }).map(Math.abs));
}

export const isBounded = ({ low, high }: { low: number; high: number }) => low > -1 || high < 1;

const width = 180, height = 18, middle = height / 2;

/** An interval on a line from -reach to reach with its mean and 0; the numbers stand beside it. */
export function intervalPicture(of: Difference, reach: number): SVGSVGElement {
  const x = (value: number) =>
    (Math.min(1, Math.max(-1, value / reach)) * (width / 2 - 4) + width / 2).toFixed(1);
  const ends = of.live, mean = shownMean(of);
  const tone = !isVerdict(of) ? "" : (mean ?? 0) > 0 ? "good" : "bad";
  return picture("svg.interval", { width, height, class: tone },
    svg("path.axis", { d: `M0 ${middle}H${width}` }),
    svg("path.zero", { d: `M${width / 2} 1V${height - 1}` }),
    ends && isBounded(ends)
      && svg("path.range", { d: `M${x(ends.low)} ${middle}H${x(ends.high)}` }),
    mean !== null && svg("circle.mean", { cx: x(mean), cy: middle, r: 4 }));
}
