/** Statistics as the charts of this page show them. */
import { durationOf } from '../charts/words.js';

/** As the server answers them. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  readonly median: number;
  readonly p75: number;
  readonly p90: number;
}

/** "3.2 days"; a dash where nothing is known. @param statistics of hours */
export function medianOf(statistics: Statistics | null): string {
  return statistics === null ? '–' : durationOf(statistics.median);
}

/** "1 request", "12 requests". @param plural where an s is not enough */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? singular : plural}`;
}
