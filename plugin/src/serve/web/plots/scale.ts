/** Values to places in a drawing, linearly. `low` < `high`. */
export interface Scale {
  low: number;
  high: number;
  first: number;
  last: number;
}

export function at(scale: Scale, value: number): number {
  return scale.first + ((value - scale.low) / (scale.high - scale.low)) * (scale.last - scale.first);
}

/** The value at a place: what `at` undoes. */
export function valueAt(scale: Scale, place: number): number {
  return scale.low + ((place - scale.first) / (scale.last - scale.first)) * (scale.high - scale.low);
}

/** Round values within [low, high], about `count` of them, a step of 1, 2 or 5 times a power of 10 apart. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const values: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    values.push(Number((i * step).toPrecision(12)));
  }
  return values;
}

/** With as many digits as the step between `values` needs; with a sign where `signed`. */
export function tickTexts(values: number[], signed = false): string[] {
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : Math.abs(values[0] ?? 1) || 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((value) => {
    const text = Math.abs(value).toFixed(digits);
    if (Number(text) === 0) return "0";
    if (value < 0) return `−${text}`;
    return signed ? `+${text}` : text;
  });
}
