import type { NewEvent } from '../../messages/webhooks/record-event.js';

/** The event of a run that has ended. Runs of one configuration are a subject. */
export function finishedEvent(
  run: { readonly id: string; readonly org_id: string; readonly sync_config_id: string },
  status: NewEvent<'sync_run.finished'>['data']['status'],
): NewEvent<'sync_run.finished'> {
  const { id, org_id: orgId, sync_config_id: configId } = run;
  const data = { sync_config_id: configId, sync_run_id: id, status };
  return { type: 'sync_run.finished', orgId, subject: `sync config ${configId}`, data };
}
