import { expect, it } from 'vitest';
import { KnownPeople } from '../../../src/sync/erasure/identities.js';
import { tableNamed } from '../../../src/sync/records.js';
import type { AnyRow } from '../../../src/sync/records.js';
import { NOW, openDatabase, sqliteUri } from '../harness.js';

const repoId = '0b7f6a2e-1111-8111-8111-000000000001';
const everywhere = { org_id: 'acme', source: 'local', last_synced: NOW };

/** The people of commits with these authors, and of reviews by these logins. */
async function people(
  authors: readonly (readonly [name: string | null, email: string | null])[],
  reviewers: string[] = [],
) {
  const sink = await openDatabase(sqliteUri());
  const commits = authors.map(([author_name, author_email], index): AnyRow => ({
    ...{ repo_id: repoId, hash: `c${index}`, message: 'x', author_name, author_email, author_when: NOW },
    ...{ committer_name: 'GitHub', committer_email: 'noreply@github.com', committer_when: NOW, parents: 1 },
    ...everywhere,
  }));
  const reviews = reviewers.map((reviewer, index): AnyRow => ({
    ...{ repo_id: repoId, number: 1, review_id: `r${index}`, reviewer, state: 'APPROVED', submitted_at: NOW },
    ...everywhere,
  }));
  const tables = [
    { table: tableNamed('git_commits'), rows: commits },
    { table: tableNamed('git_pull_request_reviews'), rows: reviews },
  ];
  const state = { revision: 'r', request: '', position: null, done: true };
  await sink.apply({ key: { repoId, target: 'git', source: 'local' }, tables, blameLengths: [], state });
  const known = new KnownPeople();
  await known.addRepository(sink, repoId);
  return known;
}

const found = (known: KnownPeople, identity: string): readonly string[] =>
  [...known.find([identity]).identities].sort();

it('finds the names of an address that no other address has', async () => {
  const known = await people([
    ['Ada Lovelace', 'ada@example.com'],
    ['ada', 'Ada@Example.com'],
    ['root', 'ada@example.com'],
    ['root', 'grace@example.com'],
  ]);
  expect(found(known, 'ADA@example.com')).toEqual(['ada', 'ada lovelace', 'ada@example.com']);
  expect(known.find(['ada@example.com']).sameName).toEqual(['grace@example.com']);
});

it('does not take assistants for people', async () => {
  const known = await people([['Ada Lovelace', 'ada@example.com']], ['Copilot']);
  known.addAuthors([{ author: 'ada@example.com', also: ['noreply@anthropic.com', 'copilot'] }]);
  expect(found(known, 'ada@example.com')).toEqual(['ada lovelace', 'ada@example.com']);
  expect(found(known, 'noreply@anthropic.com')).toEqual([]);
});

it('finds the hidden addresses of a login, and the login of such an address', async () => {
  const known = await people(
    [
      ['Ada Lovelace', '12+ada@users.noreply.github.com'],
      ['Grace', 'grace@example.com'],
    ],
    ['ada'],
  );
  const all = ['12+ada@users.noreply.github.com', 'ada', 'ada lovelace'];
  expect(found(known, 'ada')).toEqual(all);
  expect(found(known, '@ada')).toEqual(all);
  expect(found(known, '12+ada@users.noreply.github.com')).toEqual(all);
  expect(found(known, 'Ada Lovelace')).toEqual(all);
});

it('asks for an address where a name may be of several people', async () => {
  const known = await people([
    ['Alex', 'alex@example.com'],
    ['Alex', 'alex@example.org'],
    ['build', 'root@localhost'],
    ['Grace', 'root@localhost'],
  ]);
  expect(known.find(['alex']).candidates).toEqual(['alex@example.com', 'alex@example.org']);
  expect(known.find(['build']).candidates).toEqual(['root@localhost']);
  // With an address, rows with other addresses are of other people.
  expect(known.find(['alex@example.com', 'alex'])).toMatchObject({ sameName: ['alex@example.org'], candidates: [] });
  expect(known.find(['alex@example.com'])).toEqual({
    identities: new Set(['alex@example.com']),
    sameName: ['alex@example.org'],
    candidates: [],
    unseen: [],
  });
});

it('follows the authors of the organization and .mailmap', async () => {
  const known = await people([
    ['Ada Lovelace', 'ada@example.com'],
    ['ada', 'ada@old.example.com'],
    ['A. L.', 'ada@private.example.com'],
    ['A. L.', 'ada@home.example.com'],
    ['build', 'root@localhost'],
    ['Grace', 'root@localhost'],
  ]);
  known.addMailmap(
    'Ada Lovelace <ada@example.com> <ada@old.example.com>\nAda <ada@example.com> build <root@localhost>\n',
  );
  known.addAuthors([{ author: 'ada@example.com', also: ['a. l.', 'ada@work.example.com'] }]);
  const all = [
    ...['a. l', 'ada', 'ada lovelace', 'ada@example.com', 'ada@home.example.com', 'ada@old.example.com'],
    ...['ada@private.example.com', 'ada@work.example.com'],
  ];
  expect(found(known, 'ada@old.example.com')).toEqual(all);
  expect(found(known, 'A. L.')).toEqual(all);
});

it('takes several names for one person, and says which of them no record has', async () => {
  const known = await people([['Ada Lovelace', 'ada@example.com']], ['ada-l']);
  expect(known.find(['ada@example.com', 'ada-l', 'Nobody'])).toEqual({
    identities: new Set(['ada@example.com', 'ada-l', 'nobody', 'ada lovelace']),
    sameName: [],
    candidates: [],
    unseen: ['nobody'],
  });
});
