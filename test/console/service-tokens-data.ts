import type { TestPlatform, TestUser } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';

/** Service tokens in every state: used, in an overlap, of a former admin, expired, revoked. */
export async function prepareServiceTokens(platform: TestPlatform, owner: TestUser): Promise<void> {
  const path = `/api/v1/organizations/${owner.orgId}/service-tokens`;
  const revoked = await createServiceToken(platform, owner, ['setup:read'], { name: 'Former script' });
  await platform.json('DELETE', `${path}/${revoked.id}`, { token: owner.accessToken });
  const expired = await createServiceToken(platform, owner, ['audit:read'], { name: 'Audit of 2025' });
  await platform.database.sql`
    update service_tokens set created_at = created_at - interval '99 days', expires_at = expires_at - interval '99 days'
    where id = ${expired.id}`;
  const admin = await platform.signUp({ email: 'pat@example.com', invitedBy: owner, role: 'admin' });
  await createServiceToken(platform, admin, ['sync:read', 'sync:run'], { name: 'Build server' });
  await platform.json('PATCH', `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`, {
    token: owner.accessToken,
    body: { role: 'viewer' },
  });
  const used = await createServiceToken(platform, owner, ['analytics:read', 'members:read', 'teams:read'], {
    name: 'Nightly export',
  });
  await platform.json('GET', '/api/v1/service-tokens/current', { token: used.token });
  const overlap = { token: owner.accessToken, body: { overlap_seconds: 86_400 } };
  await platform.json('POST', `${path}/${used.id}/rotate`, overlap);
}
