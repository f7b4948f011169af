import { expect, it } from 'vitest';
import { openChdb } from '../../src/analytics/clickhouse/chdb.js';
import { openClickHouseServer } from '../../src/analytics/clickhouse/server.js';
import { readErasures } from '../../src/sync/erasure/erasures.js';
import { forgetPerson, type ErasedDatabase } from '../../src/sync/forget-person.js';
import { tableNamed, type AnyRow, type TableName } from '../../src/sync/records.js';
import { parseConnection } from '../../src/sync/sinks/connection-string.js';
import { openSink } from '../../src/sync/sinks/open.js';
import { openDerivationResources } from '../../src/sync/work-units/derivation/resources.js';
import { importConnector } from '../support/chdb.js';
import { describeOnEachDatabase } from './databases.js';
import { NOW, onlyId, storedRows, sync, testDependencies, type Stored } from './harness.js';

/** One of the people of the synthetic source. Other people, files and changes have none of these words. */
const AMBER = 'amber@example.com';
const NAMED = /amber/i;

async function withRecords<Result>(
  uri: string,
  orgId: string,
  work: (database: ErasedDatabase) => Promise<Result>,
  signal = new AbortController().signal,
): Promise<Result> {
  const address = parseConnection(uri);
  if ('problem' in address) throw new Error(address.problem);
  const dependencies = testDependencies({ signal });
  const sink = await openSink(address, { now: dependencies.now, concurrency: 3, echo: undefined }, dependencies);
  try {
    await sink.ensureSchema();
    const resources = await openDerivationResources(sink, { orgId, rulesFile: undefined }, dependencies);
    try {
      return await work({ orgId, sink, resources, dependencies });
    } finally {
      await resources?.close();
    }
  } finally {
    await sink.close();
  }
}

const OTHERS = ['prs', 'deployments', 'incidents', 'issues', 'blame'];

/** Syncs what names people, and adds what the synthetic source lacks. */
async function seed(db: string, org: string, targets: readonly string[] = OTHERS): Promise<string> {
  const options = { provider: 'synthetic', db, org, repoName: 'acme/api' };
  const id = onlyId(await sync({ ...options, target: 'git', maxCommitsPerRepo: '60' }));
  for (const target of targets) await sync({ ...options, target, backfill: '40', date: '2026-01-14' });
  const everywhere = { repo_id: id, org_id: org, source: 'synthetic', last_synced: NOW };
  const row = (name: TableName, columns: AnyRow): { table: ReturnType<typeof tableNamed>; rows: AnyRow[] } => {
    const table = tableNamed(name);
    const empty = Object.fromEntries(
      table.columns.map(({ name: column, nullable, type }) => [column, nullable ? null : type === 'json' ? [] : NOW]),
    );
    return { table, rows: [{ ...empty, ...everywhere, ...columns }] };
  };
  await withRecords(db, org, async ({ sink, resources }) => {
    await sink.apply({
      key: { repoId: id, target: 'git', source: 'synthetic' },
      tables: [
        row('git_commits', {
          hash: 'f'.repeat(40),
          message: 'fix: a typo\n\nCo-authored-by: Amber Example <amber@example.com>\n',
          author_name: 'Basil Example',
          author_email: 'basil@example.com',
          parents: 1,
        }),
        row('git_blame', {
          path: 'AUTHORS',
          line_no: 1,
          commit_hash: 'f'.repeat(40),
          line: `Amber Example <${AMBER}>`,
        }),
        row('issue_state_changes', { number: 1_000_000, change_id: 'x', state: 'closed', actor: AMBER }),
      ],
      blameLengths: [],
      state: { revision: 'seed', request: '', position: null, done: true },
    });
    if (resources === undefined) return;
    const { records } = resources;
    await records.writeFile(
      'teams',
      org,
      JSON.stringify([{ id: 'pay', name: 'Pay', members: [AMBER], repositories: [] }]),
    );
    await records.writeFile('authors', org, JSON.stringify([{ author: AMBER, also: ['amber@home.example'] }]));
    await records.writeProgress(id, new Map([['mailmap', 'Amber Example <amber@example.com> <amber@old.example>\n']]));
  });
  await sync({ ...options, target: 'git', maxCommitsPerRepo: '60' });
  await withRecords(db, org, async ({ resources }) => {
    for await (const [unit] of resources?.store.scan(org, id) ?? []) {
      if (unit === undefined) continue;
      const correction = { unitId: unit.id, subcategory: unit.subcategory, note: `as ${AMBER} says`, correctedAt: NOW };
      await resources?.corrections.correct(org, { ...correction, correctedBy: AMBER });
      return;
    }
  });
  return id;
}

