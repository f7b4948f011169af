import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { lockUser } from '../../identity/accounts/accounts.store.js';
import { replacePassword } from '../../identity/auth/replace-password.js';
import { createOrganization } from '../../tenancy/organizations/organizations.store.js';
import { fillDemoData } from './demo-data.store.js';

/** The account created by `plumbline demo`, and its organization. */
export interface DemoOrganization {
  readonly userId: string;
  readonly orgId: string;
  /** Whether it already existed. */
  readonly existed: boolean;
}

const organizationName = 'Demo';

/**
 * Creates a verified account that owns an organization, or returns the one of an earlier call.
 *
 * @param passwordHash for a new account; with `replaces`, an existing account gets it, which ends its sessions
 * @returns null if the address belongs to an account that is not the demo's
 */
export async function holdDemoOrganization(
  sql: DatabaseSql,
  account: { readonly email: string; readonly passwordHash: string; readonly replaces: boolean },
  now: Date,
): Promise<DemoOrganization | null> {
  const { email, passwordHash, replaces } = account;
  return sql.begin(async (transaction) => {
    const [created] = await transaction<{ id: string }[]>`
      insert into users (email, password_hash, full_name, auth_provider, is_verified, created_at, updated_at)
      values (${email}, ${passwordHash}, 'Demo', 'local', true, ${now}, ${now})
      on conflict (email) do nothing returning id`;
    if (created !== undefined) {
      const orgId = await createOrganization(transaction, { name: organizationName, ownerId: created.id }, now);
      return { userId: created.id, orgId, existed: false };
    }
    const found = await findDemoOrganization(transaction, email);
    if (found === null) return null;
    if (replaces) {
      await lockUser(transaction, found.userId);
      await replacePassword(transaction, found.userId, passwordHash, now);
    }
    return found;
  });
}

/** The organization that the account created under the demo's name. @returns null if there is none */
async function findDemoOrganization(sql: Sql, email: string): Promise<DemoOrganization | null> {
  const [found] = await sql<{ user_id: string; org_id: string }[]>`
    select u.id as user_id, o.id as org_id
    from users u
    join memberships m on m.user_id = u.id and m.role = 'owner'
    join organizations o on o.id = m.org_id and o.created_by = u.id and o.name = ${organizationName}
    where u.email = ${email}
    order by o.created_at limit 1`;
  return found === undefined ? null : { userId: found.user_id, orgId: found.org_id, existed: true };
}

/** Queues a run that updates the demo data to the current day, or returns the one in progress. @returns its id */
export async function queueDemoRun(sql: DatabaseSql, { userId, orgId }: DemoOrganization, now: Date): Promise<string> {
  const demo = await sql.begin((transaction) => fillDemoData(transaction, { orgId, userId }, now));
  if (demo === null) throw new Error('A server is removing the demo data. Try again');
  return demo.runId;
}

export interface DemoRunState {
  readonly status: string;
  readonly error: string | null;
  readonly records: number;
}

export async function readDemoRun(sql: Sql, runId: string): Promise<DemoRunState> {
  const [run] = await sql<DemoRunState[]>`
    select status, error, coalesce((progress ->> 'records')::int, 0) as records from sync_runs where id = ${runId}`;
  if (run === undefined) throw new Error('The demo run no longer exists');
  return run;
}
