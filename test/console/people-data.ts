import { expect } from 'vitest';
import type { TestPlatform, TestUser } from '../support/platform.js';

/** Members of several roles, and invitations in every state. */
export async function preparePeople(platform: TestPlatform, owner: TestUser): Promise<void> {
  await platform.signUp({ email: 'alex.longlastname@engineering.example.com', invitedBy: owner, role: 'admin' });
  const viewer = await platform.signUp({ email: 'vera@example.com', invitedBy: owner, role: 'viewer' });
  const named = { token: viewer.accessToken, body: { full_name: 'Vera Example' } };
  expect((await platform.json('PATCH', '/api/v1/auth/me', named)).status).toBe(200);
  const invites = `/api/v1/organizations/${owner.orgId}/invites`;
  const invite = async (email: string, role: string): Promise<string> => {
    const reply = await platform.json('POST', invites, { token: owner.accessToken, body: { email, role } });
    expect(reply.status).toBe(201);
    return String(reply.body.id);
  };
  await invite('sam@example.com', 'member');
  const revoked = await invite('kit@example.com', 'viewer');
  await platform.json('DELETE', `${invites}/${revoked}`, { token: owner.accessToken });
  const expired = await invite('lou@example.com', 'admin');
  await platform.database.sql`
    update invites set created_at = created_at - interval '5 days', expires_at = expires_at - interval '5 days'
    where id = ${expired}`;
}
