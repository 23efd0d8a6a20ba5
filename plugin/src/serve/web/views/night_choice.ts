/** Night numbers from an address, two at most: "3,5". */
export function parseNights(text: string | null): number[] {
  return (text ?? "").split(",").map(Number).filter((night) => Number.isInteger(night) && night > 0).slice(0, 2);
}

/** With `night` chosen, or no longer chosen; of three the one that was chosen first goes. */
export function toggled(chosen: number[], night: number): number[] {
  return chosen.includes(night) ? chosen.filter((each) => each !== night) : [...chosen, night].slice(-2);
}
