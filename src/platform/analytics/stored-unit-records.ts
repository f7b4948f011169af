import { AnalyticsFailed, AnalyticsUnavailable } from '../../analytics/analytics.js';
import type { UnitDescription, UnitRecords } from '../../analytics/unit-records.js';
import { SyncError } from '../../sync/failures.js';
import type { OpenDeriver } from '../../sync/work-units/open-deriver.js';
import { describeUnits } from '../../sync/work-units/describe-units.js';
import { explainUnit } from '../../sync/work-units/explain.js';
import { openStoredRecords, type RecordsOptions, type StoredRecords } from '../records/stored-records.js';

/** Opens the records with the first question, and keeps them open; where that fails, the next question tries again. */
export function openUnitRecords(
  records: StoredRecords,
  importConnector?: NonNullable<RecordsOptions['importConnector']>,
): UnitRecords {
  let opened: Promise<OpenDeriver> | null = null;
  const open = (): Promise<OpenDeriver> => {
    const options = { orgId: '', signal: new AbortController().signal };
    const attempt = openStoredRecords(records, {
      ...options,
      ...(importConnector === undefined ? {} : { importConnector }),
    });
    attempt.catch(() => (opened = null)); // it is told to those who asked
    return attempt;
  };
  const ask = async <Answer>(orgId: string, question: (deriver: OpenDeriver) => Promise<Answer>): Promise<Answer> => {
    try {
      opened ??= open();
      return await question({ ...(await opened), orgId });
    } catch (error) {
      if (error instanceof SyncError && error.code === 'database_failed') throw new AnalyticsUnavailable(error);
      throw new AnalyticsFailed(error);
    }
  };
  return {
    describe: (orgId, ids) =>
      ids.length === 0
        ? Promise.resolve(new Map<string, UnitDescription>())
        : ask(orgId, (deriver) => describeUnits(deriver, ids)),
    explain: (orgId, id) =>
      ask(orgId, async (deriver) => {
        const explained = await explainUnit(deriver, id);
        if (explained === undefined) return null;
        const { unit, title, contributions } = explained;
        const url = (await describeUnits(deriver, [id])).get(id)?.url ?? null;
        return { id, title, url, shares: unit.shares, contributions };
      }),
    close: async () => {
      const deriver = await opened?.catch(() => null);
      await deriver?.close();
    },
  };
}
