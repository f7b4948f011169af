import { createScimClient } from '../platform/identity/scim/scim-client.js';
import type { TestPlatform, TestUser } from '../support/platform.js';

/** Groups of an identity provider: with and without users, a role and a team. */
export async function prepareProvisioning(platform: TestPlatform, owner: TestUser): Promise<void> {
  const scim = await createScimClient(platform, owner);
  const user = await scim('POST', '/Users', { userName: 'kim@example.com' });
  await scim('POST', '/Groups', {
    displayName: 'Everybody who reads the figures of the whole company, without a role',
  });
  const members = [{ value: user.body.id }];
  const { body: group } = await scim('POST', '/Groups', { displayName: 'Developers', members });
  await platform.json('PATCH', `/api/v1/organizations/${owner.orgId}/provisioned-groups/${group.id}`, {
    token: owner.accessToken,
    body: { role: 'viewer', team_id: null },
  });
}
