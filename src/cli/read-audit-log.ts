import { normalizeEmail } from '@plumbline/contract/normalization';
import type { Sql } from '../database/connection.js';
import { readSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import {
  recordOf,
  selectAuditRecords,
  type AuditFilters,
  type AuditRow,
} from '../platform/tenancy/audit/audit-records.store.js';
import { isUuid } from '@plumbline/contract/system/uuid';
import { allRows } from './all-rows.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { oneLine } from './one-line.js';
import { withOpenDatabase } from './open-database.js';

export interface AuditOptions extends ConfigOption {
  readonly since?: Date;
  readonly until?: Date;
  readonly event?: string;
  readonly user?: string;
  readonly organization?: string;
  readonly limit?: number;
  readonly format: 'table' | 'json' | 'ndjson';
}

/** Prints the records that match all options, the newest first. @throws SettingError for an unknown address */
export async function printAuditLog(options: AuditOptions): Promise<void> {
  const { since, until, event, organization: orgId, user, format, limit = Number.POSITIVE_INFINITY } = options;
  const filters: AuditFilters = { since, until, action: event?.toUpperCase(), orgId };
  await withOpenDatabase(readSettings(await commandEnvironment(options)), async ({ sql }) => {
    const userId = user === undefined ? undefined : await userIdOf(sql, user);
    const actors = new Map<string, string>();
    let printed = 0;
    if (format === 'json') console.log('[');
    for await (const row of allRows(
      (position, size) => selectAuditRecords(sql, { ...filters, userId }, position, size),
      (last) => last,
      limit,
    )) {
      const text = format === 'table' ? lineOf(row, await actorOf(sql, row, actors)) : JSON.stringify(recordOf(row));
      console.log(format === 'json' && printed > 0 ? `,${text}` : text);
      printed += 1;
    }
    if (format === 'json') console.log(']');
  });
}

function lineOf(row: AuditRow, actor: string): string {
  const cells = [
    row.at.toISOString().slice(0, 19).replace('T', ' '),
    row.action.padEnd(24),
    row.status.padEnd(7),
    actor.padEnd(28),
    row.org_id ?? 'no organization'.padEnd(36),
    (row.ip ?? '-').padEnd(15),
    row.note ?? '',
  ];
  return oneLine(cells.join('  ')).trimEnd();
}

/** The address of the account or the name of the service token that acted; its id if it is deleted, and `-` for nobody. */
async function actorOf(
  sql: Sql,
  { user_id: userId, service_token_id: tokenId }: AuditRow,
  known: Map<string, string>,
): Promise<string> {
  const id = userId ?? tokenId;
  if (id === null) return '-';
  const seen = known.get(id);
  if (seen !== undefined) return seen;
  const [row] = await sql<{ name: string }[]>`
    select email as name from users where id = ${id}
    union all select 'token ' || name from service_tokens where id = ${id}`;
  const name = row?.name ?? id;
  known.set(id, name);
  return name;
}

async function userIdOf(sql: Sql, account: string): Promise<string> {
  const isId: boolean = isUuid(account);
  if (isId) return account; // records stay when their account is deleted
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${normalizeEmail(account)}`;
  if (user === undefined) throw new SettingError(`There is no account with the address ${account}`);
  return user.id;
}
