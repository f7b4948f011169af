import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { urlOf } from '../../support/examples.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { register } from '../identity/auth/requests.js';
import { named, onlyServiceTokens, platformExamples } from './send-example.js';
import { createTenant, idOf, pathParameters, type Tenant } from './tenant.js';

const unverified = 'unverified@example.com';

let platform: TestPlatform;
let tenant: Tenant;
let verificationToken: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  tenant = await createTenant(platform, 'mark');
  await register(platform, { email: unverified });
  verificationToken = (await platform.lastMail(unverified)).token;
  // The first use of a token is noted.
  await platform.json('GET', '/api/v1/service-tokens/current', { token: tenant.serviceToken });
  await platform.running.webhooks.drain(); // the first failed attempt changes the webhook
});
afterAll(() => platform.stop());

/** Tables that change at any time: requests are counted whatever they do, and deliveries are sent in the background. */
const busy = ['rate_limits', 'webhook_deliveries', 'outgoing_mails'];

/** A hash of the rows of every table. */
async function contents(): Promise<Record<string, unknown>> {
  const { sql } = platform.database;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  const hashes: Record<string, unknown> = {};
  for (const { name } of tables.filter((table) => !busy.includes(table.name))) {
    const [row] =
      await sql`select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${sql(name)} t`;
    hashes[name] = row?.['hash'];
  }
  return hashes;
}

const reads = named(platformExamples.filter(({ method }) => method === 'GET'));

/** Sends the example of an operation with ids that exist, and gives the status. The body is not read: it may not end. */
async function read(example: (typeof reads)[number]['example'], method: 'GET' | 'HEAD'): Promise<number> {
  const ids = pathParameters(example.path);
  const parameters = example.parameters.map((parameter) => {
    if (ids.includes(parameter.name)) return { ...parameter, value: idOf(tenant, parameter.name) };
    return parameter.name === 'token' ? { ...parameter, required: true, value: verificationToken } : parameter;
  });
  const { owner, serviceToken } = tenant;
  const token = onlyServiceTokens.has(example.operationId) ? serviceToken : owner.accessToken;
  const headers = { Authorization: `Bearer ${token}` };
  const abort = new AbortController();
  const url = `${platform.url}${urlOf({ ...example, parameters })}`;
  const { status } = await fetch(url, { method, headers, signal: abort.signal });
  abort.abort();
  return status;
}

describe('Nothing changes by', () => {
  test.each(reads)('HEAD of $name', async ({ example }) => {
    const before = await contents();
    expect(await read(example, 'HEAD')).toBeLessThan(500);
    expect(await contents()).toEqual(before);
  });

  test.each(reads.filter(({ name }) => name !== 'verifyEmail'))('GET of $name', async ({ example }) => {
    const before = await contents();
    expect(await read(example, 'GET')).toBeLessThan(500);
    expect(await contents()).toEqual(before);
  });
});

test('The sweep sees a read that changes something: verifyEmail, which document 000 defines as GET', async () => {
  const example = reads.find(({ name }) => name === 'verifyEmail')?.example;
  if (example === undefined) throw new Error('The contract has no operation verifyEmail');
  const before = await contents();
  expect(await read(example, 'GET')).toBe(200);
  expect(await contents()).not.toEqual(before);
});
