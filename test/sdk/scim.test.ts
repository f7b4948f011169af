import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlumblineError, unwrap } from '../../sdk/src/index.js';
import {
  createPlatformClient,
  createScimUser,
  deleteScimUser,
  listScimUsers,
  updateScimUser,
  type PlatformClient,
} from '../../sdk/src/platform.js';
import { startTestPlatform, type TestPlatform } from '../support/platform.js';
import { createServiceToken } from '../support/service-token.js';

let platform: TestPlatform;
let client: PlatformClient;
beforeAll(async () => {
  platform = await startTestPlatform();
  const { token } = await createServiceToken(platform, await platform.signUp(), ['scim:write']);
  client = createPlatformClient({ baseUrl: platform.url, fetch: platform.fetch, token });
});
afterAll(() => platform.stop());

test('A client creates, finds, changes and deletes users by SCIM', async () => {
  const body = { userName: 'robin@example.com' };
  const { id } = unwrap(await createScimUser(client, { body }));
  const found = unwrap(await listScimUsers(client, { query: { filter: 'userName eq "robin@example.com"' } }));
  expect(found.Resources.map((user) => user.id)).toEqual([id]);
  const params = { scim_user_id: id };
  const patch = { Operations: [{ op: 'replace', value: { active: false } }] };
  expect(unwrap(await updateScimUser(client, { params, body: patch })).active).toBe(false);
  expect((await deleteScimUser(client, { params })).status).toBe(204);
});

test('An error of SCIM is a problem of the client', async () => {
  const body = { userName: 'kim@example.com' };
  unwrap(await createScimUser(client, { body }));
  const again = await createScimUser(client, { body });
  if (again.ok || again.status !== 409) return expect.unreachable();
  expect(again.problem).toMatchObject({
    status: 409,
    scim_type: 'uniqueness',
    message: 'Another user has this userName.',
  });
  expect(again.problem.request_id).toBe(again.requestId);
  expect(() => unwrap(again)).toThrow(PlumblineError);
  const missing = await deleteScimUser(client, { params: { scim_user_id: 'nobody' } });
  if (missing.ok) return expect.unreachable();
  expect([missing.status, missing.problem.scim_type]).toEqual([404, null]);
});

test('A reply that only looks like an error of SCIM is unexpected', async () => {
  const strange: typeof fetch = () => Promise.resolve(Response.json({ error: 'proxy' }, { status: 409 }));
  const other = createPlatformClient({ baseUrl: platform.url, fetch: strange, token: 'plbst_x' });
  await expect(createScimUser(other, { body: {} })).rejects.toThrow('is not in the contract');
});