interface Everything {
  stored: Stored;
  units: object[];
  notes: unknown[];
  authors: Map<string, number>;
  /** The co-authors of the commit that names one. */
  coAuthors: string[];
}

/** Everything that the interfaces of the database return of an organization, and the units by author. */
async function everythingOf(db: string, org: string, id: string): Promise<Everything> {
  const stored = await storedRows(db, id);
  return withRecords(db, org, async ({ resources }) => {
    const [units, notes, authors]: [object[], unknown[], Map<string, number>] = [[], [], new Map()];
    const coAuthors: string[] = [];
    if (resources === undefined) return { stored, units, notes, authors, coAuthors };
    for await (const batch of resources.store.scan(org, id))
      for (const unit of batch) {
        units.push(unit);
        if (unit.id.endsWith('f'.repeat(40))) coAuthors.push(...(unit.coAuthors ?? []));
        authors.set(unit.author, (authors.get(unit.author) ?? 0) + 1);
      }
    for (const file of ['teams', 'authors'] as const) notes.push(await resources.records.readFile(file, org));
    notes.push(await resources.corrections.listCorrections(org, '', 10));
    notes.push([...(await resources.records.readProgress(id))].filter(([name]) => name === 'mailmap'));
    return { stored, units, notes, authors, coAuthors };
  });
}

function erased(outcome: Awaited<ReturnType<typeof forgetPerson>>) {
  if ('reason' in outcome) throw new Error(outcome.reason);
  return outcome;
}

const forget = (db: string, org: string, identity: string) =>
  withRecords(db, org, (database) => forgetPerson(database, [identity]));

