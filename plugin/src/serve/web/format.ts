// Numbers as text. A value that does not exist is a dash, never 0.

export const none = "–";

const minus = (text: string) => text.replace(/^-/, "−");

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 12,345 */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? none : plain.format(value);
}

/** "1 topic", "12,345 topics"; give the plural where it is not the singular and s. */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : plural}`;
}

/** A score or a mean of scores: 0.0941 */
export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? none : minus(value.toFixed(4));
}

/** A difference of scores, with its sign: +0.0210 */
export function difference(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return none;
  const text = value.toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  return value > 0 ? `+${text}` : minus(text);
}

/** An interval of scores: [0.0012, 0.0408]; an end that is null is open. */
export function interval(low: number | null, high: number | null, end: (value: number) => string = score): string {
  if (low === null && high === null) return none;
  if (low === null) return `≤ ${end(high!)}`;
  if (high === null) return `≥ ${end(low)}`;
  return `[${end(low)}, ${end(high)}]`;
}

/** Three significant digits: 0.85, 14.2, 113, 1,240 */
export function significant(value: number | null | undefined): string {
  if (value === null || value === undefined) return none;
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return minus(value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
}

export function milliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? none : `${significant(value)} ms`;
}

export function microseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? none : `${significant(value)} µs`;
}

/** A share in [0, 1] as per cent: 18 %, 0.032 % */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? none : `${significantPercent(share * 100)} %`;
}

function significantPercent(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) >= 10 ? minus(value.toFixed(0)) : minus(String(Number(value.toPrecision(2))));
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const dated = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

type Time = string | number | Date;

/** 14:03:27 in the viewer's zone. */
export function timeOfDay(time: Time): string {
  return clock.format(new Date(time));
}

/** Date and time in the viewer's zone and manner. */
export function dateAndTime(time: Time | null | undefined): string {
  return time === null || time === undefined ? none : dated.format(new Date(time));
}

/** The viewer's zone: Europe/Berlin */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Characters that turn, or may turn, the direction of the text around them. */
const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A name from the data within a sentence or a picture: not longer than reads well, and turning nothing around it. */
export function nameInText(name: string, most = 40): string {
  const characters = Array.from(name);
  const short = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : name;
  return turning.test(short) ? `\u2068${short}\u2069` : short;
}

// What tests say, as text: the same digits as the tables of the command line.

/** 0.0123; what would be 0.0000 is <0.0001 */
export function pValue(p: number | null | undefined): string {
  if (p === null || p === undefined) return none;
  return p < 0.0001 ? "<0.0001" : p.toFixed(4);
}

/** A ratio, such as of latencies: 1.183 */
export function ratio(value: number | null | undefined): string {
  return value === null || value === undefined ? none : value.toFixed(3);
}

/** A share as it was given: 0.95 is "95 %", 0.999 "99.9 %". */
export function exactPercent(share: number): string {
  return `${Number((share * 100).toPrecision(6))} %`;
}

/** Wins, ties and losses: 126/81/93 */
export function outcomes(counts: { wins: number; ties: number; losses: number }): string {
  return `${counts.wins}/${counts.ties}/${counts.losses}`;
}
