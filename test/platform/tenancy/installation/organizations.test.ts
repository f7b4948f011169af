/** Superusers list the organizations of the installation. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';

let platform: TestPlatform;
let superuser: TestUser;

beforeAll(async () => {
  platform = await startTestPlatform();
  superuser = await platform.signUp({ organization: null });
  await makeSuperuser(platform, superuser);
});
afterAll(() => platform.stop());

function list(filters: Readonly<Record<string, string>> = {}, by = superuser): Promise<JsonReply> {
  const query = new URLSearchParams(filters).toString();
  return platform.json('GET', `/api/v1/installation/organizations?${query}`, { token: by.accessToken });
}

async function ids(filters: Readonly<Record<string, string>>): Promise<string[]> {
  const { status, body } = await list({ limit: '200', ...filters });
  expect(status).toBe(200);
  return (body.items as { id: string }[]).map(({ id }) => id);
}

describe('the list of organizations', () => {
  it('has the newest first, with their owners and the number of members', async () => {
    const owner = await platform.signUp({ organization: 'Newest' });
    await platform.signUp({ invitedBy: owner, role: 'viewer' });
    expect((await list({ limit: '1' })).body.items).toEqual([
      {
        id: owner.orgId,
        name: 'Newest',
        created_at: expect.any(String),
        members: 2,
        owners: [{ user_id: owner.userId, email: owner.email, full_name: null }],
        deletion: null,
      },
    ]);
  });

  it('comes page by page, without a repetition', async () => {
    await platform.signUp();
    await platform.signUp();
    const first = await list({ limit: '1' });
    const second = await list({ limit: '1', cursor: String(first.body.next_cursor) });
    const found = [first, second].flatMap(({ body }) => (body.items as { id: string }[]).map(({ id }) => id));
    expect(new Set(found).size).toBe(2);
    expect((await list({ cursor: 'bm9uZQ' })).status).toBe(422);
  });

  it('can be searched by a part of the name, whose signs are not patterns, and by the id', async () => {
    const mark = randomUUID();
    const owner = await platform.signUp({ organization: `Zoë 100% ${mark}` });
    for (const search of [mark, `ZOË 100% ${mark}`, owner.orgId.toUpperCase()]) {
      expect(await ids({ search })).toEqual([owner.orgId]);
    }
    expect(await ids({ search: `%${mark}` })).toEqual([]);
  });

  it('can be that of the marked, or of all others', async () => {
    const owner = await platform.signUp();
    const counts = (): Promise<number[]> =>
      Promise.all(['active', 'marked'].map(async (state) => (await ids({ search: owner.orgId, state })).length));
    expect(await counts()).toEqual([1, 0]);
    const path = `/api/v1/organizations/${owner.orgId}/deletion`;
    const marked = await platform.json('POST', path, {
      token: owner.accessToken,
      body: { current_password: testPassword },
    });
    expect(await counts()).toEqual([0, 1]);
    expect((await list({ search: owner.orgId })).body.items).toMatchObject([{ deletion: marked.body }]);
  });

  it('is for superusers, not for owners', async () => {
    const owner = await platform.signUp();
    expect(await list({}, owner)).toMatchObject({ status: 403, body: { type: '/problems/superuser-required' } });
  });
});
