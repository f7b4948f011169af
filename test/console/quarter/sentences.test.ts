import { describe, expect, test } from 'vitest';
import { notableRequests } from '../../../src/console/quarter/notable-requests.js';
import { fewest, largestPart, partsFrom, type Part } from '../../../src/console/quarter/parts.js';
import type { Sentence } from '../../../src/console/quarter/sentence.js';
import { obstacleTo, spanFrom } from '../../../src/console/quarter/span.js';
import { cycleSentences, themeReason, totalReason } from '../../../src/console/quarter/why-sentences.js';
import {
  fewSentence,
  mostMoved,
  themeLines,
  totalSentence,
  type Work,
} from '../../../src/console/quarter/work-sentences.js';

const span = spanFrom(new URLSearchParams('range=last_quarter'), '2026-05-10');
const both = { now: '/now', before: '/before' };
const links = { total: both, theme: () => both };
const words = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === 'string' ? part : `[${part.text}]`)).join('');

const total = (now: number, before: number | null): string =>
  words(totalSentence({ total: { now, before }, themes: [] }, span, links));

describe('A period', () => {
  const days = (search: string, today: string): readonly string[] => {
    const { range, previous } = spanFrom(new URLSearchParams(search), today);
    return [range, previous].map(({ startDate, endDate }) => `${startDate} ${endDate}`);
  };

  test.each([
    ['range=last_quarter', '2026-05-10', ['2026-01-01 2026-03-31', '2025-10-01 2025-12-31']],
    ['range=last_quarter&compare=year_ago', '2026-05-10', ['2026-01-01 2026-03-31', '2025-01-01 2025-03-31']],
    ['range=this_quarter', '2026-05-10', ['2026-04-01 2026-05-10', '2026-01-01 2026-02-09']],
    ['range=this_month', '2026-03-31', ['2026-03-01 2026-03-31', '2026-02-01 2026-02-28']],
    ['range=last_month&compare=year_ago', '2028-03-05', ['2028-02-01 2028-02-29', '2027-02-01 2027-02-28']],
    ['range=this_year&compare=year_ago', '2026-02-03', ['2026-01-01 2026-02-03', '2025-01-01 2025-02-03']],
    ['range=last_year', '2026-02-03', ['2025-01-01 2025-12-31', '2024-01-01 2024-12-31']],
  ])('%s on %s is compared with the same part of the former one', (search, today, expected) => {
    expect(days(search, today)).toEqual(expected);
  });

  test('is the quarter, which opens with the last one in its first four weeks', () => {
    expect(spanFrom(new URLSearchParams(), '2026-04-27').name).toBe('last_quarter');
    expect(spanFrom(new URLSearchParams('range=90d'), '2026-04-28').name).toBe('this_quarter');
  });

  test('is compared only if all work of both periods is known', () => {
    const known = { knownSince: '2025-10-01', knownUntil: '2026-03-30', historyLimits: [] };
    expect(obstacleTo(known, span)).toBeNull();
    expect(obstacleTo({ ...known, knownSince: '2025-10-02' }, span)).toEqual({ kind: 'since', day: '2025-10-02' });
    expect(obstacleTo({ ...known, knownUntil: '2026-03-29' }, span)).toEqual({ kind: 'until', day: '2026-03-29' });
    expect(obstacleTo({ ...known, knownSince: null }, span)).toEqual({ kind: 'nothing' });
  });
});

describe('The sentence about the total', () => {
  test.each([
    [150, 100, '[150 work units], 50% more than the quarter before ([100]).'],
    [75, 100, '[75 work units], 25% fewer than the quarter before ([100]).'],
    [102, 100, '[102 work units], about as many as the quarter before ([100]).'],
    [3, 100, '[3 work units], [100] the quarter before: too few to compare.'],
    [1, 0, '[1 work unit], [0] the quarter before: too few to compare.'],
    [150, null, '[150 work units] count in this period.'],
    [0, null, 'There was no work in this period.'],
  ])('of %s work units after %s', (now, before, expected) => {
    expect(total(now, before)).toBe(expected);
  });

  test('names a year ago where that is compared', () => {
    const yearAgo = spanFrom(new URLSearchParams('range=last_quarter&compare=year_ago'), '2026-05-10');
    const work = { total: { now: 150, before: 100 }, themes: [] };
    expect(words(totalSentence(work, yearAgo, links))).toBe('[150 work units], 50% more than a year ago ([100]).');
  });
});

const themes: readonly Part[] = [
  { key: 'feature_delivery', now: 100, before: 50 },
  { key: 'quality', now: 62, before: 24 },
  { key: 'maintenance', now: 30, before: 15 },
  { key: 'risk', now: 8, before: 9 },
  { key: 'unclassified', now: 0, before: 2 },
];
const work: Work = { total: { now: 200, before: 100 }, themes };

