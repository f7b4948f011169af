import type { Sql } from '../../../database/connection.js';
import { failuresOf, hasSucceeded, type StepResult } from '../sync-runs/jobs/sync-job.js';
import { recordEvent, type NewEvent } from '../../messages/webhooks/record-event.js';

type Failure = NewEvent<'integration.failed'>['data']['reason'];

/**
 * Why a run could not use its integration.
 *
 * @returns null: it read something; undefined: it read nothing for another reason, so nothing is known
 */
export function integrationFailureOf(steps: readonly StepResult[]): Failure | null | undefined {
  if (steps.some(hasSucceeded)) return null;
  const codes = new Set(steps.flatMap(failuresOf).map(({ failure }) => failure.code));
  if (codes.has('unauthorized')) return 'credential_refused';
  return codes.has('host_unavailable') ? 'host_unreachable' : undefined;
}

/**
 * Stores what a run that has ended tells about the integration of its configuration, and records the event when a
 * failure is new. Simultaneous runs with the same outcome record one.
 */
export async function noteIntegration(
  sql: Sql,
  run: { readonly id: string; readonly org_id: string; readonly sync_config_id: string },
  steps: readonly StepResult[],
  now: Date,
): Promise<void> {
  const reason = integrationFailureOf(steps);
  if (reason === undefined) return;
  const { id: runId, org_id: orgId, sync_config_id: configId } = run;
  const [changed] = await sql<Pick<NewEvent<'integration.failed'>['data'], 'integration_id' | 'name' | 'provider'>[]>`
    update integrations set sync_failure = ${reason}
    where org_id = ${orgId} and sync_failure is distinct from ${reason}
      and id = (select integration_id from sync_configs where org_id = ${orgId} and id = ${configId})
    returning id as integration_id, name, provider`;
  if (changed === undefined || reason === null) return;
  const data = { ...changed, reason, sync_run_id: runId };
  const subject = `integration ${changed.integration_id}`;
  await recordEvent(sql, { type: 'integration.failed', orgId, subject, data }, now);
}
