/** Deletes old data in batches, so that locks are short and servers keep running. */
import type { PlatformSettings } from '../../server/settings.js';
import type { DatabaseSql, Sql } from '../../../database/connection.js';

export interface Retention {
  /** Age in days; null: audit records are kept. */
  readonly auditDays: number | null;
  readonly syncRunDays: number;
  readonly failedMailDays: number;
}

/** The retention that an operator has set. */
export function retentionOf(
  settings: Pick<PlatformSettings, 'auditRetentionDays' | 'syncRunRetentionDays' | 'failedMailRetentionDays'>,
): Retention {
  return {
    auditDays: settings.auditRetentionDays,
    syncRunDays: settings.syncRunRetentionDays,
    failedMailDays: settings.failedMailRetentionDays,
  };
}

export interface PruneOptions {
  /** Only counts the rows. */
  readonly dryRun: boolean;
  /** Rows per transaction. Default: 5,000. */
  readonly batchSize?: number;
  /** Whether only one process at a time deletes; the others stop before their next batch. Default: false. */
  readonly alone?: boolean;
  /** Asked before each batch. */
  readonly isStopped?: () => boolean;
}

export interface Pruned {
  readonly what: string;
  readonly rows: number;
}

interface Rule {
  readonly what: string;
  readonly table: string;
  readonly key: string;
  /** The rows to delete; with `cleared`, to change. */
  condition(sql: Sql): ReturnType<Sql>;
  /** What is removed from rows that stay: columns that become null. */
  readonly cleared?: readonly string[];
}

/** Tokens are kept for a while after their end, so that login problems can be investigated. */
const expiredTokenDays = 7;

/** The contract documents for how many days accepted deliveries of webhooks are listed. */
const acceptedDeliveryDays = 7;

/**
 * Deletes expired tokens, idempotency keys and counters, ended secrets and sync runs, undeliverable mails and events, and
 * audit records, by age. Keeps the last run of each sync configuration.
 */
