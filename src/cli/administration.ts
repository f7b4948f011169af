import type { DatabaseSql } from '../database/connection.js';
import { lockDatabaseOf } from '../platform/sources/records/lock-database.js';
import { prune, retentionOf } from '../platform/sources/retention/prune.js';
import { storeRecordPrune } from '../platform/sources/retention/record-prunes.store.js';
import type { StoreTask } from '../platform/sources/store-tasks/run-task.js';
import type { RemovedRecords } from '../sync/retention/retention.js';
import { assertSameSecretsKey, loadSecretBox } from '../platform/server/secrets/secrets-key.js';
import { readSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { systemClock } from '../platform/clock.js';
import { reseal } from './reseal.js';
import { rotateSigningKey } from '../platform/identity/tokens/signing-keys.store.js';
import { withOpenDatabase } from './open-database.js';

/** Creates a new key and signs with it from now on. */
export async function rotateKeys(environment: Environment): Promise<void> {
  const settings = readSettings(environment);
  if (settings.jwtPrivateKeys !== null) {
    throw new SettingError('The keys are set by JWT_PRIVATE_KEYS. Rotate them there: put the new key first');
  }
  await withOpenDatabase(settings, async ({ sql }) => {
    const secrets = await loadSecretBox(settings);
    await assertSameSecretsKey(sql, secrets);
    console.log(`New tokens are signed with the key ${await rotateSigningKey(sql, secrets, systemClock)}.`);
  });
}

/** Seals all secrets with SECRETS_KEY that SECRETS_KEY_PREVIOUS has sealed. */
export async function resealSecrets(environment: Environment): Promise<void> {
  const settings = readSettings(environment);
  if (settings.secretsKeyPrevious === null) {
    throw new SettingError('SECRETS_KEY_PREVIOUS is not set. Set it to the key that SECRETS_KEY replaces');
  }
  await withOpenDatabase(settings, async ({ sql }) => {
    const secrets = await loadSecretBox(settings);
    await assertSameSecretsKey(sql, secrets);
    const { resealed, unreadable } = await reseal(sql, secrets);
    console.log(`${resealed} ${resealed === 1 ? 'secret is' : 'secrets are'} sealed with the new key.`);
    if (unreadable.length === 0) console.log('No server needs SECRETS_KEY_PREVIOUS any more.');
    else throw new SettingError(`Neither key opens ${unreadable.join(', ')}. Keep SECRETS_KEY_PREVIOUS`);
  });
}

export interface PruneOptions {
  readonly recordDays?: string;
  readonly auditDays?: string;
  readonly runDays?: string;
  readonly mailDays?: string;
  readonly dryRun?: boolean;
}

/** Runs `plumbline prune`. */
export async function pruneDatabase(environment: Environment, options: PruneOptions): Promise<void> {
  const settings = readSettings(environment);
  const set = retentionOf(settings);
  const retention = {
    auditDays: days('--audit-days', options.auditDays) ?? set.auditDays,
    syncRunDays: days('--run-days', options.runDays) ?? set.syncRunDays,
    failedMailDays: days('--mail-days', options.mailDays) ?? set.failedMailDays,
  };
  const recordDays = days('--record-days', options.recordDays) ?? settings.recordRetentionDays;
  const dryRun = options.dryRun === true;
  await withOpenDatabase(settings, async ({ sql }, uri) => {
    for (const { what, rows } of await prune(sql, systemClock.now(), retention, { dryRun })) {
      console.log(`${dryRun ? 'Would delete' : 'Deleted'} ${rows} ${what}.`);
    }
    if (recordDays === null) return;
    const store = settings.analyticsUri ?? uri;
    const lines = await pruneRecords(sql, {
      ...{ store, rulesFile: settings.workUnitRules, locks: lockDatabaseOf(store, uri) },
      retention: { days: recordDays, dryRun, seconds: null },
    });
    for (const line of lines) console.log(line);
  });
}

/** Removes the old records of all organizations. */
async function pruneRecords(
  sql: DatabaseSql,
  task: Pick<StoreTask, 'store' | 'rulesFile' | 'locks' | 'retention'>,
): Promise<readonly string[]> {
  const { runStoreTask } = await import('../platform/sources/store-tasks/run-task.js');
  const { describeRemoved, sumOfRemoved } = await import('./removed-records.js');
  const all: RemovedRecords[] = [];
  for (const { id } of await sql<{ id: string }[]>`select id from organizations order by id`) {
    const { removed } = await runStoreTask({ ...task, kind: 'prune_records', orgId: id }, new AbortController().signal);
    if (removed === undefined) continue;
    all.push(removed);
    if (task.retention?.dryRun === false && removed.busy.length === 0)
      await storeRecordPrune(sql, id, systemClock.now());
  }
  return describeRemoved(sumOfRemoved(all), task.retention?.dryRun === true);
}

function days(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new SettingError(`${option} must be a number of days, at least 1`);
  return Number(value);
}
