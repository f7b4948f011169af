import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import { unverifiedNote } from '../accounts/account-sweep.js';
import { deleteUnverifiedAccount, lockExpiredAccounts } from '../accounts/unverified-accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { createOrganization } from '../../tenancy/organizations/organizations.store.js';
import type { Registration } from './verification-mail.js';

export interface NewAccount {
  /** Normalized. */
  readonly email: string;
  /** Null: the account has no password. */
  readonly passwordHash: string | null;
  /** Default: `local`. */
  readonly authProvider?: string;
  readonly fullName: string | null;
  readonly isVerified: boolean;
  readonly registration: Registration;
}

/**
 * Stores an account. The unique key admits one of several registrations of an e-mail at once.
 *
 * @returns its id; null when the address is registered
 */
export async function createAccount(sql: Sql, account: NewAccount, context: RequestContext): Promise<string | null> {
  const { email, passwordHash, authProvider = 'local', fullName, isVerified, registration } = account;
  const { at, from } = registration;
  await freeAddress(sql, email, context, at);
  const [row] = await sql<{ id: string }[]>`
    insert into users (email, password_hash, full_name, auth_provider, is_verified, registered_ip, created_at, updated_at)
    values (${email}, ${passwordHash}, ${fullName}, ${authProvider}, ${isVerified}, ${from}, ${at}, ${at})
    on conflict (email) do nothing returning id`;
  return row?.id ?? null;
}

/** Removes an expired unverified account of this address, in case no sweep has done so yet. */
export async function freeAddress(sql: Sql, email: string, context: RequestContext, now: Date): Promise<void> {
  for (const id of await lockExpiredAccounts(sql, email, now, 1)) {
    await deleteUnverifiedAccount(sql, id, unverifiedNote, context, now);
  }
}

/** The name of an organization if the registration has none. */
const defaultOrganizationName = 'My Organization';

/**
 * Creates the organization of a new account if there is to be one, and records both.
 *
 * @returns the id of the organization; null: none is created
 */
export async function settleAccount(
  sql: Sql,
  {
    userId,
    createsOrganization,
    organizationName,
  }: {
    readonly userId: string;
    readonly createsOrganization: boolean;
    readonly organizationName?: string | null | undefined;
  },
  context: RequestContext,
  now: Date,
): Promise<string | null> {
  const name = organizationName ?? defaultOrganizationName;
  const orgId = createsOrganization ? await createOrganization(sql, { name, ownerId: userId }, now) : null;
  await recordRegistration(sql, { userId, orgId }, context, now);
  if (orgId !== null) {
    const record = { action: 'CREATE', resourceKind: 'ORGANIZATION', resourceId: orgId, orgId, userId } as const;
    await recordAudit(sql, context, now, record);
  }
  return orgId;
}

/** Records that an account was registered, and with which organization. */
export async function recordRegistration(
  sql: Sql,
  { userId, orgId }: { readonly userId: string; readonly orgId: string | null },
  context: RequestContext,
  now: Date,
): Promise<void> {
  await recordAudit(sql, context, now, { action: 'REGISTER', resourceKind: 'USER', resourceId: userId, orgId, userId });
}
