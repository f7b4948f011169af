/** The corrections of organizations in PostgreSQL, in a table beside the work units. */
import type { DatabaseSql, Sql, Transaction } from '../../database/connection.js';
import { storableText } from '../../database/storable-text.js';
import type { CorrectionStore, WorkUnit, WorkUnitChange } from '../work-unit.js';
import { CORRECTION_COLUMNS, correctionOf, repoIdOf } from './corrections.js';

/** How the units of the store are read and written. */
interface Units {
  find(sql: Sql, orgId: string, id: string): Promise<WorkUnit | undefined>;
  lock(sql: Transaction, orgId: string, repoId: string): PromiseLike<unknown>;
  apply(sql: Transaction, change: WorkUnitChange): Promise<void>;
}

export async function createCorrections(sql: Sql): Promise<void> {
  await sql`
    create table if not exists work_unit_corrections (
      org_id text collate "C" not null,
      id text collate "C" not null,
      repo_id text collate "C" not null,
      subcategory text collate "C" not null,
      note text,
      corrected_ms bigint not null,
      corrected_by text not null,
      primary key (org_id, id)
    )`;
  await sql`create index if not exists work_unit_corrections_of_repo on work_unit_corrections (org_id, repo_id)`;
}

/** Selects the corrections of a repository. Send it after the statement that takes the repository's lock. */
export function selectCorrected(sql: Sql, orgId: string, repoId: string): ReturnType<typeof sql<CorrectedRow[]>> {
  return sql<CorrectedRow[]>`
    select id, subcategory from work_unit_corrections where org_id = ${orgId} and repo_id = ${repoId}`;
}

interface CorrectedRow {
  readonly id: string;
  readonly subcategory: string;
}

export function postgresCorrections(sql: DatabaseSql, { find, lock, apply }: Units): CorrectionStore {
  return {
    correct: (orgId, correction) =>
      sql.begin(async (transaction) => {
        const { unitId: id, subcategory, note, correctedAt, correctedBy } = correction;
        const repoId = repoIdOf(id);
        await lock(transaction, orgId, repoId);
        const unit = await find(transaction, orgId, id);
        if (unit === undefined) return false;
        const row = {
          ...{ org_id: orgId, id, repo_id: repoId, subcategory, corrected_ms: correctedAt },
          note: note === null ? null : storableText(note),
          corrected_by: storableText(correctedBy),
        };
        await transaction`
          insert into work_unit_corrections ${transaction(row)}
          on conflict (org_id, id) do update set subcategory = excluded.subcategory, note = excluded.note,
            corrected_ms = excluded.corrected_ms, corrected_by = excluded.corrected_by`;
        await apply(transaction, { orgId, repoId, units: [unit], removed: [] });
        return true;
      }),
    withdraw: (orgId, id, classified) =>
      sql.begin(async (transaction) => {
        const repoId = repoIdOf(id);
        await lock(transaction, orgId, repoId);
        const { count } = await transaction`
          delete from work_unit_corrections where org_id = ${orgId} and id = ${id}`;
        if (count === 0) return false;
        const unit = await find(transaction, orgId, id);
        if (unit !== undefined && classified !== undefined)
          await apply(transaction, { orgId, repoId, units: [{ ...unit, ...classified }], removed: [] });
        return true;
      }),
    classify: (orgId, id, classified) =>
      sql.begin(async (transaction) => {
        const repoId = repoIdOf(id);
        await lock(transaction, orgId, repoId);
        const unit = await find(transaction, orgId, id);
        // `apply` obeys a correction.
        if (unit !== undefined)
          await apply(transaction, { orgId, repoId, units: [{ ...unit, ...classified }], removed: [] });
      }),
    async findCorrection(orgId, id) {
      const [row] = await sql`
        select ${sql(CORRECTION_COLUMNS)} from work_unit_corrections where org_id = ${orgId} and id = ${id}`;
      return row === undefined ? undefined : correctionOf(row);
    },
    async listCorrections(orgId, after, limit) {
      const rows = await sql`
        select ${sql(CORRECTION_COLUMNS)} from work_unit_corrections where org_id = ${orgId} and id > ${after}
        order by id limit ${limit}`;
      return rows.map(correctionOf);
    },
    async countCorrections(orgId) {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::integer as count from work_unit_corrections where org_id = ${orgId}`;
      return row?.count ?? 0;
    },
    async clearCorrections(orgId, repoId) {
      await sql`delete from work_unit_corrections where org_id = ${orgId} and repo_id = ${repoId}`;
    },
  };
}
