/**
 * Work units in ClickHouse, server or embedded: one row per unit, with its shares as arrays, so that a unit is replaced
 * atomically.
 *
 * A newer version of a row replaces the older one with the same key when parts are merged, and `final` does so for a
 * query. The day is part of the key, because queries read by day. A unit that moves to another day leaves a tombstone
 * behind. Years are merged into one part each as soon as they no longer change, and `final` costs nothing for a year of
 * one part (the README of the parent folder has the figures).
 */
import type { Classified, RecentUnits, WorkUnit, WorkUnitChange, WorkUnitStore } from '../work-unit.js';
import type { ClickHouseEngine } from '../clickhouse/engine.js';
import { isoText, momentText } from '../clickhouse/moments.js';
import { valueChunks } from '../clickhouse/value-chunks.js';
import { clickHouseCorrections, createCorrections, readCorrected } from './clickhouse-corrections.js';
import { asCorrected, repoIdOf } from './corrections.js';
import type { StoreOptions } from './options.js';
import { ensureClickHouseSchema } from './clickhouse-schema.js';
import {
  ADDED_DIMENSIONS,
  CO_AUTHORS_COLUMN,
  MEASURE_COLUMNS,
  partRow,
  REVIEWERS_COLUMN,
  shareRows,
  unitOf,
  unitRow,
} from './rows.js';

/** Rows per insert: few parts to merge, and little memory. */
const BATCH = 10_000;
/** Partitions per insert; a server allows 100 by default. */
const YEARS = 50;
const SCAN = 1000;

/** Opens the store on an engine, and closes the engine with it. */
export function openClickHouseStore(
  engine: ClickHouseEngine,
  options: Pick<StoreOptions, 'now' | 'exclusively'>,
): WorkUnitStore {
  let version = 0;
  const known = new Set<string>();
  /** Greater than all earlier versions, even those of a machine whose clock is ahead. */
  const nextVersion = async ({ orgId, repoId }: WorkUnitChange): Promise<number> => {
    const key = `${orgId} ${repoId}`;
    if (!known.has(key)) version = Math.max(version, await latestVersion(engine, orgId, repoId));
    known.add(key);
    return (version = Math.max(version + VERSIONS_OF_A_CHANGE, options.now() * 1000));
  };
  const find = async (orgId: string, id: string): Promise<WorkUnit | undefined> =>
    (await findVersion(engine, orgId, id))?.unit;
  const applyCorrected = async (change: WorkUnitChange): Promise<void> => {
    const { orgId, repoId } = change;
    let corrected = await readCorrected(engine, orgId, repoId);
    for (;;) {
      const units = change.units.map((unit) => asCorrected(unit, corrected));
      await apply(engine, { ...change, units }, await nextVersion(change));
      // Without transactions: a correction that was stored before the units were written did not find them.
      const since = await readCorrected(engine, orgId, repoId);
      if (units.every(({ id }) => corrected.get(id) === since.get(id))) return;
      corrected = since;
    }
  };
  const classify = async (orgId: string, id: string, classified?: Classified): Promise<void> => {
    const repoId = repoIdOf(id);
    let corrected = await readCorrected(engine, orgId, repoId);
    for (let read = await findVersion(engine, orgId, id); read !== undefined;) {
      const next = read.version + 1;
      const unit = asCorrected({ ...read.unit, ...classified }, corrected);
      await apply(engine, { orgId, repoId, units: [unit], removed: [] }, next);
      const since = await readCorrected(engine, orgId, repoId);
      read = await findVersion(engine, orgId, id);
      if (read?.version === next && corrected.get(id) === since.get(id)) return;
      corrected = since;
    }
  };
  return {
    ensureSchema: async () => {
      await ensureClickHouseSchema(engine, options.exclusively);
      await createCorrections(engine);
    },
    apply: applyCorrected,
    scan: (orgId, repoId) => scan(engine, orgId, repoId),
    ...clickHouseCorrections(engine, { find, classify, now: options.now }),
    find,
    recentUnits: (orgId, since, limit) => recentUnits(engine, orgId, since, limit),
    close: () => engine.close(),
  };
}

/** A unit as it is stored, with its version. */
async function findVersion(
  engine: ClickHouseEngine,
  orgId: string,
  id: string,
): Promise<{ readonly unit: WorkUnit; readonly version: number } | undefined> {
  // After an interrupted change, a unit is stored on two days.
  const [row] = await engine.query(
    `select ${COLUMNS.join(', ')}, version from work_units final where org_id = {org:String} and id = {id:String}
     order by version desc limit 1`,
    { org: orgId, id },
  );
  return row === undefined ? undefined : { unit: decoded(row), version: Number(row.at(-1)) };
}

/** Tombstones get the first version, replacements the second. */
const VERSIONS_OF_A_CHANGE = 2;

async function latestVersion(engine: ClickHouseEngine, orgId: string, repoId: string): Promise<number> {
  const [row] = await engine.query(
    'select max(version) from work_units where org_id = {org:String} and repo_id = {repo:String}',
    { org: orgId, repo: repoId },
  );
  return Number(row?.[0] ?? 0);
}

