// Numbers as text. A value that does not exist is a dash, never 0.

export const none = "–";

type Maybe<Value> = Value | null | undefined;

/** Applies `format`; missing values become a dash. */
function orDash<Value>(format: (value: Value) => string): (value: Maybe<Value>) => string {
  return (value) => (value === null || value === undefined ? none : format(value));
}

const minus = (text: string) => text.replace(/^-/, "−");
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 12,345 */
export const count = orDash<number>((value) => plain.format(value));

/** "1 topic", "12,345 topics"; give the plural if it is not the singular and s. */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : plural}`;
}

/** Formats a value as the program does: of two texts that are equally near, the even one. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits), last = Number(text.at(-1));
  const isTie = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  return isTie && last % 2 === 1 ? `${text.slice(0, -1)}${last - 1}` : text;
}

/** A score or a mean of scores: 0.0941 */
export const score = orDash<number>((value) => minus(fixed(value, 4)));

/** A difference of scores, with its sign: +0.0210 */
export function difference(value: Maybe<number>, digits = 4): string {
  if (value === null || value === undefined) return none;
  const text = fixed(value, digits);
  if (Number(text) === 0) return text.replace("-", "");
  return value > 0 ? `+${text}` : minus(text);
}

/** The size of a difference, without a sign: 0.0210 */
export const size = (value: Maybe<number>) => difference(value && Math.abs(value)).replace("+", "");

/** An interval: [0.0012, 0.0408]; an end that is null is open. */
export function interval(low: number | null, high: number | null, end = difference): string {
  if (low === null && high === null) return none;
  if (low === null) return `≤ ${end(high!)}`;
  return high === null ? `≥ ${end(low)}` : `[${end(low)}, ${end(high)}]`;
}

/** Three significant digits: 0.85, 14.2, 113, 1,240 */
export const significant = orDash<number>((value) => {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return minus(value.toLocaleString("en", fraction));
});

export const milliseconds = orDash<number>((value) => `${significant(value)} ms`);
export const microseconds = orDash<number>((value) => `${significant(value)} µs`);

/** A share in [0, 1] as per cent: 18 %, 0.032 % */
export const percent = orDash<number>((share) => {
  const value = share * 100;
  const text = Math.abs(value) >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
  return `${minus(text)} %`;
});

/** A share as it was given: 0.95 is "95 %", 0.999 "99.9 %". */
export const exactPercent = (share: number) => `${Number((share * 100).toPrecision(6))} %`;

/** 0.0123; values that would be 0.0000 are <0.0001. The digits of the command line's tables. */
export const pValue = orDash<number>((p) => (p < 0.0001 ? "<0.0001" : fixed(p, 4)));

export const ratio = orDash<number>((value) => fixed(value, 3));

export function outcomes(of: { wins: number; ties: number; losses: number }): string {
  return `${of.wins}/${of.ties}/${of.losses}`;
}

type Time = string | number | Date;

const hourAndMinute = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const clock = new Intl.DateTimeFormat(undefined, { ...hourAndMinute, second: "2-digit" });
const day = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
const dated = new Intl.DateTimeFormat(undefined, { ...day, ...hourAndMinute });

/** 14:03:27 in the viewer's zone. */
export const timeOfDay = (time: Time) => clock.format(new Date(time));

/** Date and time in the viewer's zone and manner. */
export const dateAndTime = orDash<Time>((time) => dated.format(new Date(time)));

export const dayMs = 24 * 60 * 60 * 1000;

/** The time of day if it was within the last 24 hours, else date and time. */
export const recentTime = (time: Time) =>
  (Date.now() - new Date(time).getTime() < dayMs ? timeOfDay(time) : dateAndTime(time));

/** The viewer's zone: Europe/Berlin */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Letters of scripts that are written from right to left. */
const turning = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/**
 * A text in which control characters, and those that change the direction of the text around them,
 * are written as \\u and their number.
 */
export const visibleText = (text: string) => text.replace(
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
  (character) =>
    `\\u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);

/** At most `most` characters of a name, the last an ellipsis if some are left out. */
export function shortened(name: string, most: number): string {
  const characters = Array.from(name);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : name;
}

/**
 * A name from the data inside a sentence or a picture: short, and isolated from the text around.
 */
export function nameInText(name: string, most = 40): string {
  const short = shortened(visibleText(name), most);
  return turning.test(short) ? `\u2068${short}\u2069` : short;
}
