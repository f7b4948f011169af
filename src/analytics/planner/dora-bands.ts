/**
 * The performance bands of DORA's four keys, with the borders of DORA's Four Keys project ("Color coding" of
 * https://github.com/dora-team/fourkeys/blob/main/README.md and the queries of its METRICS.md), which follow the State of
 * DevOps Report of 2019. Later reports have other borders, some of which are not in the order of the levels.
 */
import type { DoraBand, DoraBands, DoraKeys } from '../analytics.js';

/** Hours. The project takes 730 for a month. */
const DAY = 24;
const WEEK = 7 * DAY;
const MONTH = 730;

/** In fewer days, a number of deployments per month says nothing. */
const FEWEST_DAYS = 28;

/** @param days of the keys. A band is null where nothing is known of its key. */
export function bandsOf(
  { deploymentFrequency, leadTime, changeFailureRate, timeToRestore }: Omit<DoraKeys, 'bands'>,
  days: number,
): DoraBands {
  const { deployments } = deploymentFrequency;
  const hoursBetween = deployments === 0 || days < FEWEST_DAYS ? null : (days * DAY) / deployments;
  const { rate } = changeFailureRate;
  return {
    deploymentFrequency: hoursBetween === null ? null : band(hoursBetween <= WEEK, hoursBetween <= MONTH),
    leadTime: ofMedian(leadTime.statistics?.median, WEEK, MONTH),
    changeFailureRate: rate === null ? null : band(rate <= 0.15, rate < 0.46),
    timeToRestore: ofMedian(timeToRestore.statistics?.median, DAY, WEEK),
  };
}

function ofMedian(hours: number | undefined, strong: number, moderate: number): DoraBand | null {
  return hours === undefined ? null : band(hours < strong, hours < moderate);
}

function band(isStrong: boolean, isModerate: boolean): DoraBand {
  return isStrong ? 'STRONG' : isModerate ? 'MODERATE' : 'POOR';
}
