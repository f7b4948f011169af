import type { OpenDerivationResources } from '../../../sync/work-units/derivation/resources.js';
import { openStoredRecords, type RecordsOptions, type StoredRecords } from './stored-records.js';

/** The records and work units as opened by the server's process. Sync processes open them separately. */
export interface OpenRecords {
  /**
   * Works with the records of an organization.
   *
   * @throws SyncError (`database_failed`) if the database is unavailable
   */
  of<Result>(orgId: string, work: (resources: OpenDerivationResources) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Opens the records at the first call, and keeps them open. If opening fails, the next call retries. */
export function createOpenRecords(
  records: StoredRecords,
  importConnector?: NonNullable<RecordsOptions['importConnector']>,
): OpenRecords {
  let opened: Promise<OpenDerivationResources> | null = null;
  const open = (): Promise<OpenDerivationResources> => {
    const options = { orgId: '', signal: new AbortController().signal };
    const attempt = openStoredRecords(records, {
      ...options,
      ...(importConnector === undefined ? {} : { importConnector }),
    });
    attempt.catch(() => (opened = null)); // the error reaches the callers
    return attempt;
  };
  return {
    of: async (orgId, work) => {
      opened ??= open();
      return work({ ...(await opened), orgId });
    },
    close: async () => {
      const resources = await opened?.catch(() => null);
      await resources?.close();
    },
  };
}
