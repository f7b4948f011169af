/** Label filters: `name=value` selects a label with this value, `name` a label with any value. */
import { hasLabels } from '../runtime/engine/labels.js';

type Labels = Readonly<Record<string, string>>;

/**
 * The filters for the backend, which takes one for each name. Check its results with `matchesLabels`, because several
 * may be given for one name.
 */
export function labelFilter(given: readonly string[] = []): { labels?: Labels } {
  return given.length === 0 ? {} : { labels: Object.fromEntries(given.map(nameAndValue)) };
}

/** Lists the resources that match all filters, with a `list` that takes one for each name. */
export async function listMatching<Resource extends { readonly labels: Labels }>(
  given: readonly string[] | undefined,
  list: (filter: { labels?: Labels }) => Promise<readonly Resource[]>,
): Promise<Resource[]> {
  return (await list(labelFilter(given))).filter(matchesLabels(given));
}

/** Whether a resource matches all filters. */
export function matchesLabels(given: readonly string[] = []): (resource: { readonly labels: Labels }) => boolean {
  const wanted = given.map((each) => Object.fromEntries([nameAndValue(each)]));
  return ({ labels }) => wanted.every((each) => hasLabels(labels, each));
}

function nameAndValue(filter: string): [name: string, value: string] {
  const end = filter.indexOf('=');
  return end === -1 ? [filter, ''] : [filter.slice(0, end), filter.slice(end + 1)];
}
