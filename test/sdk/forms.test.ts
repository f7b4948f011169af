import { expect, it } from 'vitest';
import { acceptSsoLogout, createPlatformClient } from '../../sdk/src/platform.js';
import { startScript } from './scripted-server.js';

it('sends a form as names and values', async () => {
  const server = await startScript((response) => response.writeHead(204, { 'X-Request-Id': 'a' }).end());
  const client = createPlatformClient({ baseUrl: server.url });
  const params = { sso_org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03' };
  const result = await acceptSsoLogout(client, { params, body: { logout_token: 'a.b.c', other: 'x & y' } });
  expect(result.status).toBe(204);
  expect(server.requests[0]).toMatchObject({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'logout_token=a.b.c&other=x+%26+y',
  });
});
