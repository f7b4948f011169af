import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostile, spoiled, validAgainst } from '../../support/arbitraries.js';
import type { ExampleRequest } from '../../support/examples.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { record } from '../../../src/contract-tools/documents.js';
import { entriesAt, follow, fragment, type Pointer } from '../../../src/contract-tools/gate/pointers.js';
import { createServiceToken } from '../../support/service-token.js';
import { named, onlyServiceTokens, platformExamples } from './send-example.js';

const runs = 25;
const contract: unknown = JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8'));
// An independent oracle: the server's validators must agree with it on each body.
const oracle = new Ajv2020({ strict: false });
formats.default(oracle);
oracle.addSchema({ ...record(contract), $id: 'contract' });

/** A generated request; the URL is made of parts that are percent-encoded already. */
interface Generated {
  readonly path: string;
  readonly query: string;
  /** JSON; undefined: none. */
  readonly body: string | undefined;
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

describe('For any request, no reply is a 5xx but that of a failed code host, and every reply is documented', () => {
  test.each(named(platformExamples))('$name', async ({ example }) => {
    // An owner for each operation, as some of them end what their caller may do.
    const owner = await platform.signUp();
    const knownIds = await idsOf(owner);
    const token = await tokenFor(example, owner);
    const schema = bodySchemaOf(example);
    const isValid = schema === null ? null : oracle.compile({ $ref: `contract${fragment(schema)}` });
    await fc.assert(
      fc.asyncProperty(requestsOf(example, knownIds), async (request) => {
        const reply = await send(example, request, token);
        await ended(reply);
        // 502 is documented only where a code host is called; the integration of this test cannot be reached.
        if (reply.status !== 502) expect(reply.status).toBeLessThan(500);
        if (isValid !== null && staysOnPath(request) && !isValid(JSON.parse(request.body ?? 'null'))) {
          expect(reply.status).toBeGreaterThanOrEqual(400);
        }
      }),
      { numRuns: runs },
    );
  });

  test('the data is still consistent', async () => {
    const { sql } = platform.database;
    expect(await sql`select id from users where is_superuser`).toEqual([]);
    expect(Object.keys({})).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'is_superuser')).toBe(false);
  });
});

/** Reads a reply to its end. A stream of events lasts for minutes if the request has met a run in progress. */
async function ended(reply: Response): Promise<void> {
  if (reply.headers.get('content-type')?.startsWith('text/event-stream') === true) await reply.body?.cancel();
  else await reply.arrayBuffer();
}

function requestsOf(example: ExampleRequest, knownIds: readonly string[]): Arbitrary<Generated> {
  const schema = bodySchemaOf(example);
  const valid = schema === null ? fc.constant(undefined) : validAgainst(contract, schema, { knownIds });
  const body =
    schema === null ? valid : fc.oneof({ weight: 2, arbitrary: valid }, { weight: 3, arbitrary: spoiled(valid) });
  return fc.record({
    path: pathsOf(example, knownIds),
    query: queriesOf(example, knownIds),
    body: body.map((value) => (value === undefined ? undefined : JSON.stringify(value))),
  });
}

function pathsOf(example: ExampleRequest, knownIds: readonly string[]): Arbitrary<string> {
  const places = parametersOf(example).filter(({ where }) => where === 'path');
  const values = places.map(({ schema }) =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: validAgainst(contract, schema, { knownIds }).map((value) => encodeURIComponent(String(value))),
      },
      { weight: 1, arbitrary: segments },
    ),
  );
  return fc
    .tuple(...values)
    .map((texts) =>
      places.reduce((path, { name }, index) => path.replace(`{${name}}`, texts[index] ?? ''), example.path),
    );
}

