/** What became of a citation. */
export function what({ before, after }: { before: number | null; after: number | null }): string {
  if (before === null) return after === null ? "not found" : "gained";
  if (after === null) return "lost";
  return after < before ? "up" : after > before ? "down" : "same rank";
}

/** Of PRES@100 it is 100; null of a measure without. */
export function cutoffOf(measure: string | null): number | null {
  const [, cutoff] = measure?.split("@") ?? [];
  return cutoff ? Number(cutoff) : null;
}