describeOnEachDatabase('erasing a person', ({ kind, inProcess, newDatabase }) => {
  it('replaces the person everywhere in one organization, and keeps the figures', { timeout: 300_000 }, async () => {
    const db = await newDatabase();
    const [id, other] = [await seed(db, 'acme'), await seed(db, 'other', [])];
    const [before, untouched] = [await everythingOf(db, 'acme', id), await everythingOf(db, 'other', other)];
    for (const table of ['git_commits', 'git_pull_requests', 'git_pull_request_reviews', 'issues', 'git_blame'])
      expect(JSON.stringify(before.stored[table])).toMatch(NAMED);

    const { pseudonym, changed, sameName } = erased(await forget(db, 'acme', 'Amber@example.com'));
    expect(pseudonym).toMatch(/^erased-[0-9a-f]{16}$/);
    expect(sameName).toEqual([]);
    expect(Object.keys(changed)).toEqual(
      expect.arrayContaining([
        ...[
          'git_commits',
          'git_pull_requests',
          'git_pull_request_reviews',
          'issues',
          'git_blame',
          'issue_state_changes',
        ],
        ...(kind === 'mongo' ? [] : ['team_files', 'author_files', 'work_unit_progress', 'work_unit_corrections']),
      ]),
    );
    const after = await everythingOf(db, 'acme', id);
    expect(JSON.stringify(after)).not.toMatch(NAMED);
    const renamed = new Map(
      [...before.authors].map(([author, units]) => [author === AMBER ? pseudonym : author, units]),
    );
    expect(after.authors).toEqual(renamed);
    if (kind !== 'mongo') {
      expect(renamed.get(pseudonym)).toBeGreaterThan(0);
      expect([before.coAuthors, after.coAuthors]).toEqual([[AMBER], [pseudonym]]);
    }
    for (const [table, rows] of Object.entries(before.stored)) expect(after.stored[table]).toHaveLength(rows.length);
    expect(await everythingOf(db, 'other', other)).toEqual(untouched);

    // A sync with other limits reads everything again.
    await sync({
      provider: 'synthetic',
      db,
      org: 'acme',
      repoName: 'acme/api',
      target: 'git',
      maxCommitsPerRepo: '80',
    });
    const web = {
      provider: 'synthetic',
      db,
      org: 'acme',
      repoName: 'acme/web',
      target: 'git',
      maxCommitsPerRepo: '40',
    };
    const unseen = await everythingOf(db, 'acme', onlyId(await sync(web)));
    expect(unseen.stored['git_commits']).toHaveLength(40);
    expect(JSON.stringify(unseen)).not.toMatch(NAMED);
    const later = await everythingOf(db, 'acme', id);
    expect(JSON.stringify(later)).not.toMatch(NAMED);
    if (kind !== 'mongo')
      expect(later.authors.get(pseudonym)).toBeGreaterThanOrEqual(after.authors.get(pseudonym) ?? 0);

    expect(erased(await forget(db, 'acme', AMBER))).toMatchObject({ pseudonym, changed: {} });
  });

  it(
    'completes an erasure that was interrupted, and says when nothing is stored of a person',
    { timeout: 300_000 },
    async () => {
      const db = await newDatabase();
      const id = await seed(db, 'acme');
      const before = await everythingOf(db, 'acme', id);
      expect(await forget(db, 'acme', 'nobody@example.com')).toEqual({ reason: 'unknown' });
      expect(await forget(db, 'acme', '@')).toEqual({ reason: 'unknown' });
      await withRecords(db, 'acme', async ({ sink }) => {
        expect(await readErasures(sink, 'acme')).toBeUndefined();
      });
      expect(await everythingOf(db, 'acme', id)).toEqual(before);

      // Another sync holds the repository, so that the erasure waits after it has stored the list.
      const stop = new AbortController();
      const held = async ({ sink, ...database }: ErasedDatabase): Promise<void> => {
        const lock = await sink.tryLock({ repoId: id, target: 'issues', source: 'synthetic' });
        const sleep = (): Promise<void> => {
          stop.abort(new Error('killed'));
          return Promise.reject(new Error('killed'));
        };
        const dependencies = { ...database.dependencies, sleep };
        await expect(forgetPerson({ ...database, sink, dependencies }, [AMBER])).rejects.toThrow('killed');
        await lock?.release();
      };
      await withRecords(db, 'acme', held, stop.signal);
      await sync({
        provider: 'synthetic',
        db,
        org: 'acme',
        repoName: 'acme/new',
        target: 'git',
        maxCommitsPerRepo: '40',
      });
      const { pseudonym } = erased(await forget(db, 'acme', AMBER));
      const after = await everythingOf(db, 'acme', id);
      expect(JSON.stringify(after)).not.toMatch(NAMED);
      if (kind !== 'mongo') expect(after.authors.get(pseudonym)).toBe(before.authors.get(AMBER));
    },
  );

  // The other kinds do not keep them readable.
  if (kind !== 'clickhouse') return;
  it('leaves no former versions of rows', { timeout: 300_000 }, async () => {
    const db = await newDatabase();
    await seed(db, 'acme');
    erased(await forget(db, 'acme', AMBER));
    const parsed = parseConnection(db);
    if ('problem' in parsed || parsed.kind !== 'clickhouse') throw new Error(db);
    const { address } = parsed;
    const engine =
      inProcess === true
        ? await openChdb(address.slice('chdb:'.length), () => importConnector('chdb'))
        : openClickHouseServer(address);
    try {
      const tables = await engine.query('select name from system.tables where database = currentDatabase()', {});
      for (const [table] of tables)
        expect(JSON.stringify(await engine.query(`select * from ${String(table)}`, {})), String(table)).not.toMatch(
          NAMED,
        );
    } finally {
      await engine.close();
    }
  });
});