function queriesOf(example: ExampleRequest, knownIds: readonly string[]): Arbitrary<string> {
  const places = parametersOf(example).filter(({ where }) => where === 'query');
  const pairs = places.map(({ name, schema }) =>
    fc
      .oneof(
        {
          weight: 3,
          arbitrary: validAgainst(contract, schema, { knownIds }).map((value) => encodeURIComponent(wellFormed(value))),
        },
        { weight: 1, arbitrary: segments },
      )
      .map((value) => `${name}=${value}`),
  );
  const stray = fc.tuple(segments, segments).map(([name, value]) => `${name}=${value}`);
  return fc
    .tuple(...pairs.map((pair) => fc.option(pair, { nil: '' })), fc.option(stray, { nil: '', freq: 5 }))
    .chain((all) => fc.shuffledSubarray([...all, ...all].filter((each) => each !== '')))
    .map((all) => all.join('&'));
}

/** One segment of a URL, among them such as no encoder makes. */
const segments: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((each) => encodeURIComponent(wellFormed(each))),
  fc.constantFrom(
    '%00',
    '%ff',
    '%c0%af',
    '%',
    '%zz',
    '%2e%2e',
    '..',
    '%2F',
    '__proto__',
    '%ed%a0%80',
    '%F0%9F',
    '+',
    'a'.repeat(3000),
  ),
  hostile.map((each) => encodeURIComponent(wellFormed(JSON.stringify(each))).slice(0, 300)),
);

/** Text without lone surrogates, which cannot be percent-encoded. */
function wellFormed(value: unknown): string {
  return Buffer.from(String(value), 'utf8').toString('utf8');
}

interface ParameterPlace {
  readonly name: string;
  readonly where: string;
  readonly schema: Pointer;
}

function parametersOf(example: ExampleRequest): ParameterPlace[] {
  const place = [...operationOf(example), 'parameters'];
  const { value, pointer } = follow(contract, place);
  return (Array.isArray(value) ? value : []).map((_, index) => {
    const parameter = follow(contract, [...pointer, String(index)]);
    const { name, in: where } = record(parameter.value);
    return { name: String(name), where: String(where), schema: [...parameter.pointer, 'schema'] };
  });
}

function bodySchemaOf(example: ExampleRequest): Pointer | null {
  const [content] = entriesAt(contract, [...operationOf(example), 'requestBody', 'content']);
  return content === undefined ? null : follow(contract, [...content[1], 'schema']).pointer;
}

function operationOf({ path, method }: ExampleRequest): Pointer {
  return ['paths', path, method.toLowerCase()];
}

/** The token that the operation takes. */
async function tokenFor({ operationId }: ExampleRequest, owner: TestUser): Promise<string> {
  if (!onlyServiceTokens.has(operationId)) return owner.accessToken;
  return (await createServiceToken(platform, owner, ['scim:write'])).token;
}

function send(example: ExampleRequest, { path, query, body }: Generated, token: string): Promise<Response> {
  const headers = {
    ...(example.needsCredential ? { Authorization: `Bearer ${token}` } : {}),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  // As fetch sends it. Servers get to see paths with `..` from raw sockets, in other tests.
  const { href } = new URL(`${path}${query === '' ? '' : `?${query}`}`, platform.url);
  return platform.fetch(href, { method: example.method, headers, ...(body === undefined ? {} : { body }) });
}

/** Whether fetch asks the operation: it resolves `..` and `%2e%2e`, which leads to another one. */
function staysOnPath({ path }: Generated): boolean {
  return new URL(path, platform.url).pathname === path;
}

/** Ids of what an organization has: one of each kind. */
async function idsOf(owner: TestUser): Promise<readonly string[]> {
  const { accessToken: token, orgId, userId } = owner;
  const member = await platform.signUp({ invitedBy: owner });
  const body = { provider: 'host_a', name: 'main', token: 'example-access-token', base_url: 'http://127.0.0.1:9' };
  const integration = await platform.json('POST', '/api/v1/admin/integrations', { token, body });
  const configuration = { name: 'main', provider: 'synthetic', targets: ['git'], repositories: ['example/*'] };
  const config = await platform.json('POST', '/api/v1/admin/sync-configs', { token, body: configuration });
  const run = await platform.json('POST', `/api/v1/admin/sync-configs/${config.body.id}/runs`, { token });
  expect([integration.status, config.status, run.status]).toEqual([201, 201, 202]);
  return [orgId, userId, member.userId, integration.body.id, config.body.id, run.body.id].map(String);
}
