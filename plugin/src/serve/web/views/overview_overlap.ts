import type { ChangedQuery } from "../data/documents.ts";
import { html, refill, setText } from "../dom.ts";
import { ratio, visibleText } from "../format.ts";
import { nameColumn, numberColumn, table } from "../table.ts";
import { selectedPair } from "../view.ts";
import type { Part } from "./overview.ts";
import { name } from "./parts.ts";

/** What the rankings of the selected pair have in common in visits that nobody judged. */
export function overlapPart(): Part {
  const lead = html("p.shares"), remarks = html("ul.sentences");
  const title = html("h3", "Most changed queries");
  const rows = table<ChangedQuery>({ caption: "Queries without judgements that changed most" }, [
    nameColumn("Query", (query) => name(query.name)),
    numberColumn("Rank-biased overlap", ({ rbo }) => ratio(rbo),
      { attributes: { "data-number": "overlap/rbo" } }),
    numberColumn("Jaccard", ({ jaccard }) => ratio(jaccard),
      { attributes: { "data-number": "overlap/jaccard" } }),
  ]);
  const element = html("section.card.overlap", { "aria-label": "Queries without judgements" },
    html("h2", "Queries without judgements"), lead, remarks, title, rows.element);
  return { element, set(summary) {
    const overlap = selectedPair(summary)?.overlap ?? null;
    element.hidden = overlap === null;
    if (!overlap) return;
    setText(lead, visibleText(overlap.words.sentence));
    refill(remarks, overlap.words.remarks.map((line) => html("li", visibleText(line))));
    title.hidden = rows.element.hidden = overlap.most_changed.length === 0;
    rows.set(overlap.most_changed);
  } };
}
