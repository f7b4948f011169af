import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../auth/stored.js';
import { connectIntegration, skipIntegration } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

async function skippedAt(orgId: string): Promise<Date | null> {
  const [row] = await platform.database.sql<{ onboarding_integration_skipped_at: Date | null }[]>`
    select onboarding_integration_skipped_at from organizations where id = ${orgId}`;
  return row?.onboarding_integration_skipped_at ?? null;
}

describe('skipping the first integration', () => {
  it('completes onboarding and is stored and recorded', async () => {
    const { accessToken, orgId, userId } = await platform.signUp({ organization: 'Example Works' });
    const reply = await skipIntegration(platform, accessToken);
    expect(reply.body).toEqual({
      next_step: 'complete',
      recommended_provider: null,
      integration_skipped: true,
      org_id: orgId,
      org_name: 'Example Works',
      first_integration_connected: false,
    });
    expect(await skippedAt(orgId)).not.toBeNull();
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'INTEGRATION_SKIPPED', org_id: orgId, user_id: userId, resource_id: orgId },
    ]);
  });

  it.each(['member', 'viewer'] as const)(
    'is allowed for a %s, who reaches this step but cannot connect an integration',
    async (role) => {
      const { accessToken, orgId, userId } = await platform.signUp();
      await platform.database.sql`update memberships set role = ${role} where user_id = ${userId}`;
      const state = await platform.json('GET', '/api/v1/auth/onboarding/state', { token: accessToken });
      expect(state.body.next_step).toBe('integration');
      expect(await skipIntegration(platform, accessToken)).toMatchObject({
        status: 200,
        body: { next_step: 'complete', integration_skipped: true },
      });
      expect(await skippedAt(orgId)).not.toBeNull();
    },
  );

  it('is refused to a superuser who is not a member', async () => {
    const [superuser, owner] = [await platform.signUp(), await platform.signUp()];
    await makeSuperuser(platform, superuser);
    const body = { org_id: owner.orgId };
    const switched = await platform.json('POST', '/api/v1/auth/switch-org', { token: superuser.accessToken, body });
    const reply = await skipIntegration(platform, switched.body.access_token);
    expect(reply).toMatchObject({ status: 403, body: { type: '/problems/not-a-member' } });
    expect(await skippedAt(owner.orgId)).toBeNull();
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('changes nothing the second time', async () => {
    const { accessToken, orgId } = await platform.signUp();
    const first = await skipIntegration(platform, accessToken);
    const at = await skippedAt(orgId);
    platform.clock.advance(60);
    const second = await skipIntegration(platform, accessToken);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(await skippedAt(orgId)).toEqual(at);
    expect(await auditOf(platform, second)).toEqual([]);
  });

  it('skips nothing if an integration is connected', async () => {
    const { accessToken, orgId } = await platform.signUp();
    await connectIntegration(platform, orgId);
    const reply = await skipIntegration(platform, accessToken);
    expect(reply).toMatchObject({
      status: 200,
      body: { next_step: 'complete', integration_skipped: false, first_integration_connected: true },
    });
    expect(await skippedAt(orgId)).toBeNull();
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('is possible if the only integration is not active', async () => {
    const { accessToken, orgId } = await platform.signUp();
    await connectIntegration(platform, orgId, false);
    expect((await skipIntegration(platform, accessToken)).body.integration_skipped).toBe(true);
  });

  it('is refused with an orgless token', async () => {
    const { accessToken } = await platform.signUp({ organization: null });
    expect(await skipIntegration(platform, accessToken)).toMatchObject({
      status: 403,
      body: { type: '/problems/organization-required' },
    });
  });

  it('is refused to a former member', async () => {
    const { accessToken, userId, orgId } = await platform.signUp();
    await platform.database.sql`delete from memberships where user_id = ${userId}`;
    expect((await skipIntegration(platform, accessToken)).status).toBe(401);
    expect(await skippedAt(orgId)).toBeNull();
  });
});
