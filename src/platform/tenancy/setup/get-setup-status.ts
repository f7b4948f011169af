import type { GetSetupStatusHandler, Schemas } from '../../../../generated/platform/operations.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { readSetupFacts, type ConfigurationProgress, type SetupFacts } from './setup-status.store.js';

type Status = Schemas['SetupStatusResponse'];

export const getSetupStatus: GetSetupStatusHandler<PlatformDependencies> = async ({ principal }, { sql }) => ({
  status: 200,
  body: statusOf(await readSetupFacts(sql, principal.org_id)),
});

function statusOf(facts: SetupFacts): Status {
  const { state, configuration } = stateOf(facts);
  const syncStatus = syncStatusOf(configuration);
  const isRunning = syncStatus === 'pending' || syncStatus === 'running';
  const canStartSync = configuration !== null && configuration.is_active && !isRunning;
  return {
    state,
    has_integration: facts.providers.length > 0,
    providers: facts.providers,
    has_sync_config: configuration !== null,
    sync_config_id: configuration?.id ?? null,
    sync_status: syncStatus,
    first_sync_completed: facts.first_sync_completed,
    selected_repositories_count: configuration?.repositories ?? 0,
    last_sync_error: syncStatus === 'failed' ? reasonOf(configuration) : null,
    can_start_sync: canStartSync,
    has_demo_data: facts.has_demo_data,
    next_action: nextActionOf(state, syncStatus, canStartSync),
  };
}

/**
 * The state and the configuration it refers to. The contract defines the order of the checks: no active integration; no
 * sync configuration; the latest run failed; a run is pending or running; otherwise ready.
 */
function stateOf({ providers, latest, active }: SetupFacts): {
  readonly state: Status['state'];
  readonly configuration: ConfigurationProgress | null;
} {
  if (providers.length === 0) return { state: 'missing_integration', configuration: latest };
  if (latest === null) return { state: 'missing_sync_config', configuration: null };
  if (syncStatusOf(latest) === 'failed') return { state: 'failed_sync', configuration: latest };
  if (active !== null) return { state: 'running_sync', configuration: active };
  return { state: 'ready', configuration: latest };
}

/** A cancelled run has brought no data, so set-up treats it as failed. */
function syncStatusOf(configuration: ConfigurationProgress | null): Status['sync_status'] {
  const status = configuration?.run_status ?? 'none';
  return status === 'cancelled' ? 'failed' : status;
}

function reasonOf(configuration: ConfigurationProgress | null): string {
  if (configuration?.run_status === 'cancelled') return 'The run was cancelled.';
  return configuration?.run_error ?? 'The run failed for an unknown reason.';
}

function nextActionOf(
  state: Status['state'],
  syncStatus: Status['sync_status'],
  canStartSync: boolean,
): Status['next_action'] {
  if (state === 'missing_integration') return 'connect_integration';
  if (state === 'missing_sync_config') return 'create_sync_config';
  if (state === 'running_sync') return 'wait';
  const isWanting = state === 'failed_sync' || syncStatus === 'none';
  return isWanting && canStartSync ? 'start_sync' : 'none';
}
