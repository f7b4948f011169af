/** Why work changed: the repositories, phases and sizes behind a change. Teams are not named as a reason, which would rank them. */
import { durationOf, numberOf, percentOf, unitsOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import { changeIn, fewest, isEnough, largestPart, sharesFrom, sumOf, type Pair, type Part } from './parts.js';
import type { Figure, Sentence } from './sentence.js';
import type { Span } from './span.js';
import { texts } from './texts.js';
import { changeOfTotal, type Both } from './work-sentences.js';

/** A median, and of how many requests. */
export interface Median {
  readonly count: number;
  readonly median: number;
}

/** A median of both periods; null: it is not known, or there is no former period to compare with. */
export interface MedianPair {
  readonly key: string;
  readonly now: Median | null;
  readonly before: Median | null;
}

/** Names the repository with the largest part of the change of the total. */
export function totalReason(
  total: Pair,
  repos: readonly Part[],
  span: Span,
  hrefs: (repo: string) => Both,
): readonly Sentence[] {
  const change = changeOfTotal(total);
  const repo = largestPart(repos, change);
  if (change === 0 || repo === undefined || Math.max(repo.now ?? 0, repo.before ?? 0) < fewest) return [];
  const href = hrefs(repo.key);
  const now: Figure = { text: unitsOf(Math.round(repo.now ?? 0)), href: href.now };
  const before: Figure = { text: numberOf(Math.round(repo.before ?? 0)), href: href.before };
  return [texts.why.total(repo.key, now, before, change > 0, span)];
}

/**
 * Names the theme that moved most, and the repository with the largest part of that.
 *
 * @param theme with its shares of all work
 * @param repos the work units of the theme by repository; null: they are not known yet
 */
export function themeReason(
  theme: Part,
  total: Pair,
  repos: readonly Part[] | null,
  span: Span,
  hrefs: (repo: string) => Both,
): readonly Sentence[] {
  const change = changeIn(theme);
  const points = `${numberOf(Math.round(Math.abs(change) * 100))} percentage ${Math.round(Math.abs(change) * 100) === 1 ? 'point' : 'points'}`;
  const moved = texts.why.theme(theme.key, points, change > 0);
  const enough = (repos ?? []).filter(({ now, before }) => Math.max(now ?? 0, before ?? 0) >= fewest);
  const repo = largestPart(sharesFrom(enough, total), change);
  if (repo === undefined) return [moved];
  const href = hrefs(repo.key);
  const now: Figure = { text: percentOf(repo.now ?? 0), href: href.now };
  const before: Figure = { text: percentOf(repo.before ?? 0), href: href.before };
  return now.text === before.text ? [moved] : [moved, texts.why.themeIn(theme.key, repo.key, now, before, span)];
}

export interface CycleTimes {
  /** Of all merged requests. */
  readonly all: MedianPair;
  /** The share of the merged requests in which it is known, from 0 to 1; null: there are none. */
  readonly coverage: number | null;
  readonly phases: readonly MedianPair[];
  readonly repos: readonly MedianPair[];
  /** In lines. */
  readonly sizes: MedianPair;
}

export interface CycleLinks {
  readonly all: Both;
  readonly repo: (repo: string) => Both;
  readonly sizes: Both;
}

/** How long requests took, and which phase, repository and size changed with that. */
export function cycleSentences(
  { all, coverage, phases, repos, sizes }: CycleTimes,
  span: Span,
  links: CycleLinks,
): readonly Sentence[] {
  if (all.now === null) return [texts.why.cycle.unknown()];
  if (all.now.count < fewest) {
    return [texts.why.cycle.few({ text: requestsIn(all.now), href: links.all.now })];
  }
  const now: Figure = { text: durationOf(all.now.median), href: links.all.now };
  const partly = coverage !== null && coverage < 0.95 ? [texts.why.partly(percentOf(coverage))] : [];
  const size = sizeSentences(sizes, span, links.sizes);
  if (all.before === null || all.before.count < fewest) {
    return [[...texts.why.cycle.alone(now), ...partly], ...size];
  }
  const before: Figure = { text: durationOf(all.before.median), href: links.all.before };
  if (now.text === before.text) return [[...texts.why.cycle.same(now, span), ...partly], ...size];
  const change = all.now.median - all.before.median;
  return [
    [...texts.why.cycle.changed(now, before, span), ...partly],
    ...reasonIn(phases, change, () => 1).flatMap(({ key, now: phase, before: former }) =>
      phase.text === former.text
        ? []
        : [
            texts.why.phase(
              texts.phases[key] ?? key,
              { ...phase, href: links.all.now },
              { ...former, href: links.all.before },
              span,
            ),
          ],
    ),
    ...reasonIn(repos, change, ({ count: requests }) => requests).flatMap(({ key, now: repo, before: former }) => {
      const href = links.repo(key);
      return repo.text === former.text
        ? []
        : [texts.why.repo(key, { ...repo, href: href.now }, { ...former, href: href.before }, span)];
    }),
    ...size,
  ];
}

interface Reason {
  readonly key: string;
  readonly now: Pick<Figure, 'text'>;
  readonly before: Pick<Figure, 'text'>;
}

/**
 * The group with the largest change of its median in a direction, as a list of one or none.
 *
 * @param weight what the change of a group counts
 */
function reasonIn(
  groups: readonly MedianPair[],
  direction: number,
  weight: (now: Median) => number,
): readonly Reason[] {
  const known = groups.flatMap(({ key, now, before }) =>
    now === null || before === null || !isEnough({ now: now.count, before: before.count })
      ? []
      : [
          {
            key,
            now: now.median * weight(now),
            before: before.median * weight(now),
            medians: [now.median, before.median] as const,
          },
        ],
  );
  const largest = largestPart(known, direction);
  if (largest === undefined) return [];
  const [now, before] = largest.medians;
  return [{ key: largest.key, now: { text: durationOf(now) }, before: { text: durationOf(before) } }];
}

function sizeSentences({ now, before }: MedianPair, span: Span, href: Both): readonly Sentence[] {
  if (now === null || before === null || !isEnough({ now: now.count, before: before.count })) return [];
  const size: Figure = { text: count(now.median, 'line', 'lines'), href: href.now };
  const former: Figure = { text: numberOf(before.median), href: href.before };
  return now.median === before.median
    ? [texts.why.size.same(size, span)]
    : [texts.why.size.changed(size, former, span)];
}

function requestsIn({ count: requests }: Median): string {
  return count(requests, 'pull request', 'pull requests');
}

/** The sum of work units over types of work, in both periods. */
export function totalsFrom(
  now: readonly { readonly key: string; readonly value: number }[],
  before: readonly { readonly key: string; readonly value: number }[] | null,
): Pair & { readonly now: number } {
  return { now: sumOf(now) ?? 0, before: sumOf(before) };
}
