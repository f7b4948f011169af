import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';

export function onboardingState(platform: TestPlatform, token: string): Promise<JsonReply> {
  return platform.json('GET', '/api/v1/auth/onboarding/state', { token });
}

export function createOrganization(platform: TestPlatform, token: string, name: unknown): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/onboard', { token, body: { action: 'create_org', org_name: name } });
}

export function joinOrganization(platform: TestPlatform, token: string, inviteCode: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/onboard', {
    token,
    body: { action: 'join_org', invite_code: inviteCode },
  });
}

export function acceptInvite(platform: TestPlatform, token: string, invite: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/accept-invite', { token, body: { token: invite } });
}

export function skipIntegration(platform: TestPlatform, token: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/onboarding/skip-integration', { token });
}

/** Invites an address into the organization of `inviter`, and gives the invite's id and the token of its mail. */
export async function invite(
  platform: TestPlatform,
  inviter: TestUser,
  email: string,
  role = 'member',
): Promise<{ readonly id: string; readonly token: string }> {
  const path = `/api/v1/organizations/${inviter.orgId}/invites`;
  const { status, body } = await platform.json('POST', path, { token: inviter.accessToken, body: { email, role } });
  if (status !== 201) throw new Error(`the invite was answered with ${status}`);
  return { id: String(body.id), token: (await platform.lastMail(email)).token };
}

/** Gives an organization an integration, past the service, which would ask the code host for it. */
export async function connectIntegration({ database }: TestPlatform, orgId: string, isActive = true): Promise<void> {
  await database.sql`
    insert into integrations (org_id, provider, name, secret_sealed, is_active)
    values (${orgId}, 'host_a', 'code host', ${Buffer.from('sealed')}, ${isActive})`;
}
