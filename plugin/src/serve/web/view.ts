import type { PageData, Series, SummaryDocument } from "./data/documents.ts";
import type { Source } from "./data/source.ts";
import type { Place } from "./place.ts";

/** What is known now; a view reads it when it is made and whenever it is told of an update. */
export interface Now {
  readonly document: SummaryDocument;
  /** Null where there is none (has.series). */
  readonly series: Series | null;
}

/** What a view is made from. */
export interface Context {
  readonly data: PageData;
  readonly source: Source;
  readonly now: Now;
  readonly place: Place;
  /** Changes parameters of the address (null removes one) and tells the view: parameters(). */
  setParameters(changes: Record<string, string | null>): void;
}

/** A view on the page. */
export interface ShownView {
  /** Begins with an h1. */
  element: HTMLElement;
  /** The address has other parameters, its path is the same. Without it the view is made anew. */
  parameters?(place: Place): void;
  /** There are newer numbers; at most 4 times a second. Change texts, do not rebuild what has focus. */
  update?(now: Now): void;
  /** Another view comes: stop timers, close charts. */
  close?(): void;
}

export type View = (context: Context) => ShownView;

export interface Route {
  /** The first part of the path: "" or "topics"; further parts are the view's own. */
  name: string;
  /** In the navigation and the window's title. */
  title: string;
  view: View;
  /** Not in the navigation. */
  hidden?: boolean;
  /** Whether it makes sense for what is served; everywhere where it is left out. */
  fits?: (document: SummaryDocument | null) => boolean;
}