async function apply(engine: ClickHouseEngine, change: WorkUnitChange, version: number): Promise<void> {
  const { orgId, repoId, removed } = change;
  const units = [...new Map(change.units.map((unit) => [unit.id, unit])).values()];
  const gone = new Set(removed);
  const known = [...gone, ...(change.areNew === true ? [] : units.map(({ id }) => id))];
  const days = known.length === 0 ? new Map<string, string[]>() : await storedDays(engine, orgId, repoId, known);
  // Tombstones contain the repository, too, so that an index on it does not skip them.
  const key = { org_id: orgId, repo_id: repoId };
  const rows: DatedRow[] = [];
  for (const id of gone) {
    for (const day of days.get(id) ?? []) rows.push({ ...key, day, id, version, is_deleted: 1 });
  }
  for (const unit of units) {
    const row = unitRow(unit);
    for (const day of days.get(row.id) ?? []) {
      if (day !== row.day) rows.push({ ...key, day, id: row.id, version, is_deleted: 1 });
    }
    const shares = shareRows(row, unit.shares);
    rows.push({
      ...row,
      ...key,
      started_at: momentText(new Date(row.started_at).toISOString()),
      completed_at: row.completed_at === null ? null : momentText(new Date(row.completed_at).toISOString()),
      share_theme: shares.map(({ theme }) => theme),
      share_subcategory: shares.map(({ subcategory }) => subcategory),
      share_weight: shares.map(({ weight }) => weight),
      share_cycle_ms: shares.map(({ cycle_ms }) => cycle_ms ?? 0),
      version: version + (gone.has(unit.id) ? 1 : 0),
      is_deleted: 0,
    });
  }
  for (const batch of insertsOf(rows)) await engine.insert('work_units', batch);
}

interface DatedRow {
  readonly day: string;
  readonly [column: string]: unknown;
}

/** In day order, an insert affects few partitions and creates few parts. */
function* insertsOf(rows: readonly DatedRow[]): Generator<readonly DatedRow[]> {
  let batch: DatedRow[] = [];
  let years = 0;
  let last = '';
  for (const row of rows.toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))) {
    const year = row.day.slice(0, 4);
    if (batch.length === BATCH || (year !== last && years === YEARS)) {
      yield batch;
      [batch, years, last] = [[], 0, ''];
    }
    if (year !== last) years += 1;
    last = year;
    batch.push(row);
  }
  if (batch.length > 0) yield batch;
}

/** The days on which units are stored; more than one after an interrupted change. */
async function storedDays(
  engine: ClickHouseEngine,
  orgId: string,
  repoId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const days = new Map<string, string[]>();
  const [known] = await engine.query(
    'select 1 from work_units where org_id = {org:String} and repo_id = {repo:String} limit 1',
    { org: orgId, repo: repoId },
  );
  if (known === undefined) return days;
  for (const chunk of valueChunks(ids)) {
    const rows = await engine.query(
      'select id, toString(day) from work_units final where org_id = {org:String} and id in {ids:Array(String)}',
      { org: orgId, ids: chunk },
    );
    for (const [id, day] of rows) days.set(String(id), [...(days.get(String(id)) ?? []), String(day)]);
  }
  return days;
}

const ADDED = [...MEASURE_COLUMNS, REVIEWERS_COLUMN, CO_AUTHORS_COLUMN, ...ADDED_DIMENSIONS] as const;

const COLUMNS = [
  'id',
  'work_type',
  'repo',
  'team',
  'author',
  'theme',
  'subcategory',
  'toString(started_at)',
  'toString(completed_at)',
  'toString(day)',
  'churn',
  'share_subcategory',
  'share_weight',
  ...ADDED,
] as const;

/** After an interrupted change, a unit is stored on two days: it is listed and counted once. */
async function recentUnits(
  engine: ClickHouseEngine,
  orgId: string,
  since: string,
  limit: number,
): Promise<RecentUnits> {
  const found = 'from work_units final where org_id = {org:String} and day >= toDate32({since:String})';
  const [rows, [count]] = await Promise.all([
    engine.query(`select id ${found} group by id order by max(day) desc, id limit ${limit}`, { org: orgId, since }),
    engine.query(`select uniqExact(id) ${found}`, { org: orgId, since }),
  ]);
  return { ids: rows.map(([id]) => String(id)), total: Number(count?.[0] ?? 0) };
}

async function* scan(engine: ClickHouseEngine, orgId: string, repoId: string): AsyncGenerator<readonly WorkUnit[]> {
  let after = '';
  for (;;) {
    const rows = await engine.query(
      `select ${COLUMNS.join(', ')} from work_units final
       where org_id = {org:String} and repo_id = {repo:String} and id > {after:String}
       order by id limit ${SCAN}`,
      { org: orgId, repo: repoId, after },
    );
    if (rows.length > 0) yield rows.map(decoded);
    const last = rows.at(-1);
    if (last === undefined || rows.length < SCAN) return;
    after = String(last[0]);
  }
}

function decoded(row: readonly unknown[]): WorkUnit {
  const [id, work_type, repo, team, author, theme, subcategory, started, completed, day, churn, names, weights] = row;
  const added = ADDED.map((column, at) => [column, row[13 + at]] as const);
  const parts =
    Array.isArray(names) && Array.isArray(weights) ? names.map((name, at) => partRow(name, weights[at])) : [];
  return unitOf(
    {
      ...{ id, work_type, repo, team, author, theme, subcategory, day, churn, ...Object.fromEntries(added) },
      started_at: isoText(started),
      completed_at: completed === null ? null : isoText(completed),
    },
    parts,
  );
}
