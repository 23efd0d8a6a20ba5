// What live views need so that new numbers do not disturb who is reading.
import type { Now } from "../view.ts";

/** Calls `load` at once when nothing was loaded for `pauseMs`, else as soon as that has passed. */
export class Pace {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity;

  constructor(private readonly pauseMs: number, private readonly load: () => void) {}

  wanted(): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => this.now(), Math.max(0, this.last + this.pauseMs - performance.now()));
  }

  now(): void {
    this.stop();
    this.last = performance.now();
    this.load();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** Whether anything was observed since the last time it was asked; the first time, nothing was. */
export class Seen {
  private state: string | null = null;

  changed(now: Now): boolean {
    const epoch = now.document?.summary?.epoch;
    const state = epoch ? `${epoch.number} ${epoch.observations}` : "";
    const changed = this.state !== null && state !== this.state;
    this.state = state;
    return changed;
  }
}

const focusable = "a[href], button, input, select, summary, [tabindex]";

/** Rebuilds what is in `container`; focus stays with the element of the same data-key, or place. */
export function keepingFocus(container: HTMLElement, rebuild: () => void): void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !container.contains(focused)) return rebuild();
  const place = Array.from(container.querySelectorAll(focusable)).indexOf(focused);
  const key = focused.dataset["key"];
  rebuild();
  if (container.contains(document.activeElement)) return;
  const found = key === undefined
    ? container.querySelectorAll<HTMLElement>(focusable)[place]
    : container.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? container.querySelector<HTMLElement>(focusable);
  found?.focus({ preventScroll: true });
}