export async function prune(
  sql: DatabaseSql,
  now: Date,
  retention: Retention,
  options: PruneOptions,
): Promise<Pruned[]> {
  const pruned: Pruned[] = [];
  const failures: unknown[] = [];
  for (const rule of rulesOf(now, retention)) {
    try {
      const rows = options.dryRun ? await count(sql, rule) : await removeAll(sql, rule, options);
      pruned.push({ what: rule.what, rows });
    } catch (error) {
      failures.push(error); // one kind of data does not keep the others
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some old data cannot be deleted');
  return pruned;
}

function rulesOf(now: Date, { auditDays, syncRunDays, failedMailDays }: Retention): Rule[] {
  const before = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
  const expired = (what: string, table: string, key: string, days = 0): Rule => ({
    ...{ what, table, key },
    condition: (sql) => sql`expires_at < ${before(days)}`,
  });
  const rules: Rule[] = [
    expired('expired refresh tokens', 'refresh_tokens', 'token_hash', expiredTokenDays),
    expired('expired tokens of mails', 'one_time_tokens', 'token_hash', expiredTokenDays),
    expired('expired log-ins with identity providers', 'login_attempts', 'state_hash'),
    expired('expired log-ins that await a second factor', 'mfa_attempts', 'token_hash'),
    expired('expired challenges of passkeys', 'passkey_challenges', 'challenge_hash'),
    expired('ended sessions by SSO', 'sso_sessions', 'family_id', expiredTokenDays),
    expired('expired logout tokens of SSO', 'sso_logout_tokens', 'token_hash'),
    expired('expired links of mails about the security of accounts', 'security_mails', 'token_hash', expiredTokenDays),
    expired('expired idempotency keys', 'idempotency_keys', 'key_hash'),
    {
      what: 'ended earlier secrets of webhooks',
      table: 'webhook_earlier_secrets',
      key: 'id',
      condition: (sql) => sql`signs_until < ${now}`,
    },
    {
      what: 'ended previous secrets of webhooks',
      table: 'webhooks',
      key: 'id',
      // Earlier secrets sign only together with a previous one.
      condition: (sql) => sql`previous_secret_until < ${now} and not exists (
        select 1 from webhook_earlier_secrets where webhook_id = webhooks.id and signs_until >= ${now})`,
      cleared: ['previous_sealed_secret', 'previous_secret_until'],
    },
    {
      what: 'ended secrets of service tokens',
      table: 'service_token_secrets',
      key: 'secret_hash',
      // Neither a token that has expired nor one that is revoked can be rotated.
      condition: (sql) => sql`valid_until < ${now} or exists (
        select 1 from service_tokens t where t.id = token_id and (t.revoked_at is not null or t.expires_at < ${now}))`,
    },
    expired('ended visits to the code host', 'app_installation_starts', 'state_hash'),
    {
      what: 'events of the code host',
      table: 'host_events',
      key: 'delivery_id',
      // The host delivers an event again for 3 days, if it is asked to.
      condition: (sql) => sql`received_at < ${before(expiredTokenDays)}`,
    },
    {
      what: 'rate limit counters',
      table: 'rate_limits',
      key: 'key',
      condition: (sql) => sql`expire < ${now.getTime()}`,
    },
    {
      what: 'login failures',
      table: 'login_failures',
      key: 'email',
      condition: (sql) => sql`last_failed_at < ${before(1)} and (locked_until is null or locked_until < ${now})`,
    },
    {
      what: 'networks with an ended proof of a mailbox',
      table: 'proven_networks',
      key: 'counter',
      condition: (sql) => sql`until < ${now}`,
    },
    {
      what: 'sync runs',
      table: 'sync_runs',
      key: 'id',
      condition: (sql) => sql`finished_at < ${before(syncRunDays)} and exists (
        select 1 from sync_runs as later
        where later.org_id = sync_runs.org_id and later.sync_config_id = sync_runs.sync_config_id
          and (later.created_at, later.id) > (sync_runs.created_at, sync_runs.id))`,
    },
    {
      what: 'mails that were given up',
      table: 'outgoing_mails',
      key: 'id',
      condition: (sql) => sql`failed_at < ${before(failedMailDays)}`,
    },
    {
      what: 'accepted webhook deliveries',
      table: 'accepted_webhook_deliveries',
      key: 'id',
      condition: (sql) => sql`accepted_at < ${before(acceptedDeliveryDays)}`,
    },
    {
      what: 'webhook deliveries that were given up',
      table: 'webhook_deliveries',
      key: 'id',
      condition: (sql) => sql`failed_at < ${before(failedMailDays)}`,
    },
  ];
  if (auditDays !== null) {
    const condition = (sql: Sql): ReturnType<Sql> => sql`at < ${before(auditDays)}`;
    rules.push({ what: 'audit records', table: 'audit_log', key: 'id', condition });
  }
  return rules;
}

async function count(sql: DatabaseSql, { table, condition }: Rule): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from ${sql(table)} where ${condition(sql)}`;
  return row?.rows ?? 0;
}

async function removeAll(
  sql: DatabaseSql,
  rule: Rule,
  { batchSize = 5000, alone = false, isStopped = () => false }: PruneOptions,
): Promise<number> {
  const { table, key, condition, cleared } = rule;
  const nothing = cleared === undefined ? null : Object.fromEntries(cleared.map((column) => [column, null]));
  let total = 0;
  while (!isStopped()) {
    const deleted = await sql.begin(async (transaction) => {
      if (alone && !(await takeTurn(transaction))) return 0;
      // The trigger of the audit log allows such a transaction to delete.
      await transaction`set local plumbline.prunes_audit_log = 'on'`;
      const result = await transaction`
        ${nothing === null ? transaction`delete from ${transaction(table)}` : transaction`update ${transaction(table)} set ${transaction(nothing)}`}
        where ${transaction(key)} in (
          select ${transaction(key)} from ${transaction(table)} where ${condition(transaction)}
          limit ${batchSize} for update skip locked)`;
      return result.count;
    });
    total += deleted;
    if (deleted < batchSize) break;
  }
  return total;
}

/** Whether no other process deletes. Others cannot begin until the transaction ends. */
async function takeTurn(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended('plumbline retention', 0)) as taken`;
  return row?.taken === true;
}
