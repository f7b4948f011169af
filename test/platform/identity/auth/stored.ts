import type { JsonReply, TestPlatform } from '../../../support/platform.js';

/** What the database holds, read past the service: replies are only half of the proof. */

export interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly password_hash: string | null;
  readonly full_name: string | null;
  readonly auth_provider: string;
  readonly is_verified: boolean;
  readonly is_active: boolean;
  readonly token_version: number;
  readonly last_login_at: Date | null;
}

export async function storedUsers({ database }: TestPlatform, email: string): Promise<StoredUser[]> {
  return database.sql<StoredUser[]>`
    select id, email, password_hash, full_name, auth_provider, is_verified, is_active, token_version, last_login_at
    from users where lower(email) = lower(${email})`;
}

/** The one account with this e-mail. */
export async function storedUser(platform: TestPlatform, email: string): Promise<StoredUser> {
  const [user, ...others] = await storedUsers(platform, email);
  if (user === undefined || others.length > 0) throw new Error(`there are ${others.length} accounts of ${email}`);
  return user;
}

export interface StoredAudit {
  readonly action: string;
  readonly resource_kind: string;
  readonly resource_id: string | null;
  readonly org_id: string | null;
  readonly user_id: string | null;
  readonly status: string;
  readonly note: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
}

/** The audit records that one request left, in the order in which it wrote them. */
export async function auditOf({ database }: TestPlatform, { headers }: JsonReply): Promise<StoredAudit[]> {
  return database.sql<StoredAudit[]>`
    select action, resource_kind, resource_id, org_id, user_id, status, note, host(ip) as ip, user_agent
    from audit_log where request_id = ${headers.get('X-Request-Id')} order by at, ctid`;
}

export interface StoredMembership {
  readonly org_id: string;
  readonly org_name: string;
  readonly tier: string;
  readonly role: string;
}

export async function storedMemberships({ database }: TestPlatform, userId: string): Promise<StoredMembership[]> {
  return database.sql<StoredMembership[]>`
    select m.org_id, o.name as org_name, o.tier, m.role
    from memberships m join organizations o on o.id = m.org_id where m.user_id = ${userId} order by m.joined_at`;
}

export interface StoredRefreshToken {
  readonly family_id: string;
  readonly org_id: string | null;
  readonly revocation_reason: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly family_expires_at: Date;
}

/** The refresh tokens of a user, oldest first. */
export async function storedRefreshTokens({ database }: TestPlatform, userId: string): Promise<StoredRefreshToken[]> {
  return database.sql<StoredRefreshToken[]>`
    select family_id, org_id, revocation_reason, created_at, expires_at, family_expires_at
    from refresh_tokens where user_id = ${userId} order by created_at, ctid`;
}

export interface StoredOneTimeToken {
  readonly kind: string;
  readonly token_hash: Uint8Array;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
}

export async function storedOneTimeTokens({ database }: TestPlatform, userId: string): Promise<StoredOneTimeToken[]> {
  return database.sql<StoredOneTimeToken[]>`
    select kind, token_hash, created_at, expires_at, used_at
    from one_time_tokens where user_id = ${userId} order by created_at`;
}
