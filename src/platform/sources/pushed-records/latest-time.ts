/** The latest time that a record can have, in epoch milliseconds: clocks differ, but not by more than a day. */
export function latestTime(now: Date): number {
  return now.getTime() + 24 * 60 * 60 * 1000;
}
