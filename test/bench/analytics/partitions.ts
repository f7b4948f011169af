/**
 * `npm run bench analytics-partitions [millions]`: batches, and the writes of syncs, over so many million work units
 * (default 10) of ten organizations, in one table and in 16 partitions by a hash of the organization.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openAnalytics } from '../../../src/analytics/open.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { startEmbeddedPostgres } from '../../../src/database/embedded.js';
import { median, printTable, unlessBrief } from '../measure.js';
import { batches, ORG } from './batches.js';
import { postgresUnits } from './generate.js';
import { processorTimeWithChildren } from './memory.js';

const MILLION = unlessBrief(1_000_000, 1000);
const ORGANIZATIONS = 10;
const PARTITIONS = 16;
const ROUNDS = unlessBrief(7, 1);
const WRITES = unlessBrief(10, 1);
/** As many units as a sync derives at once. */
const WRITTEN = 5000;
const TABLES = ['work_units', 'work_unit_shares'];
const log = pino({ level: 'warn' }, pino.destination(2));
const never = new AbortController().signal;

type Figures = Readonly<Record<string, string | number>>;

export async function benchPartitions(): Promise<void> {
  const millions = process.argv.map(Number).find((each) => each > 0) ?? 10;
  const rows: Figures[] = [];
  for (const isPartitioned of [false, true]) {
    const home = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));
    const server = await startEmbeddedPostgres({ home, logger: log, durable: false });
    try {
      const postmaster = Number.parseInt(await readFile(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
      const processorTime = (): number => processorTimeWithChildren(postmaster);
      rows.push(...(await measureLayout(server.uri, millions, isPartitioned, processorTime)));
    } finally {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    }
  }
  printTable(
    `${millions} million work units of ${ORGANIZATIONS} organizations in PostgreSQL (medians, and processor time)`,
    rows,
  );
}

async function measureLayout(
  uri: string,
  millions: number,
  isPartitioned: boolean,
  processorTime: () => number,
): Promise<readonly Figures[]> {
  const layout = isPartitioned ? `${PARTITIONS} partitions` : 'one table';
  const exclusively = (work: (assertHeld: () => Promise<void>) => Promise<void>): Promise<void> =>
    work(() => Promise.resolve());
  const store = await openWorkUnitStore(parseAnalyticsUri(uri), { now: Date.now, log, exclusively });
  const analytics = await openAnalytics(uri, { timeoutSeconds: 300, log });
  const sql = postgres(uri, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await store.ensureSchema();
    if (isPartitioned) await sql.unsafe(TABLES.map(partitioned).join(';'));
    const each = (millions * MILLION) / ORGANIZATIONS;
    const rows: Figures[] = [];
    const measure = async (what: string, work: () => Promise<number>, times: number): Promise<void> => {
      const before = processorTime();
      const ms = Math.round(await work());
      rows.push({ layout, what, ms, cpu_ms: Math.round((processorTime() - before) / times) });
    };
    const fill = async (): Promise<void> => {
      for (let org = 0; org < ORGANIZATIONS; org += 1) {
        await sql.unsafe(postgresUnits(1, each, org === 0 ? ORG : `${ORG}${org}`));
      }
    };
    await measure('insert all units by SQL', () => timed(fill), 1);
    await measure('vacuum analyze', () => timed(() => sql.unsafe('vacuum analyze')), 1);
    for (const [name, batch] of Object.entries(batches)) {
      const ask = (): Promise<unknown> => analytics.run(ORG, batch, never);
      await measure(`batch "${name}" of one organization`, () => repeated(ROUNDS, ask), ROUNDS + 1);
    }
    for (const areNew of [true, false]) {
      let written = 0;
      const write = (): Promise<void> => {
        written += 1;
        const units = unitsOf(areNew ? `new-${written}` : 'new-1');
        return store.apply({ orgId: ORG, repoId: 'repo-x', units, removed: [], areNew });
      };
      const what = `${WRITTEN} ${areNew ? 'new' : 'replaced'} units of a sync`;
      await measure(what, () => repeated(WRITES, write), WRITES + 1);
    }
    return rows;
  } finally {
    await Promise.all([store.close(), analytics.close(), sql.end()]);
  }
}

/** The same columns, keys and indexes, partitioned. */
function partitioned(table: string): string {
  const partitions = Array.from(
    { length: PARTITIONS },
    (_, remainder) =>
      `create table ${table}_${remainder} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${remainder})`,
  );
  return [
    `alter table ${table} rename to ${table}_single`,
    `create table ${table} (like ${table}_single including all) partition by hash (org_id)`,
    `drop table ${table}_single`,
    ...partitions,
  ].join(';');
}

function unitsOf(repository: string): readonly WorkUnit[] {
  return Array.from({ length: WRITTEN }, (_, number) => ({
    id: `repo-x:commit:${repository}-${number}`,
    workType: 'commit',
    repo: 'group/repo-x',
    team: `team-${number % 12}`,
    author: `author-${number % 300}@example.com`,
    theme: 'quality',
    subcategory: 'quality.testing',
    startedAt: Date.UTC(2025, 0, 1 + (number % 365)),
    completedAt: Date.UTC(2025, 0, 1 + (number % 365), 20),
    day: new Date(Date.UTC(2025, 0, 1 + (number % 365))).toISOString().slice(0, 10),
    churnLoc: number,
    shares: [
      { subcategory: 'quality.testing', share: 0.7 },
      { subcategory: 'maintenance.debt', share: 0.3 },
    ],
  }));
}

/** The median after a first round that fills caches. */
async function repeated(times: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const measured: number[] = [];
  for (let round = 0; round < times; round += 1) measured.push(await timed(work));
  return median(measured);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
