const longest = 32;

/** Characters that turn, or may turn, the direction of the text around them. */
const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A name from the data within a sentence: not longer than reads well, and turning nothing around it. */
export function named(name: string): string {
  const characters = Array.from(name);
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : name;
  return turning.test(shown) ? `\u2068${shown}\u2069` : shown;
}
