// Numbers as text. A value that does not exist is a dash, never 0.

export { meanName } from "./measures.ts";

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
export function difference(value: number | null | undefined): string {
  if (value === null || value === undefined) return none;
  const text = value.toFixed(4);
  if (Number(text) === 0) return "0.0000";
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

/** 45 s, 12 min, 3 h 20 min, 2 d 4 h */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${hours / 24} d`;
}

/**
 * An arbitrary name within a sentence or a picture: shortened where it is long, and kept from
 * turning the direction of what stands around it.
 */
export function nameInText(name: string, most = 40): string {
  const characters = Array.from(name);
  const short = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : name;
  return /[^\x20-\x7e…]/.test(short) ? `\u2068${short}\u2069` : short;
}

