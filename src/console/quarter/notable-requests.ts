export interface NotableRequest {
  readonly id: string;
  readonly title: string | null;
  readonly repo: string;
  readonly churnLoc: number | null;
  readonly cycleTimeHours: number | null;
}

const [mostLargest, most] = [3, 5];

/**
 * The three requests with the most changed lines, then those that took longest until there are five. A request whose size
 * or duration is not known does not stand out by it.
 *
 * @param largest first
 * @param longest first
 */
export function notableRequests(
  largest: readonly NotableRequest[],
  longest: readonly NotableRequest[],
): readonly NotableRequest[] {
  const large = largest.filter(({ churnLoc }) => churnLoc !== null).slice(0, mostLargest);
  const long = longest.filter(
    ({ id, cycleTimeHours }) => cycleTimeHours !== null && large.every((one) => one.id !== id),
  );
  return [...large, ...long].slice(0, most);
}
