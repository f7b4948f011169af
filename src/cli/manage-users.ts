import { normalizeEmail } from '@plumbline/contract/normalization';
import type { Sql } from '../database/connection.js';
import { systemClock } from '../platform/clock.js';
import { eraseAccount } from '../platform/identity/accounts/erase-account.js';
import { setActivity } from '../platform/identity/accounts/set-activity.js';
import { accountOf, selectUsers, type UserRow } from '../platform/identity/accounts/users.store.js';
import { resetMfa } from '../platform/identity/mfa/reset-mfa.js';
import { readSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import { endInvitesWithoutRight } from '../platform/tenancy/organizations/invites.store.js';
import { allRows } from './all-rows.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { oneLine } from './one-line.js';
import { withOpenDatabase } from './open-database.js';

export interface ListUsersOptions extends ConfigOption {
  readonly search?: string;
  readonly disabled?: boolean;
  readonly json?: boolean;
}

const context = { clientIp: 'unknown', userAgent: 'plumbline users', requestId: null };

/** Prints the accounts, one per line. */
export async function listUsers(options: ListUsersOptions): Promise<void> {
  const filters = { search: options.search, state: options.disabled === true ? ('disabled' as const) : undefined };
  await withOpenDatabase(readSettings(await commandEnvironment(options)), async ({ sql }) => {
    for await (const row of allRows(
      (position, size) => selectUsers(sql, filters, position, size),
      (last) => ({ at: last.created_at, id: last.id }),
    ))
      console.log(options.json === true ? JSON.stringify(accountOf(row)) : lineOf(row));
  });
}

function lineOf(row: UserRow): string {
  const state = row.is_active ? (row.is_verified ? 'active' : 'unverified') : 'disabled';
  const login =
    row.last_login_at === null ? 'never logged in' : `login ${row.last_login_at.toISOString().slice(0, 10)}`;
  const right = row.is_superuser ? '  superuser' : '';
  const memberships = row.organizations.map(({ name, role }) => `${role} of ${name}`).join(', ');
  return `${row.id}  ${state.padEnd(10)}  ${login.padEnd(16)}  ${oneLine(row.email)}${right}  ${oneLine(memberships)}`.trimEnd();
}

/** Disables or enables an account. @throws SettingError when there is none with the address */
export async function changeActivity(email: string, isActive: boolean, options: ConfigOption): Promise<void> {
  await changeUser(email, options, async (sql, userId, now) => {
    await setActivity(sql, userId, isActive, { operatorId: null, context, now });
  });
  console.log(`${email} is now ${isActive ? 'enabled' : 'disabled'}.`);
}

/**
 * Deletes an account and its personal data.
 *
 * @throws SettingError when there is none with the address, or when organizations need it as their owner
 */
export async function deleteUser(email: string, options: ConfigOption): Promise<void> {
  await changeUser(email, options, async (sql, userId, now) => {
    const user = { id: userId, email: normalizeEmail(email) };
    const erased = await eraseAccount(sql, user, { operatorId: null, context, now });
    if ('refusal' in erased) throw new SettingError(erased.refusal.body.message);
  });
  console.log(`${email} is deleted.`);
}

/**
 * Grants or revokes the superuser right, which covers the whole installation.
 *
 * @throws SettingError when there is no account with the address
 */
export async function setSuperuser(email: string, isSuperuser: boolean, options: ConfigOption): Promise<void> {
  await changeUser(email, options, async (sql, id, now) => {
    await sql`update users set is_superuser = ${isSuperuser}, updated_at = ${now} where id = ${id}`;
    await endInvitesWithoutRight(sql, id, now);
  });
  console.log(`${email} is now ${isSuperuser ? 'a superuser' : 'an ordinary user'}.`);
}

/**
 * Removes the second factor of an account whose holder has lost it, and ends its sessions.
 *
 * @throws SettingError when there is no account with the address
 */
export async function resetSecondFactor(email: string, options: ConfigOption): Promise<void> {
  await changeUser(email, options, (sql, userId, now) => resetMfa(sql, userId, { operatorId: null, context, now }));
  console.log(`${email} has no second factor now.`);
}

async function changeUser(
  email: string,
  options: ConfigOption,
  change: (sql: Sql, userId: string, now: Date) => Promise<void>,
): Promise<void> {
  await withOpenDatabase(readSettings(await commandEnvironment(options)), async ({ sql }) =>
    sql.begin(async (transaction) => {
      const [user] = await transaction<{ id: string }[]>`
        select id from users where email = ${normalizeEmail(email)} for update`;
      if (user === undefined) throw new SettingError(`There is no account with the address ${email}`);
      await change(transaction, user.id, systemClock.now());
    }),
  );
}
