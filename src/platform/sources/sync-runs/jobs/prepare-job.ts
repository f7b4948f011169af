import { unreadableToken } from '../../integrations/unreadable-token.js';
import { secretContext } from '../../integrations/integrations.store.js';
import type { SecretBox } from '../../../server/secrets/secret-box.js';
import { isCodeHost } from '../../../../sync/providers/registry.js';
import { passwordsOf } from '../../../../sync/request.js';
import { parseConnection } from '../../../../sync/sinks/connection-string.js';
import { lockDatabaseOf } from '../../records/lock-database.js';
import type { SyncJob } from './sync-job.js';
import type { TakenRun } from './sync-jobs.store.js';

/** The inputs that every job gets from the server. */
export interface JobSettings {
  readonly secrets: Pick<SecretBox, 'open'>;
  /** Connection string of the target database. */
  readonly store: string;
  /** Connection string of the server's own PostgreSQL. */
  readonly database: string;
  /** Additional networks (CIDR) for code hosts, besides public addresses. */
  readonly integrationNetworks: readonly string[];
  readonly periodDays: number;
  /** Days before today of which records are kept; null: all. */
  readonly recordDays: number | null;
  /** Maximum number of requests per attempt to the code host. */
  readonly mostRequests: number;
  /** The directory whose repositories an organization may read; null: none. */
  readonly localRootOf: (orgId: string) => string | null;
  /** The rules that classify work units; null: the built-in rules. */
  readonly rulesFile: string | null;
}

export type PreparedJob =
  | { readonly job: SyncJob }
  /** A message for users. */
  | { readonly refusal: string };

/** The job of a run, or the reason why it cannot run. */
export function prepareJob(
  run: TakenRun,
  {
    secrets,
    store,
    database,
    integrationNetworks,
    periodDays,
    recordDays,
    mostRequests,
    localRootOf,
    rulesFile,
  }: JobSettings,
): PreparedJob {
  const address = parseConnection(store);
  if ('problem' in address) {
    return { refusal: `Data cannot be stored in ANALYTICS_URI: ${address.problem}. Contact the operator.` };
  }
  if (isCodeHost(run.provider) && run.secret_sealed === null)
    return { refusal: refusals[run.inactive_reason ?? 'gone'] };
  const job: Omit<SyncJob, 'credential'> = {
    orgId: run.org_id,
    provider: run.provider,
    targets: run.targets,
    repositories: run.repositories,
    store,
    locks: lockDatabaseOf(store, database),
    integrationNetworks,
    periodDays,
    recordDays,
    mostRequests,
    localRoot: localRootOf(run.org_id),
    rulesFile,
    prune: run.prune,
    isDemo: run.is_demo,
    finished: run.result?.steps ?? [],
    recordsBefore: run.progress.records ?? 0,
  };
  if (run.secret_sealed === null || run.integration_id === null) return { job: { ...job, credential: null } };
  try {
    const token = secrets.open(run.secret_sealed, secretContext(run.integration_id));
    const expiresAt = run.token_expires_at?.getTime() ?? null;
    return { job: { ...job, credential: { token, baseUrl: run.base_url, expiresAt } } };
  } catch {
    return { refusal: unreadableToken };
  }
}

/** Why there is no credential. */
const refusals = {
  gone: 'The integration of this configuration has been deleted or disabled. Connect it again.',
  suspended: 'The installation of the app is suspended at the code host. Resume it there, and test the integration.',
  removed: 'The app was removed at the code host, or its authorization has ended. Connect the integration again.',
} as const;

/** The secret values of a job. */
export function secretsOf({ credential, store, locks }: SyncJob): string[] {
  const addresses = locks === null ? [store] : [store, locks];
  return [...addresses, ...addresses.flatMap(passwordsOf), ...(credential === null ? [] : [credential.token])];
}
