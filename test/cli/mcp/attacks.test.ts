import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { createServiceToken } from '../../support/service-token.js';
import { makeHome } from '../logged-in.js';
import { runMain, startMain } from '../main-process.js';
import { serveHttp } from '../../../src/cli/mcp/serve-http.js';
import { connectStdio, everyTool, startTools, type ToolClient, type ToolServer } from './tool-client.js';

let platform: TestPlatform;
let victim: TestUser;
let attacker: TestUser;
let server: ToolServer;
let token: string;
let clients: ToolClient[];
beforeAll(async () => {
  platform = await startTestPlatform();
  [victim, attacker] = [
    await platform.signUp({ organization: 'Victim' }),
    await platform.signUp({ organization: 'Attacker' }),
  ];
  server = await startTools(platform.url);
  ({ token } = await createServiceToken(platform, victim, ['teams:read']));
  clients = [];
});
afterAll(async () => {
  for (const each of clients) await each.close();
  await server.stop();
  await platform.stop();
});

const connect = async (given: string): Promise<ToolClient> => {
  const client = await server.connect(given);
  clients.push(client);
  return client;
};

/** An address whose port 80 no other program is expected to use. */
const ADDRESS = '127.0.0.80';
const withoutPort80 = await reasonAgainstPort80();

/** @returns why this process cannot listen on port 80, for the title of a test; empty: it can */
async function reasonAgainstPort80(): Promise<string> {
  const probe = createServer();
  try {
    await once(probe.listen(80, ADDRESS), 'listening');
    probe.close();
    await once(probe, 'close');
    return '';
  } catch (error) {
    return ` (skipped: ${String(error)})`;
  }
}

interface Sent {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly method?: string;
  readonly path?: string;
}

/** Sends exactly these headers, as no client of the SDK would. */
function send({
  url = server.url,
  headers = {},
  body = '{}',
  method = 'POST',
  path = '/mcp',
}: Sent): Promise<{ status: number; text: string; headers: object }> {
  const all = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers: all }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

describe('Over HTTP', () => {
  test.each<[string, Sent, number]>([
    ['a name that another site makes resolve to this machine', { headers: { Host: 'evil.example:8081' } }, 403],
    ['a page of another site', { headers: { Origin: 'https://evil.example' } }, 403],
    ['a page of another port of this machine', { headers: { Origin: 'http://127.0.0.1:1' } }, 403],
    ['an opaque origin', { headers: { Origin: 'null' } }, 403],
    ['no token', { headers: { Authorization: '' } }, 401],
    ["a person's token", { headers: { Authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln' } }, 401],
    ['an unknown token', { headers: { Authorization: 'Bearer plbst_unknown' } }, 401],
    ['a stream without a session', { method: 'GET', body: '' }, 405],
    ['another path', { path: '/' }, 404],
    ['a path that is not an address', { path: '//' }, 404],
    ['a body that is not JSON', { body: '{' }, 400],
    ['a batch of more than 20 messages', { body: `[${Array<string>(21).fill(listTools).join(',')}]` }, 400],
    ['a body of more than a mebibyte', { body: `"${'x'.repeat(1_048_576)}"` }, 413],
  ])('%s is refused', async (_name, sent, status) => {
    const reply = await send(sent);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    expect(reply.text).not.toContain(token);
    if (status === 401) expect(reply.headers).toMatchObject({ 'www-authenticate': 'Bearer' });
  });

  test('an unknown token is refused before the body has arrived', async () => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': '1000',
      Authorization: 'Bearer plbst_unknown',
    };
    const sent = request(server.url, { method: 'POST', headers });
    sent.flushHeaders();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    sent.destroy();
  });

  test('the page of this server and a program without an origin are served', async () => {
    const { host } = new URL(server.url);
    for (const headers of [{}, { Origin: `http://${host}` }])
      expect((await send({ headers, body: listTools })).status).toBe(200);
  });

  test('a batch of 20 messages is answered', async () => {
    const messages = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const reply = await send({ body: JSON.stringify(messages) });
    expect([reply.status, JSON.parse(reply.text).length]).toEqual([200, 20]);
  });

  test('no change of the list of tools is announced, because it never changes', async () => {
    const client = await connect(token);
    expect(client.client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
  });

  test('an address that is not loopback says which hosts are allowed', async () => {
    const child = startMain(['mcp', '--server', platform.url, '--listen', '0.0.0.0:0']);
    const told = new Promise<string>((resolve) => {
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        if (stderr.includes('--allow-host')) resolve(stderr);
      });
      child.once('close', () => {
        resolve(stderr);
      });
    });
    expect(await told).toMatch(/requests must name 0\.0\.0\.0:\d+ as their host; .*--allow-host mcp\.example\.com/);
    child.kill();
  });

  test.skipIf(withoutPort80 !== '')(`port 80 may be left out of Host and Origin${withoutPort80}`, async () => {
    const allowedHosts = [{ name: 'MCP.example.com', port: 80 }];
    const { http, url, headers } = await serveHttp({
      selection: everyTool,
      server: platform.url,
      host: ADDRESS,
      port: 80,
      allowedHosts,
      now: () => new Date(),
    });
    expect(headers).toEqual([`${ADDRESS}:80`, ADDRESS]);
    const statuses: Record<string, number> = {};
    for (const name of [ADDRESS, 'localhost', 'mcp.example.com', 'evil.example']) {
      for (const host of [name, `${name}:80`]) {
        const { status } = await send({ url, headers: { Host: host, Origin: `http://${host}` }, body: listTools });
        statuses[host] = status;
      }
    }
    expect(statuses).toEqual({
      [ADDRESS]: 200,
      [`${ADDRESS}:80`]: 200,
      localhost: 200,
      'localhost:80': 200,
      'mcp.example.com': 200,
      'mcp.example.com:80': 200,
      'evil.example': 403,
      'evil.example:80': 403,
    });
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });

  test.each(['https://mcp.example.com', 'mcp.example.com/mcp', 'mcp.example.com:70000', '[mcp]', '::1', '*'])(
    '--allow-host %s is refused, because no Host header has this value',
    async (given) => {
      const ended = await runMain(['mcp', '--server', platform.url, '--listen', '127.0.0.1:0', '--allow-host', given]);
      expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining(`--allow-host ${given} is not HOST`)]);
    },
  );

  test('a request acts with its token alone, also among those of other organizations', async () => {
    const teams = ['teams:read', 'teams:write'] as const;
    const { token: ofVictim } = await createServiceToken(platform, victim, teams, { name: 'agent of the victim' });
    const { token: ofAttacker } = await createServiceToken(platform, attacker, teams, {
      name: 'agent of the attacker',
    });
    const [mine, theirs] = [await connect(ofVictim), await connect(ofAttacker)];
    await mine.call('create_team', { id: 'secret', members: ['a@example.com'] });
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? mine : theirs).call('list_teams')),
    );
    const counts = replies.map(({ data }) => data.items.length);
    expect(counts).toEqual(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 1 : 0)));
    expect((await theirs.call('get_team', { team_id: 'secret' })).data.type).toBe('/problems/team-not-found');
    const named = await theirs.call('list_teams', { org_id: victim.orgId });
    expect([named.isError, named.data.type]).toEqual([true, '/problems/validation-failed']);
  });

  test('a token that was revoked is refused at the next call', async () => {
    const { token: ended, id } = await createServiceToken(platform, victim, ['teams:read'], { name: 'ended' });
    const client = await connect(ended);
    expect((await client.call('list_teams')).isError).toBe(false);
    const path = `/api/v1/organizations/${victim.orgId}/service-tokens/${id}`;
    await platform.json('DELETE', path, { token: victim.accessToken });
    await expect(client.call('list_teams')).rejects.toThrow(/invalid, expired or revoked/);
  });
});

