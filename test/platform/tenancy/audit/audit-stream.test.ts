/** The audit log as NDJSON, for a SIEM, and as events of webhooks. */
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { recordingFetch } from '../../../support/recorder.js';
import { createServiceToken } from '../../../support/service-token.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';
import { forgot, login } from '../../identity/auth/requests.js';
import { subscribe } from '../../messages/webhooks/hooks.js';

let platform: TestPlatform;
let owner: TestUser;
let token: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  ({ token } = await createServiceToken(platform, owner, ['audit:read']));
});
afterAll(() => platform.stop());

const path = '/api/v1/admin/audit-log/stream';

const send = recordingFetch('platform');
const open = (query: string, bearer: string): Promise<Response> =>
  send(`${platform.running.url}${path}${query}`, { headers: { Authorization: `Bearer ${bearer}` } });

async function streamed(after?: string): Promise<{ id: string; action: string; org_id: string }[]> {
  const query = after === undefined ? '' : `?after=${after}`;
  const reply = await open(query, token);
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/x-ndjson']);
  const lines = (await reply.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as { id: string; action: string; org_id: string });
}

const stored = async (orgId: string): Promise<string[]> =>
  (await platform.database.sql<{ id: string }[]>`select id from audit_log where org_id = ${orgId}`).map(({ id }) => id);

/** Records appear in the stream a second after they are stored. */
async function settled(): Promise<void> {
  await expect
    .poll(async () => (await streamed()).length, { timeout: 30_000 })
    .toBe((await stored(owner.orgId)).length);
}

describe('the stream of the audit log', () => {
  it('has every record of the organization once, and none of another one', async () => {
    await platform.signUp();
    await platform.database.sql`
      insert into audit_log (at, action, resource_kind, status, org_id)
      select now(), 'UPDATE', 'TEAM', 'success', ${owner.orgId} from generate_series(1, 1200)`;
    await settled();
    const records = await streamed();
    expect(new Set(records.map(({ org_id }) => org_id))).toEqual(new Set([owner.orgId]));
    expect(records.map(({ id }) => id).sort()).toEqual((await stored(owner.orgId)).sort());
  });

  it('begins after the record that the caller has read last', async () => {
    await settled();
    const all = await streamed();
    expect(await streamed(all[700]?.id)).toEqual(all.slice(701));
    expect(await streamed(all.at(-1)?.id)).toEqual([]);
    await login(platform, owner.email, 'wrong password 1');
    await settled();
    expect((await streamed(all.at(-1)?.id)).map(({ action }) => action)).toEqual(['LOGIN_FAILED']);
  });

  it('misses no record of a transaction that is committed late, nor one that follows it', async () => {
    await settled();
    const last = (await streamed()).at(-1)?.id;
    const { sql } = platform.database;
    const insert = (by: typeof sql, action: string): Promise<unknown> =>
      by`
      insert into audit_log (at, action, resource_kind, status, org_id)
      values (now(), ${action}, 'TEAM', 'success', ${owner.orgId})`.then(() => undefined);
    await sql.begin(async (late) => {
      await late`select 1`; // the transaction has begun
      await insert(sql, 'EARLY');
      await sql`select pg_sleep(1.5)`;
      expect(await streamed(last)).toEqual([]); // the one that is stored waits for the one that is not
      await insert(late as unknown as typeof sql, 'LATE');
    });
    await settled();
    expect((await streamed(last)).map(({ action }) => action)).toEqual(['LATE', 'EARLY']);
  });

  it('does not wait for a sync, which holds a transaction and adds no records', async () => {
    const sync = postgres(platform.databaseUri, { max: 1, connection: { application_name: 'plumbline sync locks' } });
    try {
      await sync.begin(async (held) => {
        await held`select 1`;
        await login(platform, owner.email, 'wrong password 1');
        await settled();
      });
    } finally {
      await sync.end();
    }
  });

  it('is refused after a record that the organization does not have', async () => {
    const stranger = await platform.signUp();
    const [foreign] = await stored(stranger.orgId);
    const reply = await platform.json('GET', `${path}?after=${foreign}`, { token });
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ path: '/query/after', rule: 'exists' }] } });
  });

  it('is for admins and service tokens with the scope', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    const other = await createServiceToken(platform, owner, ['members:read']);
    const statuses = await Promise.all(
      [member.accessToken, other.token, owner.accessToken].map(async (each) => {
        const reply = await open('', each);
        await reply.text();
        return reply.status;
      }),
    );
    expect(statuses).toEqual([403, 403, 200]);
    const orgless = await platform.signUp({ organization: null });
    const refused = await platform.json('GET', path, { token: orgless.accessToken });
    expect(refused).toMatchObject({ status: 403, body: { type: '/problems/organization-required' } });
  });
});

describe('a webhook for audit records', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    await subscribe(platform, owner, receiver, ['audit.recorded']);
  });
  afterAll(() => receiver.stop());

  it('receives each record of its organization as the audit log has it, and none of another one', async () => {
    const member = await platform.signUp({ invitedBy: owner });
    await login(platform, member.email, 'wrong password 1');
    await forgot(platform, member.email);
    await platform.running.mails.drain();
    await login(platform, (await platform.signUp()).email, 'wrong password 1');
    await platform.running.webhooks.drain();
    const { body } = await platform.json('GET', '/api/v1/admin/audit-log?limit=200', { token: owner.accessToken });
    const records = body.items as { id: string; at: string; action: string; resource_kind: string }[];
    const received = receiver.received.map(({ data }) => data);
    const since = records.findIndex(({ action, resource_kind }) => action === 'CREATE' && resource_kind === 'WEBHOOK');
    const byId = (one: { id?: unknown }, other: { id?: unknown }): number =>
      String(one.id).localeCompare(String(other.id));
    expect([...received].sort(byId)).toEqual(records.slice(0, since + 1).sort(byId));
    expect(received.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['CREATE', 'MEMBER_JOINED', 'LOGIN_FAILED', 'PASSWORD_RESET_REQUESTED']),
    );
    for (const { id, data } of receiver.received) expect(id).toBe(data['id']);
  });

  it('does not delay a deletion of two webhooks at once', async () => {
    const base = `/api/v1/organizations/${owner.orgId}/webhooks`;
    const create = async (): Promise<string> => {
      const request = { token: owner.accessToken, body: { url: receiver.url, events: ['audit.recorded'] } };
      return String((await platform.json('POST', base, request)).body.webhook.id);
    };
    for (let round = 0; round < 5; round += 1) {
      const ids = [await create(), await create(), await create()];
      const replies = await Promise.all([
        ...ids.slice(0, 2).map((id) => platform.json('DELETE', `${base}/${id}`, { token: owner.accessToken })),
        platform.json('POST', `${base}/${ids[2]}/rotate-secret`, {
          token: owner.accessToken,
          body: { overlap_seconds: 0 },
        }),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([204, 204, 200]);
      await platform.json('DELETE', `${base}/${ids[2]}`, { token: owner.accessToken });
    }
  });
});
