const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

export interface TimeTick {
  time: number;
  text: string;
}

/** Steps within a day, aligned to the viewer's midnight. */
const steps = [1, 2, 5, 10, 15, 30].map((n) => n * second).concat([1, 2, 5, 10, 15, 30].map((n) => n * minute)).concat([1, 2, 3, 6, 12].map((n) => n * hour));
const dayCounts = [1, 2, 7, 14];
const monthCounts = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const dayOfMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const month = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" });
const year = new Intl.DateTimeFormat(undefined, { year: "numeric" });

/** Round times of the viewer's zone within [first, last], about `count` of them at most; `first` < `last`. */
export function timeTicks(first: number, last: number, count: number): TimeTick[] {
  const span = last - first;
  const step = steps.find((each) => span / each <= count);
  if (step) return withinDays(first, last, step);
  const days = dayCounts.find((each) => span / (each * day) <= count);
  if (days) return walk(first, last, (at) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days), midnight(first), dayOfMonth);
  const months = monthCounts.find((each) => span / (each * 30.4 * day) <= count) ?? 1200;
  const begin = new Date(first);
  const years = Math.max(1, months / 12);
  const aligned = new Date(begin.getFullYear() - begin.getFullYear() % years, months < 12 ? begin.getMonth() - begin.getMonth() % months : 0, 1);
  return walk(first, last, (at) => new Date(at.getFullYear(), at.getMonth() + months, 1), aligned, months < 12 ? month : year);
}

function midnight(time: number): Date {
  const at = new Date(time);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate());
}

function withinDays(first: number, last: number, step: number): TimeTick[] {
  const ticks: TimeTick[] = [];
  const begin = midnight(first).getTime();
  for (let time = begin + Math.ceil((first - begin) / step) * step; time <= last; time += step) {
    const isMidnight = midnight(time).getTime() === time;
    ticks.push({ time, text: (isMidnight ? dayOfMonth : step < minute ? clockWithSeconds : clock).format(time) });
  }
  return ticks;
}

function walk(first: number, last: number, next: (at: Date) => Date, begin: Date, format: Intl.DateTimeFormat): TimeTick[] {
  const ticks: TimeTick[] = [];
  for (let at = begin; at.getTime() <= last; at = next(at)) {
    if (at.getTime() >= first) ticks.push({ time: at.getTime(), text: format.format(at) });
  }
  return ticks;
}
