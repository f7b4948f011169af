import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.js';
import { startStatementCounter, type StatementCounter } from '../../../support/postgres-statements.js';
import { countComputations } from '../passwords/computations.js';
import { forgot, login, newEmail, register, resend, withoutRequestId } from './requests.js';

/** Everything by which a caller could distinguish two addresses: the reply, and the work to make it. */
interface Observed {
  readonly reply: unknown;
  readonly headers: readonly string[];
  readonly statements: readonly string[];
  readonly hashComputations: number;
}

let database: TestDatabase;
let counter: StatementCounter;
let platform: TestPlatform;
let known: string;
let unverified: string;
let disabled: string;
let withoutPassword: string;
/** What the server executes in the background while it is idle. */
let idle: ReadonlySet<string>;

beforeAll(async () => {
  database = await createTestDatabase();
  counter = await startStatementCounter(database.uri);
  // One connection for statements and one for transactions, so that each is prepared before it is looked at. With the
  // limits on, their work counts as well.
  platform = await startTestPlatform({
    databaseUri: counter.uri,
    environment: {
      DATABASE_CONNECTIONS: '2',
      AUTH_LOGIN_IP_LIMIT: '1000/day',
      AUTH_LOGIN_LIMIT: '1000/day',
      AUTH_RESEND_LIMIT: '1000/day',
      AUTH_FORGOT_LIMIT: '1000/day',
      AUTH_MAIL_IP_LIMIT: '1000/day',
      AUTH_MAIL_ADDRESS_LIMIT: '1000/day',
    },
  });
  const signUp = async (): Promise<string> => (await platform.signUp({ organization: null })).email;
  [known, disabled, withoutPassword, unverified] = [await signUp(), await signUp(), await signUp(), newEmail()];
  await register(platform, { email: unverified });
  const { sql } = platform.database;
  await sql`update users set is_active = false where email = ${disabled}`;
  await sql`update users set password_hash = null where email = ${withoutPassword}`;
  await platform.running.mails.drain();
  counter.take();
  await sleep(IDLE_MS);
  idle = new Set(counter.take());
});
afterAll(async () => {
  await platform.stop();
  await counter.stop();
  await database.drop();
});
beforeEach(() => platform.database.sql`delete from login_failures`);

/** More than two rounds of background work, which looks for more every two seconds. */
const IDLE_MS = 5000;
const mailWork = /^((update|delete from) outgoing_mails|(delete|select 1) from token_requests|with (account|taken) as)/;

async function observe(call: () => Promise<JsonReply>): Promise<Observed> {
  await platform.running.mails.drain();
  counter.take();
  const { computations: hashComputations, result: reply } = await countComputations(call);
  return {
    reply: withoutRequestId(reply),
    headers: [...reply.headers.keys()].sort(),
    // Requests for tokens are served, and the outbox is emptied, in the background: no part of the request.
    statements: counter.take().filter((statement) => !mailWork.test(statement) && !idle.has(statement)),
    hashComputations,
  };
}

describe('a login with a wrong password', () => {
  const wrong = (email: string) => () => login(platform, email, 'another quiet river 8');

  it('looks the same for an address with an account as for one without', async () => {
    const first = await observe(wrong(known));
    expect(first.hashComputations).toBe(1);
    expect(first.statements.length).toBeGreaterThan(4);
    expect(await observe(wrong(newEmail()))).toEqual(first);
  });

  it('looks the same for accounts that are disabled, unverified or without a password', async () => {
    const first = await observe(wrong(known));
    for (const email of [disabled, unverified, withoutPassword]) expect(await observe(wrong(email))).toEqual(first);
  });

  it('looks the same for locked addresses', async () => {
    const unknown = newEmail();
    for (const email of [known, unknown]) {
      for (let count = 0; count < 5; count += 1) await wrong(email)();
    }
    // The clock runs on between the two, so that the seconds may differ by one.
    const [first, second] = [await observe(wrong(known)), await observe(wrong(unknown))].map(
      (observed) => JSON.parse(JSON.stringify(observed).replaceAll(/\b(89\d|900)\b/g, '900')) as Observed,
    );
    expect(first?.hashComputations).toBe(0);
    expect(first?.statements.length).toBeGreaterThan(0);
    expect(second).toEqual(first);
  });
});

describe('a request for a mail', () => {
  it.each(['known', 'unknown'])('of a %s address only stores the request before it is answered', async (name) => {
    const email = name === 'known' ? known : newEmail();
    const { statements } = await observe(() => forgot(platform, email));
    expect(statements.filter((statement) => !/rate_limits/.test(statement))).toEqual([
      expect.stringMatching(/^insert into token_requests/),
    ]);
  });

  it('is returned to the queue when it fails, and served later', async () => {
    const { sql } = platform.database;
    const before = platform.mailbox.to(known).length;
    await sql`alter table one_time_tokens rename to elsewhere`;
    expect((await forgot(platform, known)).status).toBe(200);
    await expect(platform.running.mails.drain()).rejects.toThrow('one_time_tokens');
    await sql`alter table elsewhere rename to one_time_tokens`;
    await platform.running.mails.drain();
    expect(platform.mailbox.to(known)).toHaveLength(before + 1);
    expect(await sql`select 1 from token_requests`).toEqual([]);
  });
});

describe('a forgotten password', () => {
  it('looks the same for an address with an account as for one without', async () => {
    const first = await observe(() => forgot(platform, known));
    expect(first.statements.length).toBeGreaterThan(0);
    expect(first.hashComputations).toBe(0);
    expect(await observe(() => forgot(platform, newEmail()))).toEqual(first);
    expect(await observe(() => forgot(platform, disabled))).toEqual(first);
  });
});

describe('a new verification mail', () => {
  it('looks the same for an address that awaits verification as for others', async () => {
    const first = await observe(() => resend(platform, unverified));
    expect(first.statements.length).toBeGreaterThan(0);
    expect(first.hashComputations).toBe(0);
    expect(await observe(() => resend(platform, newEmail()))).toEqual(first);
    expect(await observe(() => resend(platform, known))).toEqual(first);
  });
});
