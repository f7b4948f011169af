/** The corrections of organizations in SQLite, in a table beside the work units. */
import type Database from 'libsql';
import type { CorrectionStore, WorkUnit, WorkUnitChange } from '../work-unit.js';
import { CORRECTION_COLUMNS, correctedOf, correctionOf, repoIdOf, type Corrected } from './corrections.js';

export const CORRECTIONS_SCHEMA = `
  create table if not exists work_unit_corrections (
    org_id text not null, id text not null, repo_id text not null, subcategory text not null, note text,
    corrected_ms integer not null, corrected_by text not null, primary key (org_id, id)
  ) without rowid;
  create index if not exists work_unit_corrections_of_repo on work_unit_corrections (org_id, repo_id);
`;

type Prepare = (text: string) => Database.Statement;

/** The store's connection, and how its units are read and written. */
interface Units {
  readonly prepare: Prepare;
  inTransaction<Result>(action: () => Result): Promise<Result>;
  find(orgId: string, id: string): WorkUnit | undefined;
  apply(change: WorkUnitChange): void;
}

/** The corrections of a repository; read them in the transaction that writes its units. */
export function readCorrected(prepare: Prepare, orgId: string, repoId: string): Corrected {
  const rows = prepare('select id, subcategory from work_unit_corrections where org_id = ? and repo_id = ?');
  return correctedOf(rows.all([orgId, repoId]).map((row) => [column(row, 'id'), column(row, 'subcategory')]));
}

export function sqliteCorrections({ prepare, inTransaction, find, apply }: Units): CorrectionStore {
  const columns = CORRECTION_COLUMNS.join(', ');
  return {
    correct: (orgId, { unitId, subcategory, note, correctedAt, correctedBy }) =>
      inTransaction(() => {
        const unit = find(orgId, unitId);
        if (unit === undefined) return false;
        const repoId = repoIdOf(unitId);
        prepare(
          `insert or replace into work_unit_corrections (org_id, repo_id, ${columns}) values (?, ?, ?, ?, ?, ?, ?)`,
        ).run([orgId, repoId, unitId, subcategory, note, correctedAt, correctedBy]);
        apply({ orgId, repoId, units: [unit], removed: [] });
        return true;
      }),
    withdraw: (orgId, unitId, classified) =>
      inTransaction(() => {
        const { changes } = prepare('delete from work_unit_corrections where org_id = ? and id = ?').run([
          orgId,
          unitId,
        ]);
        if (changes === 0) return false;
        const unit = find(orgId, unitId);
        if (unit !== undefined && classified !== undefined)
          apply({ orgId, repoId: repoIdOf(unitId), units: [{ ...unit, ...classified }], removed: [] });
        return true;
      }),
    classify: (orgId, unitId, classified) =>
      inTransaction(() => {
        const unit = find(orgId, unitId);
        // `apply` obeys a correction.
        if (unit !== undefined)
          apply({ orgId, repoId: repoIdOf(unitId), units: [{ ...unit, ...classified }], removed: [] });
      }),
    findCorrection: (orgId, unitId) =>
      inTransaction(() => {
        const row = prepare(`select ${columns} from work_unit_corrections where org_id = ? and id = ?`).get([
          orgId,
          unitId,
        ]);
        return isRow(row) ? correctionOf(row) : undefined;
      }),
    listCorrections: (orgId, after, limit) =>
      inTransaction(() =>
        prepare(`select ${columns} from work_unit_corrections where org_id = ? and id > ? order by id limit ?`)
          .all([orgId, after, limit])
          .filter(isRow)
          .map(correctionOf),
      ),
    countCorrections: (orgId) =>
      inTransaction(() =>
        Number(
          column(prepare('select count(*) as count from work_unit_corrections where org_id = ?').get([orgId]), 'count'),
        ),
      ),
    clearCorrections: (orgId, repoId) =>
      inTransaction(() => {
        prepare('delete from work_unit_corrections where org_id = ? and repo_id = ?').run([orgId, repoId]);
      }),
  };
}

function isRow(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null;
}

function column(row: unknown, name: string): unknown {
  return isRow(row) ? row[name] : undefined;
}
