/** Authors that are probably one person are suggested, with the reason. */
import { describe, expect, it } from 'vitest';
import {
  AuthorCandidates,
  personsOf,
  SUGGESTION_LIMITS,
  suggestAuthors,
  suggestPersons,
} from '../../../src/sync/work-units/authors/suggest-authors.js';
import { importAuthors } from '../../../src/sync/work-units/authors/import-authors.js';
import { stampedPage } from '../../../src/sync/stamped-page.js';
import { openDerivationResources } from '../../../src/sync/work-units/derivation/resources.js';
import { refreshRepository } from '../../../src/sync/work-units/derivation/derivation.js';
import { NOW, openDatabase, sqliteUri, testDependencies } from '../harness.js';
import { commitRow, requestRow } from './derivation/deriving.js';

/** @param authors each with its addresses and names, and the number of units */
function suggested(...authors: readonly (readonly [author: string, names: readonly string[], units: number])[]) {
  const candidates = new AuthorCandidates();
  for (const [author, names, units] of authors) {
    candidates.add(author, { email: author.includes('@') ? author : null, name: null });
    for (const name of names) candidates.add(author, { email: null, name });
    for (let unit = 0; unit < units; unit += 1) candidates.count(author);
  }
  return candidates
    .suggestions(10)
    .map(({ author, also, reasons }) => [author.author, also.author, reasons.join()] as const);
}

it('Pairs with a common author are one person, whose name is that with the most units', () => {
  const [ada, countess, king, grace] = [
    { author: 'ada@one.example', units: 2 },
    { author: 'countess@two.example', units: 5 },
    { author: 'king@three.example', units: 1 },
    { author: 'grace', units: 1 },
  ];
  const hopper = { author: 'hopper', units: 0 };
  expect(
    personsOf([
      { author: ada, also: king, reasons: ['same_mailbox'] },
      { author: grace, also: hopper, reasons: ['same_name'] },
      { author: countess, also: king, reasons: ['same_name'] },
    ]),
  ).toEqual([
    { authors: [countess, ada, king], reasons: ['same_mailbox', 'same_name'] },
    { authors: [grace, hopper], reasons: ['same_name'] },
  ]);
});

describe('Suggested authors', () => {
  it.each([
    [
      'have the same name',
      ['a@one.example', ['Ada  Lovelace'], 3],
      ['b@two.example', ['ada lovelace'], 1],
      'same_name',
    ],
    [
      'have one mailbox name and similar names',
      ['ada.l@one.example', ['Ada L.'], 3],
      ['ada.l@two.example', ['Ada'], 1],
      'same_mailbox',
    ],
    [
      'have one mailbox name and no other',
      ['ada.l@one.example', [], 3],
      ['ada.l+work@two.example', [], 1],
      'same_mailbox',
    ],
    [
      'have a login that is the name of the other',
      ['ada@one.example', ['ada-l'], 3],
      ['1+ada-l@users.noreply.github.com', [], 1],
      'login_is_name',
    ],
  ] as const)('%s', (_, one, other, reason) => {
    expect(suggested(other, one)).toEqual([[one[0], other[0], reason]]);
  });

  it.each([
    ['have one first name', ['a@one.example', ['Ada'], 1], ['b@two.example', ['Ada'], 1]],
    ['share a usual mailbox name', ['info@one.example', [], 1], ['info@two.example', [], 1]],
    ['have one mailbox name and other names', ['ada@one.example', ['Ada Byron'], 1], ['ada@two.example', ['Grace'], 1]],
    ['are programs', ['x[bot]', ['Ada Lovelace'], 1], ['b@two.example', ['Ada Lovelace'], 1]],
  ] as const)('are none that only %s', (_, one, other) => {
    expect(suggested(one, other)).toEqual([]);
  });

  it('are compared with the one of their name that has the most units, most units first, up to a limit', () => {
    const name = ['Ada Lovelace'];
    expect(suggested(['a@x.example', name, 1], ['b@y.example', name, 5], ['c@z.example', name, 2])).toEqual([
      ['b@y.example', 'c@z.example', 'same_name'],
      ['b@y.example', 'a@x.example', 'same_name'],
    ]);
  });

  it('come from the records within limits, until the authors file merges them', async () => {
    const sink = await openDatabase(sqliteUri());
    const resources = await openDerivationResources(
      sink,
      { orgId: 'default', rulesFile: undefined },
      testDependencies(),
    );
    if (resources === undefined) throw new Error('There are no work units');
    const repoId = '0b7f6a2e-1111-8111-8111-000000000001';
    const record = {
      ...{ repo: 'acme/widgets', ref: null, url: 'https://github.com/acme/widgets', default_branch: 'main' },
      ...{ created_at: null, settings: {}, tags: [] },
    };
    const records = {
      git_commits: [
        commitRow('c1', { author_name: 'Ada Lovelace', author_email: 'ada@one.example' }),
        commitRow('c2', { author_name: 'Ada Lovelace', author_email: 'ada@one.example' }),
        commitRow('c3', { author_name: 'Ada Lovelace', author_email: 'countess@two.example' }),
      ],
      git_pull_requests: [requestRow(1, { author_name: 'grace' })],
    };
    const state = { revision: 'r', request: '', position: null, done: true };
    const key = { repoId, target: 'git', source: 'host_a' } as const;
    await sink.apply(stampedPage({ record, records }, { key, state, time: NOW, orgId: 'default' }));
    await refreshRepository(resources, repoId);
    const suggestion = {
      author: { author: 'ada@one.example', units: 2 },
      also: { author: 'countess@two.example', units: 1 },
      reasons: ['same_name'],
    };
    expect(await suggestAuthors(resources, 10)).toEqual([suggestion]);
    expect(await suggestPersons(resources, { ...SUGGESTION_LIMITS, pairs: 0 })).toEqual({
      ...{ persons: [], hasMore: true, isComplete: true },
    });
    expect(await suggestPersons(resources, { ...SUGGESTION_LIMITS, milliseconds: 0 })).toEqual({
      ...{ persons: [], hasMore: false, isComplete: false },
    });
    await importAuthors(resources, [{ author: 'ada@one.example', also: ['countess@two.example'] }]);
    expect(await suggestAuthors(resources, 10)).toEqual([]);
    await resources.close();
  });
});
