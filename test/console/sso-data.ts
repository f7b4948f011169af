import type { TestPlatform, TestUser } from '../support/platform.js';

/** Connects an organization to a provider that does not exist, with a domain that is verified and one that is not. */
export async function prepareSso({ database: { sql } }: TestPlatform, { orgId, userId }: TestUser): Promise<void> {
  const roles = JSON.stringify([{ group: 'engineering-leads', role: 'admin' }]);
  const teams = JSON.stringify([{ group: 'payments-developers', team_id: 'payments' }]);
  await sql`
    insert into sso_connections (id, org_id, issuer, client_id, client_secret_sealed, auto_join, default_role,
      groups_claim, group_roles, group_teams, is_required, recovery_owner_id, created_at, updated_at)
    values (gen_random_uuid(), ${orgId}, 'https://idp.example.com/realms/works', 'plumbline', '', true, 'member', 'groups',
      ${roles}, ${teams}, false, ${userId}, now(), now())`;
  for (const [domain, verifiedAt] of [
    ['example.com', new Date()],
    ['a-rather-long-name-of-a-subsidiary.example.org', null],
  ] as const) {
    await sql`
      insert into sso_domains (org_id, domain, challenge, verified_at, created_at)
      values (${orgId}, ${domain}, ${`plumbline=nD1zS0o3c6mYx2vR8kQ4tB7pW5hL9eG0uJaFiKsXdMc`}, ${verifiedAt}, now())`;
  }
}
