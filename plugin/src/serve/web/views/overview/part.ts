import type { Summary } from "../../data/documents.ts";
import type { Place } from "../../place.ts";
import type { Now } from "../../view.ts";

/** What a part of the overview is shown of. */
export interface Shown {
  place: Place;
  now: Now;
  summary: Summary;
}

/** A part of the overview; keeps its element. */
export interface Part {
  element: HTMLElement;
  set(shown: Shown): void;
  close?(): void;
}
