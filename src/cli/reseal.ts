/** Seals the secrets of the database with the key that replaces the one that sealed them. */
import type { Sql } from '../database/connection.js';
import { totpContext } from '../platform/identity/mfa/totp.store.js';
import { sealContextOf } from '../platform/identity/sessions/token-pair.js';
import { secretContext as ssoContext } from '../platform/identity/sso/sso-connections.store.js';
import { signingKeyContext } from '../platform/identity/tokens/signing-keys.store.js';
import { mailContext } from '../platform/messages/mail/outbox.store.js';
import { webhookSecretContext } from '../platform/messages/webhooks/webhooks.store.js';
import { replyContext } from '../platform/server/idempotency/idempotency.js';
import type { SecretBox } from '../platform/server/secrets/secret-box.js';
import { storeFingerprint } from '../platform/server/secrets/secrets-key.js';
import { refreshContext, verifierContext } from '../platform/sources/app-installations/app-installations.store.js';
import { secretContext } from '../platform/sources/integrations/integrations.store.js';

/** A column with sealed values. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key. */
  readonly key: string;
  /** The column whose value names the context. */
  readonly owner: string;
  /** The context of a value of `owner`, which is text, or bytes in hexadecimal. */
  context(owner: string): string;
}

/** All of them; a test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'private_jwk_sealed', key: 'kid', owner: 'kid', context: signingKeyContext },
  {
    table: 'refresh_tokens',
    column: 'successor_sealed',
    key: 'token_hash',
    owner: 'family_id',
    context: sealContextOf,
  },
  { table: 'totp_secrets', column: 'secret_sealed', key: 'user_id', owner: 'user_id', context: totpContext },
  { table: 'sso_connections', column: 'client_secret_sealed', key: 'id', owner: 'id', context: ssoContext },
  { table: 'integrations', column: 'secret_sealed', key: 'id', owner: 'id', context: secretContext },
  { table: 'integrations', column: 'refresh_sealed', key: 'id', owner: 'id', context: refreshContext },
  {
    ...{ table: 'app_installation_starts', column: 'verifier_sealed', key: 'state_hash', owner: 'state_hash' },
    context: (owner) => verifierContext(Buffer.from(owner, 'hex')),
  },
  { table: 'webhooks', column: 'sealed_secret', key: 'id', owner: 'id', context: webhookSecretContext },
  { table: 'webhooks', column: 'previous_sealed_secret', key: 'id', owner: 'id', context: webhookSecretContext },
  {
    ...{ table: 'webhook_earlier_secrets', column: 'sealed_secret', key: 'id', owner: 'webhook_id' },
    context: webhookSecretContext,
  },
  { table: 'outgoing_mails', column: 'payload_sealed', key: 'id', owner: 'id', context: mailContext },
  {
    ...{ table: 'idempotency_keys', column: 'sealed_reply', key: 'key_hash', owner: 'key_hash' },
    context: (owner) => replyContext(Buffer.from(owner, 'hex')),
  },
];

const BATCH = 500;

export interface Resealed {
  readonly resealed: number;
  /** The columns with values that neither key opens. */
  readonly unreadable: readonly string[];
}

/**
 * Seals with the key of the box what its previous key has sealed. Servers need the key afterwards, and the previous one no
 * longer, unless there are values that neither opens. After an interruption, the next call does the rest.
 */
export async function reseal(sql: Sql, secrets: SecretBox): Promise<Resealed> {
  let resealed = 0;
  const unreadable: string[] = [];
  for (const sealed of SEALED_COLUMNS) {
    const done = await resealColumn(sql, secrets, sealed);
    resealed += done.resealed;
    if (done.unreadable > 0) unreadable.push(`${done.unreadable} of ${sealed.table}.${sealed.column}`);
  }
  if (unreadable.length === 0) await storeFingerprint(sql, secrets);
  return { resealed, unreadable };
}

interface Row {
  readonly key: string | Buffer;
  readonly owner: string;
  readonly sealed: Buffer;
}

async function resealColumn(
  sql: Sql,
  secrets: SecretBox,
  { table, column, key, owner, context }: SealedColumn,
): Promise<{ readonly resealed: number; readonly unreadable: number }> {
  const [from, name, id] = [sql(table), sql(column), sql(key)];
  let [resealed, unreadable] = [0, 0];
  for (let last: Row['key'] | undefined; ;) {
    const rows: Row[] = await sql<Row[]>`
      select ${id} as key, regexp_replace(${sql(owner)}::text, '^\\\\x', '') as owner, ${name} as sealed from ${from}
      where ${name} is not null ${last === undefined ? sql`` : sql`and ${id} > ${last}`}
      order by ${id} limit ${BATCH}`;
    for (const row of rows) {
      const changed = attempt(() => secrets.reseal(row.sealed, context(row.owner)));
      if (changed === undefined) unreadable++;
      if (changed == null) continue;
      // What a server has stored meanwhile stays.
      const { count } = await sql`
        update ${from} set ${name} = ${changed} where ${id} = ${row.key} and ${name} = ${row.sealed}`;
      resealed += count;
    }
    last = rows.at(-1)?.key;
    if (rows.length < BATCH) return { resealed, unreadable };
  }
}

/** @returns undefined if it throws */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
