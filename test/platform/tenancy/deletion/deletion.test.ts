/** Owners mark their organization for deletion, and take that back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../../identity/auth/stored.js';
import { acceptInvite, invite } from '../../identity/onboarding/requests.js';
import { eventually, holdExecutions, queueOf } from '../../sources/sync-runs/jobs/queue.js';
import { mark, read, takeBack } from './requests.js';

const held = holdExecutions();
let platform: TestPlatform;
let owner: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '2' }, executeSync: held.execute });
});
beforeEach(async () => {
  owner = await platform.signUp({ organization: 'Example Works' });
});
afterAll(() => platform.stop());

function send(method: string, path: string, body?: unknown, by = owner): Promise<JsonReply> {
  return platform.json(method, path, { token: by.accessToken, body });
}

function mailsTo(address: string): readonly string[] {
  return platform.mailbox.to(address).map(({ subject }) => subject);
}

describe('a mark for deletion', () => {
  it('says when the removal begins, 7 days later, to every member', async () => {
    const viewer = await platform.signUp({ invitedBy: owner, role: 'viewer' });
    expect((await read(platform, viewer)).body).toMatchObject({ id: owner.orgId, deletion: null });
    const reply = await mark(platform, owner);
    expect(reply).toMatchObject({ status: 202, body: { requested_by: owner.userId } });
    const { requested_at: from, due_at: to } = reply.body;
    expect(Date.parse(to) - Date.parse(from)).toBe(7 * 86_400_000);
    expect((await read(platform, viewer)).body.deletion).toEqual(reply.body);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'DELETION_REQUESTED', resource_kind: 'ORGANIZATION', resource_id: owner.orgId, user_id: owner.userId },
    ]);
  });

  it('needs the password, and wrong ones lock the address as failed logins do', async () => {
    const wrong = await mark(platform, owner, 'five green lanterns 5');
    expect(wrong).toMatchObject({ status: 403, body: { type: '/problems/wrong-password' } });
    for (let failures = 1; failures < 5; failures += 1) await mark(platform, owner, 'five green lanterns 5');
    expect(await mark(platform, owner)).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
    expect((await read(platform, owner)).body.deletion).toBeNull();
  });

  it('is for owners and superusers', async () => {
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    for (const reply of [await mark(platform, admin), await takeBack(platform, admin)]) {
      expect(reply).toMatchObject({ status: 403, body: { type: '/problems/insufficient-role' } });
    }
    await makeSuperuser(platform, admin);
    expect((await mark(platform, admin)).status).toBe(202);
  });

  it('of an owner who is demoted at that moment is refused, unless it comes first', async () => {
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const path = `/api/v1/organizations/${owner.orgId}/members/${second.userId}`;
    const [demoted, marked] = await Promise.all([send('PATCH', path, { role: 'viewer' }), mark(platform, second)]);
    expect(demoted.status).toBe(200);
    expect([202, 403]).toContain(marked.status);
    expect((await read(platform, owner)).body.deletion === null).toBe(marked.status === 403);
  });

  it('reaches all owners by mail once, also when two owners set it at once', async () => {
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const member = await platform.signUp({ invitedBy: owner });
    const [one, other] = await Promise.all([mark(platform, owner), mark(platform, second)]);
    expect(one.body).toEqual(other.body);
    const { text, subject } = await platform.lastMail(second.email);
    expect(subject).toMatch(/^Example Works will be deleted on 20/);
    expect(text).toContain('/console/organization');
    for (const { email } of [owner, second]) expect(mailsTo(email).filter((each) => each === subject)).toHaveLength(1);
    expect(mailsTo(member.email)).not.toContain(subject);
  });

  it('keeps everything readable and changeable for members', async () => {
    await mark(platform, owner);
    const path = `/api/v1/organizations/${owner.orgId}`;
    expect((await send('PATCH', path, { name: 'Other' })).status).toBe(200);
    expect((await send('GET', `${path}/members`)).status).toBe(200);
  });
});

describe('while it is marked, an organization', () => {
  it('accepts none of its service tokens', async () => {
    const { token } = await createServiceToken(platform, owner, ['members:read']);
    const members = (): Promise<JsonReply> =>
      platform.json('GET', `/api/v1/organizations/${owner.orgId}/members`, { token });
    await mark(platform, owner);
    expect((await members()).status).toBe(401);
    await takeBack(platform, owner);
    expect((await members()).status).toBe(200);
  });

  it('lets nobody join, neither by a new nor by an earlier invite', async () => {
    const guest = await platform.signUp({ organization: null });
    const { token } = await invite(platform, owner, guest.email);
    await mark(platform, owner);
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    expect(await send('POST', path, { email: 'new@example.com', role: 'member' })).toMatchObject({
      status: 409,
      body: { type: '/problems/deletion-pending' },
    });
    expect((await acceptInvite(platform, guest.accessToken, token)).status).toBe(400);
    expect((await send('GET', '/api/v1/auth/me/invites', undefined, guest)).body.items).toEqual([]);
    await takeBack(platform, owner);
    expect((await acceptInvite(platform, guest.accessToken, token)).status).toBe(200);
  });

  it('starts no sync and no demo, and has cancelled the one that ran', async () => {
    const queue = queueOf(platform, owner);
    const configId = await queue.configure({ repositories: ['acme/api'] });
    const runId = await queue.start(configId);
    await queue.until(configId, runId, 'running');
    const underWay = held.underWay();
    await mark(platform, owner);
    expect((await queue.read(configId, runId)).status).toBe('cancelled');
    await eventually(() => held.underWay()).toBe(underWay - 1);
    for (const path of [`/api/v1/admin/sync-configs/${configId}/runs`, '/api/v1/admin/demo-data']) {
      expect(await send('POST', path)).toMatchObject({ status: 409, body: { type: '/problems/deletion-pending' } });
    }
  });

  it('has no run taken that was queued before the mark and not cancelled', async () => {
    const { sql } = platform.database;
    const queue = queueOf(platform, owner);
    const configId = await queue.configure({ repositories: ['acme/api'] });
    await mark(platform, owner);
    await sql`
      insert into sync_runs (org_id, sync_config_id, created_at, available_at)
      values (${owner.orgId}, ${configId}, ${platform.clock.now()}, ${platform.clock.now()})`;
    const neighbour = await platform.signUp();
    const others = queueOf(platform, neighbour);
    const other = await others.configure({ repositories: ['acme/api'] });
    await others.until(other, await others.start(other), 'running');
    const [run] = await sql`select status from sync_runs where org_id = ${owner.orgId}`;
    expect(run).toEqual({ status: 'pending' });
  });
});

describe('taking a deletion back', () => {
  it('is up to every owner, is recorded, and mailed to all owners', async () => {
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    await mark(platform, owner);
    const reply = await takeBack(platform, second);
    expect(reply.status).toBe(204);
    expect((await read(platform, owner)).body.deletion).toBeNull();
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'DELETION_CANCELLED', user_id: second.userId }]);
    expect((await platform.lastMail(owner.email)).subject).toBe('Example Works will not be deleted');
  });

  it('is 404 for an organization that is not marked', async () => {
    expect(await takeBack(platform, owner)).toMatchObject({
      status: 404,
      body: { type: '/problems/deletion-not-found' },
    });
  });

  it('lets it be marked again, with a new delay', async () => {
    const first = await mark(platform, owner);
    await takeBack(platform, owner);
    platform.clock.advance(60);
    const second = await mark(platform, owner, testPassword);
    expect(Date.parse(second.body.due_at)).toBeGreaterThan(Date.parse(first.body.due_at));
  });
});
