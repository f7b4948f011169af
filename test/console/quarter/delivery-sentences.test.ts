import { describe, expect, test } from 'vitest';
import type { DoraKeys } from '../../../src/console/delivery/figures.js';
import {
  failureSentence,
  keySentences,
  limitSentences,
  openSentence,
  unclassifiedSentence,
} from '../../../src/console/quarter/delivery-sentences.js';
import type { Sentence } from '../../../src/console/quarter/sentence.js';
import { spanFrom } from '../../../src/console/quarter/span.js';

const span = spanFrom(new URLSearchParams('range=last_quarter'), '2026-05-10');
const both = { now: '/now', before: '/before' };
const links = { deployments: both, requests: both, incidents: both };
const words = (sentence: Sentence): string =>
  sentence.map((part) => (typeof part === 'string' ? part : `[${part.text}]`)).join('');

const statistics = (median: number, count: number) => ({ count, mean: median, median, p75: median, p90: median });

interface Given {
  readonly deployments?: number | null;
  readonly failed?: number;
  readonly lead?: ReturnType<typeof statistics> | null;
  readonly restore?: ReturnType<typeof statistics> | null;
}

function keys({ deployments = 90, failed = 9, lead = null, restore = null }: Given): DoraKeys {
  return {
    deploymentFrequency: { deployments, perDay: deployments === null ? null : deployments / 90 },
    leadTime: { statistics: lead, coverage: lead === null ? null : 1 },
    changeFailureRate: {
      failed: deployments === null ? null : failed,
      rate: deployments === null || deployments === 0 ? null : failed / deployments,
    },
    timeToRestore: { statistics: restore, coverage: restore === null ? null : 1 },
    bands: { deploymentFrequency: null, leadTime: null, changeFailureRate: null, timeToRestore: null },
  };
}

const said = (now: Given, before: Given | null): readonly string[] =>
  keySentences({ now: keys(now), before: before === null ? null : keys(before) }, span, links).map(words);

describe('The sentences about the four keys', () => {
  test('have the former figures beside those of the period', () => {
    expect(
      said(
        { lead: statistics(30, 12), restore: statistics(3, 10) },
        { deployments: 45, failed: 9, lead: statistics(40, 11), restore: statistics(3, 20) },
      ),
    ).toEqual([
      'Deployments to production: [1 per day], [3.5 per week] the quarter before.',
      'Median lead time from the first commit to production: [30 h], [40 h] the quarter before.',
      'Deployments that an incident counts against: [10%], [20%] the quarter before.',
      'Median time to restore: [3 h], as the quarter before.',
    ]);
  });

  test('compare nothing with a former period that is not known, or has few deployments', () => {
    const alone = [
      'Deployments to production: [1 per day].',
      'Median lead time from the first commit to production: [30 h].',
      'Deployments that an incident counts against: [10%].',
      'Median time to restore: [3 h].',
    ];
    const now = { lead: statistics(30, 12), restore: statistics(3, 10) };
    expect(said(now, null)).toEqual(alone);
    expect(said(now, { deployments: 9, failed: 9, lead: statistics(1, 9), restore: statistics(1, 1) })).toEqual(alone);
  });

  test('say how few there are, and what is not known', () => {
    expect(said({ deployments: 1, lead: statistics(30, 1), restore: statistics(3, 3) }, {})).toEqual([
      'Deployments to production: [1 deployment], too few to compare.',
      'Median lead time from the first commit to production: [1 request], too few to compare.',
      'Deployments that an incident counts against: [1 deployment], too few to compare.',
      'Median time to restore: [3 resolved incidents], too few to compare.',
    ]);
    expect(said({ deployments: null }, {})).toEqual([
      'How often code is deployed to production is not known: no sync has read deployments.',
      'Median lead time from the first commit to production: not known.',
      'Median time to restore: not known.',
    ]);
  });
});

describe('The sentences about risks', () => {
  test.each([
    [{}, '[9] of 90 deployments to production failed: an incident counts against each.'],
    [{ failed: 0 }, 'None of [90 deployments] to production failed.'],
    [{ deployments: null }, 'How many deployments failed is not known.'],
    [{ deployments: 0, failed: 0 }, 'Nothing was deployed to production, so no deployment failed.'],
    [{ deployments: 4, failed: 1 }, '[1] of 4 deployments to production failed: an incident counts against it.'],
  ])('say how many deployments failed (%#)', (given, expected) => {
    expect(words(failureSentence({ now: keys(given) }, links))).toBe(expected);
  });

  const open = (count: number | null, days = 11) => ({
    count,
    ageDays: count === null || count === 0 ? null : statistics(days, count),
  });

  test.each([
    [
      open(20),
      open(15, 5),
      '[20 pull requests were] open at the end of 31 Mar 2026, half of them for 11 days or longer; the quarter before, half were for 5 days or longer.',
    ],
    [open(20), null, '[20 pull requests were] open at the end of 31 Mar 2026, half of them for 11 days or longer.'],
    [open(1), null, '[1 pull request was] open at the end of 31 Mar 2026: too few to compare.'],
    [open(0), null, 'No pull request was open at the end of 31 Mar 2026.'],
    [open(null), null, 'How many pull requests were open is not known.'],
  ])('say which requests wait (%#)', (now, before, expected) => {
    const text = words(openSentence(now, before, span, '/delivery'));
    // The day is in the format of the machine.
    expect(text.replace('Mar 31, 2026', '31 Mar 2026')).toBe(expected);
  });

  test('say how much is unclassified', () => {
    expect(words(unclassifiedSentence([{ key: 'unclassified', now: 0.25, before: null }], '/'))).toBe(
      'No rule classifies [25%] of the work, so the shares of the themes are too small by that much.',
    );
    expect(words(unclassifiedSentence([], '/'))).toBe('All work is classified.');
  });

  test('say of how many repositories a part is known', () => {
    const limit = (repo: string, knownSince: string) => ({ repo, knownSince });
    expect(limitSentences([limit('a', '2025-12-31')], span)).toEqual([]);
    const [sentence] = limitSentences([limit('a', '2026-02-01'), limit('a', '2026-02-03')], span);
    expect(words(sentence ?? [])).toMatch(/^Of 1 repository, work before .*3.* is known in part only\.$/);
  });
});
