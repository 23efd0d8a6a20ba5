// What live views need so that new numbers do not disturb who is reading.
import { element, setText } from "../dom.ts";
import type { Now, ShownView } from "../view.ts";

/** A view of a document that is loaded anew when something was observed, at most once in `pauseMs`. */
export abstract class LoadingView<Document> implements ShownView {
  abstract readonly element: HTMLElement;
  /** Says why the document could not be loaded. */
  protected readonly problem = element("p", { class: "problem", role: "alert", hidden: true });
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity;
  private asked = 0;
  private state: string | null = null;

  constructor(private readonly pauseMs: number) {}

  protected abstract fetch(): Promise<Document>;
  protected abstract show(document: Document): void;

  protected loadNow(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = performance.now();
    void this.load();
  }

  update(now: Now): void {
    const epoch = now.document?.summary?.epoch;
    const state = epoch ? `${epoch.number} ${epoch.observations}` : "";
    const changed = this.state !== null && state !== this.state;
    this.state = state;
    if (changed) this.timer ??= setTimeout(() => this.loadNow(), Math.max(0, this.last + this.pauseMs - performance.now()));
  }

  close(): void {
    ++this.asked;
    clearTimeout(this.timer);
  }

  private async load(): Promise<void> {
    const asked = ++this.asked;
    try {
      const document = await this.fetch();
      if (asked !== this.asked) return;
      this.problem.hidden = true;
      this.show(document);
    } catch (error) {
      if (asked !== this.asked) return;
      setText(this.problem, error instanceof Error ? error.message : String(error));
      this.problem.hidden = false;
    }
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
