import { element, fill } from "../../dom.ts";
import { explained } from "../../explain.ts";
import { vitals } from "../../health.ts";
import { href } from "../../place.ts";
import type { Part } from "./part.ts";

/** Whether the numbers above can be trusted, at a glance. */
export function healthPart(title: string, link: boolean): Part {
  const tiles = element("dl", { class: "vitals" });
  const more = element("a", { text: "All counters" });
  let shape = "";
  return {
    element: element("section", { class: "card" }, element("div", { class: "card-head" }, element("h2", { text: title }), link && more), tiles),
    set({ summary }) {
      more.setAttribute("href", href("health"));
      const shown = vitals(summary);
      const wanted = shown.map((vital) => vital.key).join();
      if (wanted !== shape)
        fill(tiles, shown.map((vital) => element("div", { "data-vital": vital.key }, element("dt", {}, explained(vital.name, vital.explanation)),
          element("dd", { class: "value" }), element("dd", { class: "small" }))));
      shape = wanted;
      shown.forEach((vital, index) => {
        const tile = tiles.children[index] as HTMLElement;
        tile.className = `vital ${vital.tone}`;
        tile.children[1]!.textContent = vital.value;
        tile.children[2]!.textContent = vital.of;
      });
    },
  };
}