describe('Scopes', () => {
  test('decide which tools are listed, and a call of another is refused by the server', async () => {
    const client = await connect(token);
    const { tools } = await client.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['get_team', 'list_teams']);
    const write = await client.call('delete_team', { team_id: 'secret' });
    expect([write.isError, write.data]).toMatchObject([
      true,
      { type: '/problems/insufficient-scope', required_scope: 'teams:write' },
    ]);
    const query = await client.call('list_dimensions');
    expect([query.isError, query.data.code]).toEqual([true, 'AUTHORIZATION_ERROR']);
  });

  test('a tool that does not exist is an error of the protocol, whose message is short', async () => {
    const client = await connect(token);
    await expect(client.client.callTool({ name: 'constructor', arguments: {} })).rejects.toThrow(
      'There is no tool constructor',
    );
    const error: unknown = await client.client
      .callTool({ name: 'x\n'.repeat(10_000) })
      .catch((reason: unknown) => reason);
    expect(String(error).length).toBeLessThan(300);
  });
});

describe('The token', () => {
  test('is in no log and in no result', async () => {
    const client = await connect(token);
    const results = [await client.call('list_teams'), await client.call('get_team', { team_id: token })];
    expect(JSON.stringify(results[0])).not.toContain(token);
    expect(results[1]?.isError).toBe(true);
    const stdio = await connectStdio({ PLUMBLINE_TOKEN: token, PLUMBLINE_SERVER: platform.url });
    clients.push(stdio);
    expect(JSON.stringify(await stdio.call('list_teams'))).not.toContain(token);
    // The path of a call is logged with its template, so that a secret in it is not.
    expect(platform.logLines.join('\n')).not.toContain(token);
  });

  test('gets all replies of requests that came before the end of the input', async () => {
    const home = makeHome();
    const clientInfo = { name: 'script', version: '1' };
    const messages = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'list_teams', arguments: {} } },
      { id: 4, method: 'resources/read', params: { uri: 'plumbline://figures' } },
    ];
    const input = messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('');
    const { stdout } = await home.run(['mcp', '--tools', 'teams'], input, {
      PLUMBLINE_TOKEN: token,
      PLUMBLINE_SERVER: platform.url,
    });
    await home.remove();
    const replies = stdout.split('\n').filter((line) => line !== '');
    const results = replies.map((line) => JSON.parse(line) as { id: number; result?: object }); // replies of the protocol
    expect(results.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4]);
    expect(results.filter(({ result }) => result === undefined)).toEqual([]);
  });

  test('is needed for standard input and output, too', async () => {
    const child = startMain(['mcp', '--server', platform.url]);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('log in with plumbline login')]);
  });
});
