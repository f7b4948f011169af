import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { record } from '../../src/contract-tools/documents.js';
import { entriesAt, follow } from '../../src/contract-tools/gate/pointers.js';
import { exampleDefinition } from './figures/views/definition.js';
import { platformExamples } from './service/send-example.js';

const contract: unknown = JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8'));

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

/** Sends a request as the owner. @returns the body */
async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await platform.json(method, path, { token: owner.accessToken, body });
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status}`);
  return reply.body as Record<string, unknown>;
}

/** Adds three things to a list; some at the same moment, so that only the id distinguishes them. */
const fillings: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
  '/api/v1/auth/me/organizations': async (index) => {
    const other = await platform.signUp({ organization: `Organization ${index}` });
    const path = `/api/v1/organizations/${other.orgId}/invites`;
    await platform.json('POST', path, { token: other.accessToken, body: { email: owner.email, role: 'viewer' } });
    const { token } = await platform.lastMail(owner.email);
    return send('POST', '/api/v1/auth/accept-invite', { token });
  },
  '/api/v1/auth/sessions': () => send('POST', '/api/v1/auth/login', { email: owner.email, password: owner.password }),
  '/api/v1/admin/integrations': (index) =>
    send('POST', '/api/v1/admin/integrations', { provider: 'host_a', name: `host ${index}`, token: 'token' }),
  '/api/v1/admin/sync-configs': (index) =>
    send('POST', '/api/v1/admin/sync-configs', {
      ...{ name: `configuration ${index}`, provider: 'synthetic', targets: ['git'], repositories: ['example/*'] },
    }),
};

describe('the saved views', () => {
  it('are the same on one page as on pages of one item', async () => {
    const path = `/api/v1/organizations/${owner.orgId}/views`;
    for (const index of [1, 2, 3, 4]) {
      await send('POST', path, { name: `view ${index}`, definition: exampleDefinition });
      if (index % 2 === 0) platform.clock.advance(1);
    }
    await expectSamePaged(path);
  });
});

describe.each(Object.keys(fillings))('the list %s', (path) => {
  it('is the same on one page as on pages of one item', async () => {
    for (const index of [1, 2, 3, 4]) {
      await fillings[path]?.(index);
      if (index % 2 === 0) platform.clock.advance(1);
    }
    await expectSamePaged(path);
  });
});

async function expectSamePaged(path: string): Promise<void> {
  const { items: all } = await send('GET', path);
  const one: unknown[] = [];
  for (let query = '?limit=1'; query !== '';) {
    const { items, next_cursor: cursor } = await send('GET', `${path}${query}`);
    expect(items).toHaveLength(1);
    one.push(...(items as unknown[]));
    query = typeof cursor === 'string' ? `?limit=1&cursor=${cursor}` : '';
  }
  expect(one).toEqual(all);
  expect(one.length).toBeGreaterThanOrEqual(4);
}

describe('the sessions', () => {
  it('keep their order when one is refreshed between two pages', async () => {
    const user = await platform.signUp({ organization: null });
    for (let index = 0; index < 2; index += 1) {
      platform.clock.advance(1);
      const body = { email: user.email, password: user.password };
      await platform.json('POST', '/api/v1/auth/login', { body });
    }
    const read = async (query = ''): Promise<{ id: string }[]> =>
      (await platform.json('GET', `/api/v1/auth/sessions${query}`, { token: user.accessToken })).body.items;
    const before = await read();
    const first = await platform.json('GET', '/api/v1/auth/sessions?limit=1', { token: user.accessToken });
    await platform.json('POST', '/api/v1/auth/refresh', { body: { refresh_token: user.refreshToken } });
    const rest = await read(`?cursor=${first.body.next_cursor}`);
    expect([...first.body.items, ...rest].map(({ id }: { id: string }) => id)).toEqual(before.map(({ id }) => id));
  });
});

describe('the contract', () => {
  // The pages of SCIM are those of RFC 7644.
  const lists = platformExamples.filter(
    ({ operationId, path }) => operationId.startsWith('list') && !path.startsWith('/scim/'),
  );

  it.each(lists.map(({ operationId, path }) => ({ operationId, path })))(
    'gives $operationId the shape of a page, a limit and a cursor',
    ({ path }) => {
      const content = ['paths', path, 'get', 'responses', '200', 'content', 'application/json', 'schema'];
      const { pointer } = follow(contract, content);
      expect(entriesAt(contract, [...pointer, 'properties']).map(([name]) => name)).toEqual(['items', 'next_cursor']);
      const place = ['paths', path, 'get', 'parameters'];
      const { value } = follow(contract, place);
      const parameters = (Array.isArray(value) ? value : []).map(
        (_, index) => record(follow(contract, [...place, String(index)]).value)['name'],
      );
      expect(parameters).toEqual(expect.arrayContaining(['limit', 'cursor']));
    },
  );
});
