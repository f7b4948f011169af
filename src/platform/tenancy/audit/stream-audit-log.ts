import type { Schemas, StreamAuditLogHandler } from '../../../../generated/platform/operations.js';
import { validationProblem } from '@plumbline/contract/violations';
import type { Sql } from '../../../database/connection.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordOf } from './audit-records.store.js';
import { findStreamPosition, selectStreamedRecords, streamHorizon, type StreamPosition } from './audit-stream.store.js';

/** Rows that are read at once. */
const batch = 500;

export const streamAuditLog: StreamAuditLogHandler<PlatformDependencies> = async (
  { query, principal, context },
  { sql },
) => {
  const { org_id: orgId } = principal;
  const after = query.after === undefined ? null : await findStreamPosition(sql, orgId, query.after);
  if (after === null && query.after !== undefined) {
    const message =
      'must be the id of a record of the organization; the record may have been deleted after the retention period';
    return validationProblem([{ path: '/query/after', rule: 'exists', message }]);
  }
  return { status: 200, body: recordsAfter(sql, orgId, after, () => context.isStillAuthorized()) };
};

/** Yields the records that exist now, as long as the caller may read them. */
async function* recordsAfter(
  sql: Sql,
  orgId: string,
  start: StreamPosition | null,
  isAuthorized: () => Promise<boolean>,
): AsyncGenerator<Schemas['AuditRecord']> {
  const horizon = await streamHorizon(sql);
  let after = start;
  do {
    const rows = await selectStreamedRecords(sql, orgId, { after, horizon }, batch);
    for (const { inserted_at: _insertedAt, ...row } of rows) yield recordOf(row);
    after = rows.length < batch ? null : (rows.at(-1) ?? null);
  } while (after !== null && (await isAuthorized()));
}
