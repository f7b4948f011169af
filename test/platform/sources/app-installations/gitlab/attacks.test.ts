import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAppHost, type AppHost } from '../../../../support/hosts/app-host.js';
import { hostARepository } from '../../../../support/hosts/host-a.js';
import type { TestUser } from '../../../../support/platform.js';
import { startGitlabPlatform, type GitlabPlatform } from './gitlab-platform.js';

let github: AppHost;
let parts: GitlabPlatform;
let owner: TestUser;

beforeAll(async () => {
  github = await startAppHost();
  github.repositories = [hostARepository('acme/api')];
  parts = await startGitlabPlatform({ environment: github.environment });
});

beforeEach(async () => {
  parts.app.grants.length = 0;
  owner = await parts.platform.signUp();
  parts.app.host.requests.length = 0;
  github.host.requests.length = 0;
});

afterAll(async () => {
  await parts.stop();
  await github.stop();
});

const invalid = { status: 400, body: { type: '/problems/invalid-installation-state' } };
const refused = { status: 403, body: { type: '/problems/installation-refused' } };

/** The requests to both hosts. */
const asked = (): number => parts.app.host.requests.length + github.host.requests.length;

describe('an attacker', () => {
  it('cannot have the code of one host sent to the other', async () => {
    const callback = await parts.agreed(owner);
    expect(await parts.finish(owner, { ...callback, provider: 'host_a', installation_id: '1' })).toMatchObject(invalid);
    // The state is used up.
    expect(await parts.finish(owner, callback)).toMatchObject(invalid);
    const state = new URL(await parts.begin(owner, { provider: 'host_a' })).searchParams.get('state');
    const { id } = github.install('acme', ['acme/api']);
    const back = { state, code: github.codeOf('octo'), installation_id: String(id) };
    expect(await parts.finish(owner, back)).toMatchObject(invalid);
    expect(asked()).toBe(0);
    expect(await parts.list(owner)).toEqual([]);
  });

  it('cannot inject the code of another visit, which the verifier does not fit', async () => {
    const attacker = await parts.platform.signUp();
    const stolen = await parts.agreed(owner, 'victim');
    const mine = await parts.agreed(attacker);
    expect(await parts.finish(attacker, { ...mine, code: stolen.code })).toMatchObject(refused);
    expect(await parts.list(attacker)).toEqual([]);
  });

  it('cannot log a victim in to the account of the attacker at the host', async () => {
    const attacker = await parts.platform.signUp();
    const theirs = await parts.agreed(attacker);
    expect(await parts.finish(owner, theirs)).toMatchObject(invalid);
    // The state has come into other hands, and ends.
    expect(await parts.finish(attacker, theirs)).toMatchObject(invalid);
    // A state of the victim does not help, because the code belongs to another verifier.
    const own = await parts.agreed(owner);
    expect(await parts.finish(owner, { ...own, code: (await parts.agreed(attacker)).code })).toMatchObject(refused);
    expect([...(await parts.list(owner)), ...(await parts.list(attacker))]).toEqual([]);
  });

  it('cannot finish in another session of the same user', async () => {
    const callback = await parts.agreed(owner);
    const { email, password } = owner;
    const login = await parts.platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
    expect(await parts.finish({ accessToken: login.body.access_token }, callback)).toMatchObject(invalid);
  });

  it('cannot use a state or a code twice', async () => {
    const callback = await parts.agreed(owner);
    expect((await parts.finish(owner, callback)).status).toBe(200);
    expect(await parts.finish(owner, callback)).toMatchObject(invalid);
    const next = await parts.agreed(owner);
    expect(await parts.finish(owner, { ...next, code: callback.code })).toMatchObject(refused);
  });

  it('cannot use a state more than once of ten times at once', async () => {
    const callback = await parts.agreed(owner);
    const replies = await Promise.all(Array.from({ length: 10 }, () => parts.finish(owner, callback)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 400)]);
  });

  it('cannot use a state after 10 minutes, nor one that was invented', async () => {
    const callback = await parts.agreed(owner);
    parts.platform.clock.advance(601);
    expect(await parts.finish(owner, callback)).toMatchObject(invalid);
    parts.platform.clock.advance(-601);
    expect(await parts.finish(owner, { ...callback, state: 'invented' })).toMatchObject(invalid);
    expect(asked()).toBe(0);
  });

  it('cannot learn the verifier from what the browser sees', async () => {
    const url = await parts.begin(owner);
    const { code, state } = parts.app.authorize(url);
    expect((await parts.finish(owner, { code, state })).status).toBe(200);
    const sent = parts.app.host.requests.find(({ path }) => path === '/oauth/token')?.body ?? '';
    const verifier = new URLSearchParams(sent).get('code_verifier') ?? '';
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(verifier);
  });

  it('cannot finish after losing the role of an admin', async () => {
    const { platform } = parts;
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const callback = await parts.agreed(admin);
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    await platform.json('PATCH', path, { token: owner.accessToken, body: { role: 'member' } });
    expect(await parts.finish(admin, callback)).toMatchObject({
      status: 403,
      body: { type: '/problems/insufficient-role' },
    });
    expect(asked()).toBe(0);
  });

  it('cannot read the tokens of another integration by moving them in the database', async () => {
    const other = await parts.platform.signUp();
    const [mine, theirs] = [await parts.connect(owner), await parts.connect(other)];
    await parts.platform.database.sql`
      update integrations i set secret_sealed = t.secret_sealed, refresh_sealed = t.refresh_sealed
      from integrations t where i.id = ${mine.id} and t.id = ${theirs.id}`;
    expect((await parts.test(owner, mine.id)).body.success).toBe(false);
    expect((await parts.test(other, theirs.id)).body.success).toBe(true);
  });
});