describe('The sentences about themes', () => {
  test('are in the order of their changes, and leave out those with too few units', () => {
    expect(themeLines(work, span, links).map(({ sentence }) => words(sentence))).toEqual([
      'Work on quality took [31%] of the work, [24%] the quarter before.',
      'Feature delivery took [50%] of the work, as much as the quarter before.',
      'Maintenance took [15%] of the work, as much as the quarter before.',
    ]);
    expect(words(fewSentence(work) ?? [])).toBe(
      `Work on risk and unclassified work had fewer than ${fewest} work units: too few to compare.`,
    );
  });

  test('are not compared where the former period is not known, or too small', () => {
    const expected = ['Feature delivery took [50%] of the work.', 'Work on quality took [31%] of the work.'];
    const unknown = themes.slice(0, 2).map((theme) => ({ ...theme, before: null }));
    const alone = (former: number | null, of = themes.slice(0, 2)): readonly string[] =>
      themeLines({ total: { now: 200, before: former }, themes: of }, span, links).map(({ sentence }) =>
        words(sentence),
      );
    expect(alone(null, unknown)).toEqual(expected);
    expect(alone(4)).toEqual(expected);
    expect(themeLines({ total: { now: 9, before: 100 }, themes }, span, links)).toEqual([]);
  });

  test('say 0% for a theme without units before', () => {
    const added = { total: { now: 100, before: 100 }, themes: [{ key: 'risk', now: 20, before: 0 }] };
    expect(themeLines(added, span, links).map(({ sentence }) => words(sentence))).toEqual([
      'Work on risk took [20%] of the work, [0%] the quarter before.',
    ]);
  });
});

describe('The reasons', () => {
  const repos: readonly Part[] = [
    { key: 'example/api', now: 120, before: 40 },
    { key: 'example/web', now: 80, before: 60 },
  ];

  test('name the repository with the largest part of a change in its direction', () => {
    expect(totalReason({ now: 200, before: 100 }, repos, span, () => both).map(words)).toEqual([
      'Most of the additional work is in example/api: [120 work units], [40] the quarter before.',
    ]);
    expect(totalReason({ now: 100, before: 200 }, repos, span, () => both)).toEqual([]);
    expect(totalReason({ now: 101, before: 100 }, repos, span, () => both)).toEqual([]);
  });

  test('name the theme that moved most, and where', () => {
    const theme = mostMoved(work);
    expect(theme?.key).toBe('quality');
    const inRepos = [
      { key: 'example/api', now: 50, before: 10 },
      { key: 'example/web', now: 12, before: 14 },
    ];
    const reasons = theme === undefined ? [] : themeReason(theme, work.total, inRepos, span, () => both);
    expect(reasons.map(words)).toEqual([
      'Work on quality changed most: 7 percentage points more of the work.',
      'The largest part of that is in example/api: work on quality there was [25%] of all work, [10%] the quarter before.',
    ]);
  });

  test('a repository that a full list does not name is not taken for one without work', () => {
    const full = Array.from({ length: 50 }, (_, at) => ({ key: `repo ${at}`, value: 20 }));
    const parts = partsFrom([{ key: 'small', value: 15 }, ...full.slice(1)], full);
    expect(parts.find(({ key }) => key === 'small')?.before).toBeNull();
    expect(largestPart(parts, 1)).toBeUndefined();
  });

  const median = (now: number, before: number | null, key = '', count = 20) => ({
    key,
    now: { count, median: now },
    before: before === null ? null : { count, median: before },
  });
  const cycle = { all: both, repo: () => both, sizes: both };

  test('name the phase and the repository that moved in the direction of the cycle time', () => {
    const times = {
      all: median(40, 30),
      coverage: 0.6,
      phases: [median(9, 3, 'REVIEW_HOURS'), median(1, 20, 'CODING_HOURS')],
      repos: [median(60, 20, 'example/web'), median(20, 40, 'example/api'), median(900, 1, 'example/small', 9)],
      sizes: median(60, 1),
    };
    expect(cycleSentences(times, span, cycle).map(words)).toEqual([
      'The median pull request took [40 h] from its first commit to the merge, [30 h] the quarter before. That is known for 60% of them.',
      'Of its phases, review changed most in that direction: [9 h] in the median, [3 h] the quarter before.',
      'Of the repositories, example/web adds most to it: [2.5 days] in the median, [20 h] the quarter before.',
      'The median pull request changed [60 lines], [1] the quarter before.',
    ]);
  });

  test.each([
    [
      median(30, 30),
      'The median pull request took [30 h] from its first commit to the merge, as long as the quarter before.',
    ],
    [median(30, null), 'The median pull request took [30 h] from its first commit to the merge.'],
    [median(30, 30, '', 3), 'How long pull requests took: [3 pull requests], too few to compare.'],
    [median(30, 30, '', 1), 'How long pull requests took: [1 pull request], too few to compare.'],
    [{ key: '', now: null, before: null }, 'How long pull requests took is not known.'],
  ])('say how long requests took (%#)', (all, expected) => {
    const times = { all, coverage: 1, phases: [], repos: [], sizes: { key: '', now: null, before: null } };
    expect(cycleSentences(times, span, cycle).map(words)).toEqual([expected]);
  });
});

describe('The requests that mattered', () => {
  const request = (id: string, churnLoc: number | null, cycleTimeHours: number | null) => ({
    id,
    title: id,
    repo: 'example/api',
    churnLoc,
    cycleTimeHours,
  });

  test('are the three largest and the two longest of the others', () => {
    const largest = [request('a', 900, 1), request('b', 800, 99), request('c', null, 3)];
    const longest = [request('b', 800, 99), request('d', 1, 50), request('e', 1, 40), request('f', 1, null)];
    expect(notableRequests(largest, longest).map(({ id }) => id)).toEqual(['a', 'b', 'd', 'e']);
    expect(notableRequests([], [])).toEqual([]);
  });
});
