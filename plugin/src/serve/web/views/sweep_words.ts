// What a sweep over cutoffs says, in words: who is ahead where, and where that turns.
import type { Sweep } from "../data/documents.ts";
import { named } from "./names.ts";

export const sweepMeasures = ["PRES", "R", "AP"] as const;
export type SweepMeasure = (typeof sweepMeasures)[number];

/** Closer than this, two means are called level: they look the same with three digits. */
export const level = 0.0005;

/** A stretch of cutoffs, first and last included, in which one arm is ahead, or none (null). */
export interface Stretch {
  ahead: string | null;
  first: number;
  last: number;
}

type SweepArm = Sweep["arms"][number];

/** Who of two arms is ahead, from cutoff to cutoff; cutoffs where one has no value are left out. */
export function stretches(sweep: Sweep, measure: SweepMeasure, a: SweepArm, b: SweepArm): Stretch[] {
  const found: Stretch[] = [];
  sweep.cutoffs.forEach((cutoff, i) => {
    const from = a[measure][i] ?? null, to = b[measure][i] ?? null;
    if (from === null || to === null) return;
    const ahead = Math.abs(to - from) < level ? null : to > from ? b.name : a.name;
    const last = found.at(-1);
    if (last && last.ahead === ahead) last.last = cutoff;
    else found.push({ ahead, first: cutoff, last: cutoff });
  });
  return found;
}

export const measureWords: Record<SweepMeasure, string> = { PRES: "PRES", R: "Recall", AP: "MAP" };

/** "Recall: bm25 is ahead up to N = 200, tfidf is ahead from N = 250 on." */
export function sentence(sweep: Sweep, measure: SweepMeasure, a: SweepArm, b: SweepArm): string {
  return `${measureWords[measure]}: ${course(stretches(sweep, measure, a, b))}.`;
}

/** A sentence for each measure, one for those of which the same can be said. */
export function sentences(sweep: Sweep, a: SweepArm, b: SweepArm): string[] {
  const said = new Map<string, string[]>();
  for (const measure of sweepMeasures) {
    const words = course(stretches(sweep, measure, a, b));
    said.set(words, [...(said.get(words) ?? []), measureWords[measure]]);
  }
  return [...said].map(([words, measures]) => `${listed(measures)}: ${words}.`);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function course(parts: readonly Stretch[]): string {
  if (parts.length === 0) return "no cutoff at which both have a value";
  const only = parts[0]!;
  if (parts.length === 1) return only.ahead === null ? "level at every cutoff" : `${named(only.ahead)} is ahead at every cutoff`;
  const clauses = parts.map((part, i) => {
    const who = part.ahead === null ? "level" : `${named(part.ahead)} is ahead`;
    return `${who} ${where(part, i === 0, i === parts.length - 1)}`;
  });
  return clauses.join(", ");
}

function where(part: Stretch, isFirst: boolean, isLast: boolean): string {
  if (isFirst && part.first !== part.last) return `up to N = ${part.last}`;
  if (isLast && part.first !== part.last) return `from N = ${part.first} on`;
  if (part.first === part.last) return `at N = ${part.first}`;
  return `from N = ${part.first} to ${part.last}`;
}

/** How many times who is ahead turns over, level stretches aside. */
export function flips(parts: readonly Stretch[]): number {
  const ahead = parts.filter((part) => part.ahead !== null);
  return ahead.filter((part, i) => i > 0 && part.ahead !== ahead[i - 1]!.ahead).length;
}

/** The stretches of cutoffs in which measures name different arms, or null where none do. */
export function disagreement(sweep: Sweep, a: SweepArm, b: SweepArm): string | null {
  const found: { words: string; first: number; last: number }[] = [];
  sweep.cutoffs.forEach((cutoff, i) => {
    const words = disagreementAt(sweep, a, b, i);
    const last = found.at(-1);
    if (words && last && last.words === words && last.last === sweep.cutoffs[i - 1]) last.last = cutoff;
    else if (words) found.push({ words, first: cutoff, last: cutoff });
  });
  if (found.length === 0) return null;
  const widest = found.slice(0, 3).map(({ words, first, last }) =>
    `${first === last ? `at N = ${first}` : `from N = ${first} to ${last}`} ${words}`);
  return `The measures disagree: ${widest.join("; ")}${found.length > 3 ? "; and elsewhere" : ""}.`;
}

/** "PRES and Recall say bm25, MAP says tfidf", or null where they agree. */
function disagreementAt(sweep: Sweep, a: SweepArm, b: SweepArm, i: number): string | null {
  const one = { cutoffs: sweep.cutoffs.slice(i, i + 1), arms: [] };
  const says = new Map<string, string[]>();
  for (const measure of sweepMeasures) {
    const at = (arm: SweepArm) => ({ ...arm, [measure]: [arm[measure][i] ?? null] });
    const ahead = stretches(one, measure, at(a), at(b))[0]?.ahead;
    if (ahead) says.set(ahead, [...(says.get(ahead) ?? []), measureWords[measure]]);
  }
  if (says.size < 2) return null;
  return [...says].map(([arm, words]) =>
    `${words.join(" and ")} ${words.length === 1 ? "says" : "say"} ${named(arm)}`).join(", ");
}
