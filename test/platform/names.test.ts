import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform, type TestUser } from '../support/platform.js';
import { exampleDefinition } from './figures/views/definition.js';

let platform: TestPlatform;
let owner: TestUser;
let orgless: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  [owner, orgless] = [await platform.signUp(), await platform.signUp({ organization: null })];
});
afterAll(() => platform.stop());

/** Every place where a name comes in. */
const places: readonly (readonly [string, string, string, (name: string) => object])[] = [
  ['full_name', 'POST', '/api/v1/auth/register', (name) => ({ ...account(), full_name: name })],
  ['org_name', 'POST', '/api/v1/auth/register', (name) => ({ ...account(), org_name: name })],
  ['org_name', 'POST', '/api/v1/auth/onboard', (name) => ({ action: 'create_org', org_name: name })],
  ['full_name', 'PATCH', '/api/v1/auth/me', (name) => ({ full_name: name })],
  ['name', 'PATCH', '/api/v1/organizations/{org_id}', (name) => ({ name })],
  ['name', 'POST', '/api/v1/admin/integrations', (name) => ({ provider: 'host_a', name, token: 'token' })],
  ['name', 'POST', '/api/v1/admin/sync-configs', (name) => ({ ...config(), name })],
  ['name', 'POST', '/api/v1/organizations/{org_id}/views', (name) => ({ ...view(), name })],
  ['name', 'PATCH', '/api/v1/admin/sync-configs/6c1f0f0e-8f0e-4a56-9f8b-0d8f2f9f3a10', (name) => ({ name })],
];

let count = 0;
const account = (): object => ({ email: `name-${++count}@example.com`, password: testPassword });
const view = (): object => ({ definition: exampleDefinition });
const config = (): object => ({ provider: 'synthetic', targets: ['git'], repositories: ['example/*'] });

const refused = [
  ...['\n', '\r\n', '\t', '\u0001', '\u001f', '\u007f', '\u0080', '\u009f', '\u2028', '\u2029'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
];

describe.each(places)('%s in %s %s', (property, method, path, bodyOf) => {
  const send = async (name: string): Promise<{ status: number; violations: unknown }> => {
    const { accessToken: token } = path.endsWith('onboard') ? orgless : owner;
    const reply = await platform.json(method, path.replace('{org_id}', owner.orgId), { token, body: bodyOf(name) });
    return { status: reply.status, violations: reply.body.violations };
  };

  it('refuses control characters, line breaks and changes of direction', async () => {
    for (const character of refused) {
      for (const name of [`a${character}b`, `${character}b`, `a${character}`]) {
        const violations = [expect.objectContaining({ path: `/body/${property}`, rule: 'pattern' })];
        expect({ name, ...(await send(name)) }).toEqual({ name, status: 422, violations });
      }
    }
  });

  it('refuses a name of white space only', async () => {
    expect(await send(' \u00a0\u3000')).toMatchObject({ status: 422 });
  });

  it('refuses a name of invisible characters only', async () => {
    for (const name of ['\u200b', '\u00ad\u00ad', '\u3164', ' \u115f\u2060', '\ufe0f', '\u2800', '\u{e0041}']) {
      const violations = [expect.objectContaining({ path: `/body/${property}`, rule: 'pattern' })];
      expect({ name, ...(await send(name)) }).toEqual({ name, status: 422, violations });
    }
  });

  it('refuses characters that nobody sees beside visible ones', async () => {
    const tags = ['\u{e0000}', '\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0080}', '\u{e0fff}'];
    const others = ['\u00ad', '\u034f', '\u180e', '\u200b', '\u2060', '\u2062', '\u2800', '\u3164', '\ufeff'];
    for (const hidden of [...tags, ...others, '\u{1d173}', '\ufff9', '\ufffb', '\u{13430}', '\u{1343f}']) {
      for (const name of [`Acme${hidden}`, `${hidden}Acme`, `Ac${hidden}me`]) {
        const violations = [expect.objectContaining({ path: `/body/${property}`, rule: 'pattern' })];
        expect({ name, ...(await send(name)) }).toEqual({ name, status: 422, violations });
      }
    }
  });

  it('accepts names in every script, white space around and within them', async () => {
    for (const name of [
      '  Robin  Example ',
      'Zoë',
      '鯨 工房',
      'عمر',
      'שרה',
      '👩‍🔧 & "Sons"',
      '葛\u{e0100}城',
      'می\u200cخواهم',
      '❤\ufe0f',
      '\u00a0a',
    ]) {
      expect([200, 201, 404, 409]).toContain((await send(name)).status);
    }
  });

  it('answers quickly to a very long one', async () => {
    expect(await send(`${' '.repeat(30_000)}${'a'.repeat(30_000)}\n`)).toMatchObject({ status: 422 });
  });
});

it('repositories of a sync configuration have no such characters either', async () => {
  for (const repository of ['acme/\r\napi', 'acme/\u202eapi', '\u200b', '\u3164']) {
    const body = { ...config(), name: 'Hostile', repositories: [repository] };
    const reply = await platform.json('POST', '/api/v1/admin/sync-configs', { token: owner.accessToken, body });
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toEqual([expect.objectContaining({ path: '/body/repositories/0', rule: 'pattern' })]);
  }
});
