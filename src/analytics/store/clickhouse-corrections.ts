/**
 * The corrections of organizations in ClickHouse. A correction is stored before its unit is written, and every change
 * of units reads the corrections once more after it has written, so that neither order of the two loses a correction.
 * A classification is written as the version after the one that was read, so that a change that a sync makes meanwhile
 * has a later version and wins; then the later unit is classified.
 */
import type { ClickHouseEngine } from '../clickhouse/engine.js';
import { createTable, type TableDefinition } from '../clickhouse/tables.js';
import type { Classified, Correction, CorrectionStore, WorkUnit } from '../work-unit.js';
import { CORRECTION_COLUMNS, correctedOf, correctionOf, repoIdOf, type Corrected } from './corrections.js';

const TABLE: TableDefinition = {
  name: 'work_unit_corrections',
  columns: [
    ...['org_id String', 'id String', 'repo_id String', 'subcategory LowCardinality(String)'],
    ...['note Nullable(String)', 'corrected_ms Int64', 'corrected_by String', 'version UInt64', 'is_deleted UInt8'],
  ],
  replacing: 'version, is_deleted',
  orderBy: 'org_id, id',
  shardBy: 'org_id, id',
};

/** How the units of the store are read and written. */
interface Units {
  /** Epoch milliseconds. */
  readonly now: () => number;
  find(orgId: string, id: string): Promise<WorkUnit | undefined>;
  /** Classifies a unit as given and by its correction, unless it is gone. */
  classify(orgId: string, id: string, classified?: Classified): Promise<void>;
}

export async function createCorrections(engine: ClickHouseEngine): Promise<void> {
  for (const statement of createTable(TABLE, engine.cluster)) await engine.command(statement);
}

/** The corrections of a repository. */
export async function readCorrected(engine: ClickHouseEngine, orgId: string, repoId: string): Promise<Corrected> {
  const rows = await engine.query(
    'select id, subcategory from work_unit_corrections final where org_id = {org:String} and repo_id = {repo:String}',
    { org: orgId, repo: repoId },
  );
  return correctedOf(rows.map(([id, subcategory]) => [id, subcategory]));
}

export function clickHouseCorrections(engine: ClickHouseEngine, { now, find, classify }: Units): CorrectionStore {
  const select = async (
    condition: string,
    parameters: Parameters<ClickHouseEngine['query']>[1],
  ): Promise<Correction[]> => {
    const text = `select ${CORRECTION_COLUMNS.join(', ')} from work_unit_corrections final where org_id = {org:String}`;
    const rows = await engine.query(`${text} ${condition}`, parameters);
    return rows.map((row) => correctionOf(Object.fromEntries(CORRECTION_COLUMNS.map((name, at) => [name, row[at]]))));
  };
  const findCorrection = async (orgId: string, id: string): Promise<Correction | undefined> => {
    const [found] = await select('and id = {id:String}', { org: orgId, id });
    return found;
  };
  /** Greater than the versions of the stored row, even those of a machine whose clock is ahead. */
  const nextVersion = async (orgId: string, id: string): Promise<number> => {
    const [row] = await engine.query(
      'select max(version) from work_unit_corrections where org_id = {org:String} and id = {id:String}',
      { org: orgId, id },
    );
    return Math.max(Number(row?.[0] ?? 0) + 1, now() * 1000);
  };
  const store = async (orgId: string, correction: Correction, isDeleted: 0 | 1): Promise<void> => {
    const { unitId, subcategory, note, correctedAt, correctedBy } = correction;
    await engine.insert('work_unit_corrections', [
      {
        ...{ org_id: orgId, id: unitId, repo_id: repoIdOf(unitId), subcategory, note, corrected_ms: correctedAt },
        ...{ corrected_by: correctedBy, version: await nextVersion(orgId, unitId), is_deleted: isDeleted },
      },
    ]);
  };
  return {
    async correct(orgId, correction) {
      const { unitId } = correction;
      if ((await find(orgId, unitId)) === undefined) return false;
      await store(orgId, correction, 0);
      await classify(orgId, unitId);
      return true;
    },
    async withdraw(orgId, unitId, classified) {
      const correction = await findCorrection(orgId, unitId);
      if (correction === undefined) return false;
      await store(orgId, correction, 1);
      if (classified !== undefined) await classify(orgId, unitId, classified);
      return true;
    },
    classify,
    findCorrection,
    listCorrections: (orgId, after, limit) =>
      select(`and id > {after:String} order by id limit ${Math.trunc(limit)}`, { org: orgId, after }),
    async countCorrections(orgId) {
      const [row] = await engine.query('select count() from work_unit_corrections final where org_id = {org:String}', {
        org: orgId,
      });
      return Number(row?.[0] ?? 0);
    },
    async clearCorrections(orgId, repoId) {
      for (const id of (await readCorrected(engine, orgId, repoId)).keys()) {
        const correction = await findCorrection(orgId, id);
        if (correction !== undefined) await store(orgId, correction, 1);
      }
    },
  };
}
