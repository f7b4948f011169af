import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { login } from '../auth/requests.js';
import {
  acceptInvite,
  connectIntegration,
  createOrganization,
  invite,
  onboardingState,
  skipIntegration,
} from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

async function stateOf(token: string): Promise<unknown> {
  const { status, body } = await onboardingState(platform, token);
  expect(status).toBe(200);
  return body;
}

describe('the next step', () => {
  it('is the workspace for a verified user without an organization', async () => {
    const { accessToken } = await platform.signUp({ organization: null });
    expect(await stateOf(accessToken)).toEqual({
      next_step: 'workspace',
      recommended_provider: null,
      integration_skipped: false,
      org_id: null,
      org_name: null,
      first_integration_connected: false,
    });
  });

  it('is the integration once an organization exists, with the first provider', async () => {
    const { accessToken, orgId } = await platform.signUp({ organization: 'Example Works' });
    expect(await stateOf(accessToken)).toEqual({
      next_step: 'integration',
      recommended_provider: 'host_a',
      integration_skipped: false,
      org_id: orgId,
      org_name: 'Example Works',
      first_integration_connected: false,
    });
  });

  it('is null once an integration is active', async () => {
    const { accessToken, orgId } = await platform.signUp();
    await connectIntegration(platform, orgId);
    expect(await stateOf(accessToken)).toMatchObject({
      next_step: 'complete',
      recommended_provider: null,
      integration_skipped: false,
      first_integration_connected: true,
    });
  });

  it('is still the integration while the only one is not active', async () => {
    const { accessToken, orgId } = await platform.signUp();
    await connectIntegration(platform, orgId, false);
    expect(await stateOf(accessToken)).toMatchObject({ next_step: 'integration', first_integration_connected: false });
  });

  it('is null once the integration is skipped, in every later session', async () => {
    const { accessToken, email } = await platform.signUp();
    await skipIntegration(platform, accessToken);
    const expected = { next_step: 'complete', integration_skipped: true, first_integration_connected: false };
    expect(await stateOf(accessToken)).toMatchObject(expected);
    expect(await stateOf((await login(platform, email)).body.access_token)).toMatchObject(expected);
  });

  it('does not count as skipped once an integration is connected', async () => {
    const { accessToken, orgId } = await platform.signUp();
    await skipIntegration(platform, accessToken);
    await connectIntegration(platform, orgId);
    expect(await stateOf(accessToken)).toMatchObject({
      next_step: 'complete',
      integration_skipped: false,
      first_integration_connected: true,
    });
  });

  it('is the dashboard for an admin, whatever is connected', async () => {
    const admin = await platform.signUp({ invitedBy: await platform.signUp(), role: 'admin' });
    expect(await stateOf(admin.accessToken)).toMatchObject({ next_step: 'dashboard', recommended_provider: null });
  });

  it('is the dashboard for a superuser, with or without an organization', async () => {
    const [orgless, owner] = [await platform.signUp({ organization: null }), await platform.signUp()];
    await platform.database.sql`
      update users set is_superuser = true where id in ${platform.database.sql([orgless.userId, owner.userId])}`;
    expect(await stateOf(orgless.accessToken)).toMatchObject({ next_step: 'dashboard', org_id: null });
    expect(await stateOf(owner.accessToken)).toMatchObject({ next_step: 'dashboard', org_id: owner.orgId });
  });

  it.each(['owner', 'member', 'viewer'] as const)('is the integration for a %s as well', async (role) => {
    const owner = await platform.signUp();
    const user = role === 'owner' ? owner : await platform.signUp({ invitedBy: owner, role });
    expect(await stateOf(user.accessToken)).toMatchObject({ next_step: 'integration' });
  });

  it('is that of the organization joined first, for an orgless token of a member', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await createOrganization(platform, user.accessToken, 'Example Works');
    expect(await stateOf(user.accessToken)).toMatchObject({ next_step: 'integration', org_id: body.org_id });
  });

  it('is that of the organization of the token, for a member of several', async () => {
    const [owner, user] = [await platform.signUp(), await platform.signUp()];
    await skipIntegration(platform, owner.accessToken);
    const { token } = await invite(platform, owner, user.email);
    const { body } = await acceptInvite(platform, user.accessToken, token);
    expect(await stateOf(user.accessToken)).toMatchObject({ next_step: 'integration', org_id: user.orgId });
    expect(await stateOf(body.tokens.access_token)).toMatchObject({ next_step: 'complete', org_id: owner.orgId });
  });
});

describe('the state of an account that is not verified', () => {
  it('is not revealed', async () => {
    const { accessToken, userId } = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_verified = false where id = ${userId}`;
    expect(await onboardingState(platform, accessToken)).toMatchObject({
      status: 403,
      body: { type: '/problems/email-not-verified' },
    });
  });
});
