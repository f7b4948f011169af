/** How values of the analytics are written for people. */

/** Values for what has no other, which are grey. */
const rests: ReadonlySet<string> = new Set(['other', 'unassigned', 'unclassified', 'unassisted', 'unplanned', '']);

const themes = ['feature_delivery', 'operational', 'maintenance', 'quality', 'risk'];

/** `quality.testing` becomes "Testing", `feature_delivery` "Feature delivery". Other values stay as they are. */
export function wordsOf(dimension: string, value: string): string {
  if (value === '') return 'Unknown';
  if (!['THEME', 'SUBCATEGORY', 'WORK_TYPE', 'PLAN'].includes(dimension)) return value;
  const name = value.slice(value.indexOf('.') + 1).replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The token of a series' colour: themes keep theirs in every chart, other series have one by their position. */
export function colorTokenOf(dimension: string, value: string, position: number): string {
  if (rests.has(value)) return '--series-6';
  if (dimension === 'THEME' || dimension === 'SUBCATEGORY') {
    const at = themes.indexOf(value.split('.')[0] ?? '');
    return at === -1 ? '--series-6' : `--series-${at + 1}`;
  }
  return `--series-${(position % 5) + 1}`;
}

/** 1,234, 12.5 or 0.25: two digits after the point below 10, so that shares add up, and none from 100 on. */
export function numberOf(value: number): string {
  return rounded(value, Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}

/** "1 work unit", "12.5 work units". */
export function unitsOf(value: number): string {
  return `${numberOf(value)} work ${value === 1 ? 'unit' : 'units'}`;
}

function rounded(value: number, digits: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

/** 42 %. */
export function percentOf(part: number): string {
  return part.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: part < 0.1 && part > 0 ? 1 : 0 });
}

/** Hours below two days, days above: "5.5 h", "3.2 days". */
export function durationOf(hours: number): string {
  return hours < 48 ? `${rounded(hours, 1)} h` : `${rounded(hours / 24, hours < 2400 ? 1 : 0)} days`;
}

/** In the unit that people would say it in: a day, a week or a month. */
export function frequencyOf(perDay: number | null): string {
  if (perDay === null) return '–';
  if (perDay >= 1) return `${numberOf(perDay)} per day`;
  return perDay * 7 >= 1 ? `${numberOf(perDay * 7)} per week` : `${numberOf((perDay * 365) / 12)} per month`;
}

/** The unit of an axis: how much of the value it is, and how a value is written in it. */
export interface AxisUnit {
  readonly size: number;
  readonly format: (value: number) => string;
}

/** Hours for durations up to four days, days above. */
export function durationsUpTo(largest: number): AxisUnit {
  return largest <= 96
    ? { size: 1, format: (hours) => `${rounded(hours, 1)} h` }
    : { size: 24, format: (hours) => `${rounded(hours / 24, 1)} d` };
}

/** A calendar day (YYYY-MM-DD) as the browser's locale writes it. */
export function dayOf(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
}

/** The same without the year, for the axis of a chart. */
export function shortDayOf(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}
