import type { ProblemReply } from '@plumbline/contract/contract-types';
import { serviceUnavailable } from '../../../generated/problems.js';
import type { Database } from '../../database/connection.js';
import {
  isConflict,
  isConnectionFailure,
  isReadOnly,
  isStatementTimeout,
  shortageOf,
} from '../../database/failures.js';
import { SyncError } from '../../sync/failures.js';
import { refused } from '../identity/accounts/bearer-security.js';
import { PasswordsBusy } from '../identity/passwords/passwords.js';
import { SessionEnded } from '../identity/sessions/token-pair.js';

const readOnlyReason = 'The database takes no writes at present. Try again soon.';

/** Maps failures that can occur in any request to documented problems, independent of the handler. */
export function problemOf(error: unknown): ProblemReply | null {
  if (error instanceof SessionEnded) return refused();
  if (error instanceof PasswordsBusy) {
    return serviceUnavailable({
      message: 'Too many passwords wait to be checked. Try again soon.',
      retry_after_seconds: 5,
    });
  }
  const shortage = shortageOf(error);
  if (shortage !== null) {
    return serviceUnavailable({ message: `${shortage.sentence} Try again soon.`, retry_after_seconds: 5 });
  }
  if (isConnectionFailure(error)) {
    return serviceUnavailable({ message: 'The database is out of reach. Try again soon.', retry_after_seconds: 2 });
  }
  if (error instanceof SyncError && error.code === 'database_failed') {
    return serviceUnavailable({
      message: 'The database of the analytics is out of reach. Try again soon.',
      retry_after_seconds: 5,
    });
  }
  if (isReadOnly(error)) {
    return serviceUnavailable({ message: readOnlyReason, retry_after_seconds: 5 });
  }
  if (isConflict(error)) {
    return serviceUnavailable({
      message: 'Another request changed the same data. Try again soon.',
      retry_after_seconds: 1,
    });
  }
  if (isStatementTimeout(error)) {
    return serviceUnavailable({ message: 'The database took too long. Try again soon.', retry_after_seconds: 5 });
  }
  return null;
}

/**
 * The reason why the database cannot be used; null if it accepts reads and writes.
 *
 * @throws the driver's error when the database does not answer
 */
export async function databaseUnreadiness({ sql, shortages }: Database): Promise<string | null> {
  const [row] = await sql<{ mode: string }[]>`select current_setting('transaction_read_only') as mode`;
  if (row?.mode === 'on') return readOnlyReason;
  return (await shortages.check(sql))?.sentence ?? null;
}
