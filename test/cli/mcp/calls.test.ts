import { once } from 'node:events';
import { createServer, request as openRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { identityOf } from '../../../src/cli/login/identity.js';
import { createToolServer } from '../../../src/cli/mcp/tool-server.js';
import { createPlatformClient } from '../../../src/cli/sdk.js';
import { startTestPlatform } from '../../support/platform.js';
import { connectTo, everyTool, startTools, type ToolClient } from './tool-client.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The tools of the holder of an access token. */
async function toolsOf(server: string, token: string): Promise<ToolClient> {
  const client = createPlatformClient({ baseUrl: server, token });
  const identity = (signal: AbortSignal): ReturnType<typeof identityOf> => identityOf(client, { signal });
  const tools = await connectTo(createToolServer({ client, identity, now: () => new Date() }, everyTool));
  ends.push(() => tools.close());
  return tools;
}

/** A server that knows its caller and answers nothing else. */
async function startSilent(): Promise<{ readonly url: string; next(): Promise<ServerResponse> }> {
  const caller = { ...tokenInfo };
  const http = createServer((request: IncomingMessage, response) => {
    if (request.url !== '/api/v1/service-tokens/current') return void http.emit('held', response);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(caller));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // a server on a port has such an address
    next: async () => (await once(http, 'held'))[0] as ServerResponse, // emitted above
  };
}

const tokenInfo = {
  service_token_id: '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e10',
  name: 'agent',
  scopes: ['teams:read'],
  expires_at: '2027-01-01T00:00:00.000Z',
  org_id: '5c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e11',
  org_name: 'Example',
};

const listTeams = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_teams', arguments: {} } };

/** Sends a call over HTTP with exactly one connection. */
function post(url: string, token: string): ReturnType<typeof openRequest> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
  };
  const sent = openRequest(url, { method: 'POST', headers });
  sent.on('error', () => undefined); // of a call that the test ends
  sent.end(JSON.stringify(listTeams));
  return sent;
}

describe('A cancelled call ends at the server', () => {
  test('when the agent cancels it', async () => {
    const silent = await startSilent();
    const tools = await toolsOf(silent.url, 'plbst_any');
    const cancel = new AbortController();
    const call = tools.client.callTool({ name: 'list_teams', arguments: {} }, undefined, { signal: cancel.signal });
    const failed = expect(call).rejects.toThrow('enough');
    const held = await silent.next();
    cancel.abort(new Error('enough'));
    await Promise.all([once(held, 'close'), failed]);
    expect(held.writableFinished).toBe(false);
  });

  test('when the agent closes the connection', async () => {
    const silent = await startSilent();
    const server = await startTools(silent.url);
    ends.push(() => server.stop());
    const held = silent.next();
    const sent = post(server.url, 'plbst_any');
    const response = await held;
    sent.destroy();
    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });
});

test('A token has at most 10 open requests over HTTP, and one that ends frees its place', async () => {
  const silent = await startSilent();
  const server = await startTools(silent.url);
  ends.push(() => server.stop());
  const open: ReturnType<typeof openRequest>[] = [];
  const held: ServerResponse[] = [];
  for (let count = 0; count < 10; count += 1) {
    const next = silent.next();
    open.push(post(server.url, 'plbst_one'));
    held.push(await next);
  }
  const [refused] = (await once(post(server.url, 'plbst_one'), 'response')) as [IncomingMessage]; // as http documents
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
  let text = '';
  for await (const part of refused) text += String(part);
  expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('at most 10') } });

  const ofAnother = silent.next();
  post(server.url, 'plbst_two');
  await ofAnother;
  const [first] = held;
  if (first === undefined) throw new Error('no call arrived');
  open[0]?.destroy();
  await once(first, 'close');
  const again = silent.next();
  post(server.url, 'plbst_one');
  await again;
});

describe('A typed result answers', () => {
  test('each tool of a person without an organization', async () => {
    const platform = await startTestPlatform();
    ends.push(() => platform.stop());
    const { accessToken } = await platform.signUp({ organization: null });
    const tools = await toolsOf(platform.url, accessToken);
    for (const [name, given] of [
      ['list_teams', {}],
      ['get_team', { team_id: 'payments' }],
      ['list_sync_configs', {}],
    ] as const) {
      const { isError, data } = await tools.call(name, given);
      expect([name, isError, data.type]).toEqual([name, true, '/problems/organization-required']);
    }
    const query = await tools.call('list_dimensions');
    expect([query.isError, query.data.code]).toEqual([true, expect.stringMatching(/_ERROR$/)]);
  });

  test.each(['.', '..'])('the argument %s, which cannot be a part of a path', async (given) => {
    const silent = await startSilent();
    const tools = await toolsOf(silent.url, 'plbst_any');
    const { isError, data } = await tools.call('get_team', { team_id: given });
    expect([isError, data.type]).toEqual([true, '/problems/validation-failed']);
    expect(data.message).toContain('team_id');
  });
});
