import { AnalyticsFailed, AnalyticsUnavailable } from '../../../analytics/analytics.js';
import type { UnitDescription, UnitRecords } from '../../../analytics/unit-records.js';
import { codeHealth } from '../../../sync/code-health/code-health.js';
import { SyncError } from '../../../sync/failures.js';
import { workHistories } from '../../../sync/known-history.js';
import type { OpenDerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { describeUnits } from '../../../sync/work-units/describe-units.js';
import { explainUnit } from '../../../sync/work-units/explain.js';
import { storedCalendar } from '../../../sync/work-units/stored-calendar.js';
import type { OpenRecords } from '../../sources/records/open-records.js';

/** Queries single work units in the records. */
export function createUnitRecords(records: Pick<OpenRecords, 'of'>): UnitRecords {
  const ask = async <Answer>(
    orgId: string,
    question: (resources: OpenDerivationResources) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    try {
      return await records.of(orgId, question);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (error instanceof SyncError && error.code === 'database_failed') throw new AnalyticsUnavailable(error);
      throw new AnalyticsFailed(error);
    }
  };
  return {
    describe: (orgId, ids) =>
      ids.length === 0
        ? Promise.resolve(new Map<string, UnitDescription>())
        : ask(orgId, (resources) => describeUnits(resources, ids)),
    explain: (orgId, id) =>
      ask(orgId, async (resources) => {
        const explained = await explainUnit(resources, id);
        if (explained === undefined) return null;
        const { unit, title, contributions, correction = null } = explained;
        const url = (await describeUnits(resources, [id])).get(id)?.url ?? null;
        return { id, title, url, shares: unit.shares, contributions, correction, phases: unit.phases ?? null };
      }),
    codeHealth: (orgId, request, signal) => ask(orgId, (resources) => codeHealth(resources, request, signal), signal),
    calendar: (orgId) => ask(orgId, storedCalendar),
    workHistories: (orgId, timeZone) =>
      ask(orgId, async (resources) => workHistories(await resources.records.syncStates(orgId), timeZone)),
  };
}
