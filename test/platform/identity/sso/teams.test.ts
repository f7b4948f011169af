/** The teams of groups: who is in which list after which log-ins. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IssuerAccount } from '../../../support/issuer.js';
import type { JsonReply, TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { simultaneously } from '../auth/requests.js';
import { auditOf } from '../auth/stored.js';
import { createScimClient, type ScimClient } from '../scim/scim-client.js';
import { accountAt, beginSso, completeSso, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

const mapping = {
  groups_claim: 'groups',
  group_teams: [
    { group: 'developers', team_id: 'core' },
    { group: 'developers', team_id: 'web' },
    { group: 'designers', team_id: 'web' },
  ],
};

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
let account: IssuerAccount & { readonly email: string };
beforeAll(async () => {
  stage = await startSsoStage(2);
});
beforeEach(async () => {
  stage.issuer.forge = null;
  for (const id of ['core', 'web']) await teams('PUT', id, { members: ['grace'] });
  domain = await connect(stage, stage.owner, mapping);
  account = accountAt(domain);
});
afterAll(() => stage.stop());

const organization = (): string => `/api/v1/organizations/${stage.owner.orgId}`;

/** Creates or replaces a team (`PUT`), or does with it what the method says. */
async function teams(method: 'PUT' | 'PATCH' | 'DELETE', id: string, body?: object): Promise<JsonReply> {
  const token = stage.owner.accessToken;
  const changed = await stage.platform.json(method === 'DELETE' ? method : 'PATCH', `${organization()}/teams/${id}`, {
    ...{ token, body },
  });
  if (method !== 'PUT' || changed.status !== 404) return changed;
  return stage.platform.json('POST', `${organization()}/teams`, { token, body: { id, ...body } });
}

async function membersOf(id: string): Promise<string[]> {
  const { body } = await stage.platform.json('GET', `${organization()}/teams/${id}`, {
    token: stage.owner.accessToken,
  });
  return [...body.members].sort();
}

/** Logs in with a claim of groups. */
function logIn(groups: unknown, user: IssuerAccount = account): Promise<JsonReply> {
  stage.issuer.forge = (claims) => ({ ...claims, groups });
  return ssoAs(stage, stage.owner.orgId, user);
}

const put = (differences: object = {}, owner: TestUser = stage.owner): Promise<JsonReply> =>
  putSso(stage, owner, ssoRequest(stage.issuer, { ...mapping, domains: [domain], ...differences }));

const withGrace = (...others: string[]): string[] => ['grace', ...others].sort();

describe('a log-in by SSO', () => {
  it('adds the address to the lists of the teams of all groups, once', async () => {
    const reply = await logIn(['developers', 'designers', 'readers']);
    expect(reply.status).toBe(200);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    expect(await membersOf('web')).toEqual(withGrace(account.email));
    expect(await auditOf(stage.platform, reply)).toContainEqual(
      expect.objectContaining({ action: 'UPDATE', resource_kind: 'TEAM', note: 'members by groups of SSO' }),
    );
    const again = await logIn(['developers', 'designers']);
    expect((await auditOf(stage.platform, again)).map(({ action }) => action)).toEqual(['LOGIN']);
  });

  it('removes the address from the lists of groups that the provider no longer names', async () => {
    await logIn(['developers']);
    await logIn(['designers']);
    expect(await membersOf('core')).toEqual(['grace']);
    expect(await membersOf('web')).toEqual(withGrace(account.email));
    await logIn([]);
    expect(await membersOf('web')).toEqual(['grace']);
  });

  it('changes no list when the provider leaves the claim out', async () => {
    await logIn(['developers']);
    expect((await logIn(undefined)).status).toBe(200);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    expect(await membersOf('web')).toEqual(withGrace(account.email));
  });

  it('leaves entries of people, also of the person who logs in', async () => {
    await teams('PUT', 'core', { members: ['grace', account.email] });
    await logIn(['developers']);
    await logIn([]);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    expect(await membersOf('web')).toEqual(['grace']);
  });

  it('adds again what somebody has removed from the list', async () => {
    await logIn(['developers']);
    await teams('PATCH', 'core', { members: ['grace'] });
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    await logIn([]);
    expect(await membersOf('core')).toEqual(['grace']);
  });

  it('takes the address of the account, and replaces it when that changes', async () => {
    const { body } = await logIn(['developers'], { ...account, email: account.email.toUpperCase() });
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    const changed = `changed@${domain}`;
    await stage.platform.database.sql`update users set email = ${changed} where id = ${String(body.user.id)}`;
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(changed));
  });

  it('leaves the last entry of a team until there is another one', async () => {
    await logIn(['developers']);
    await teams('PATCH', 'core', { members: [account.email] });
    await logIn([]);
    expect(await membersOf('core')).toEqual([account.email]);
    await teams('PATCH', 'core', { members: [account.email, 'grace'] });
    await logIn([]);
    expect(await membersOf('core')).toEqual(['grace']);
  });

  it.each<[string, unknown, string[]]>([
    ['one name', 'designers', ['web']],
    ['a list of 20,000', [...Array.from({ length: 20_000 }, (_, index) => `group-${index}`), 'designers'], ['web']],
    ['an object', { designers: true }, []],
    ['a list of objects and lists', [{ group: 'designers' }, ['designers'], null, 7], []],
    ['another case', ['Designers'], []],
    ['nothing', undefined, []],
  ])('reads %s as groups', async (_what, groups, expected) => {
    expect((await logIn(groups)).status).toBe(200);
    const joined = [];
    for (const id of ['core', 'web']) if ((await membersOf(id)).includes(account.email)) joined.push(id);
    expect(joined).toEqual(expected);
  });

  it('keeps each address once when two tabs log in at once, and removes it later', async () => {
    const { orgId } = stage.owner;
    stage.issuer.forge = (claims) => ({ ...claims, groups: ['developers'] });
    stage.issuer.account = account;
    const first = await beginSso(stage, orgId);
    const second = await beginSso(stage, orgId, { cookie: first.cookie });
    const replies = await simultaneously(2, async (index) => {
      const { url, cookie } = index === 0 ? first : second;
      return completeSso(stage, orgId, (await stage.issuer.authorize(url.href)).search.slice(1), cookie);
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    await logIn([]);
    expect(await membersOf('core')).toEqual(['grace']);
  });

  it('adds everybody when several people log in at once', async () => {
    const people = Array.from({ length: 5 }, () => accountAt(domain));
    const { orgId } = stage.owner;
    // The issuer knows one account at a time, and is asked for the claims of all of them later.
    stage.issuer.forge = (claims) => ({
      ...{ ...claims, groups: ['developers'], email_verified: true },
      email: people.find(({ sub }) => sub === claims.sub)?.email,
    });
    const answers: { callback: string; cookie: string }[] = [];
    for (const person of people) {
      stage.issuer.account = person;
      const { url, cookie } = await beginSso(stage, orgId);
      answers.push({ callback: (await stage.issuer.authorize(url.href)).search.slice(1), cookie });
    }
    const replies = await Promise.all(
      answers.map(({ callback, cookie }) => completeSso(stage, orgId, callback, cookie)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await membersOf('core')).toEqual(withGrace(...people.map(({ email }) => email)));
  });

  it('succeeds when a team was deleted, and adds the address once there is such a team again', async () => {
    await logIn(['developers']);
    await teams('DELETE', 'core');
    expect((await logIn(['developers'])).status).toBe(200);
    expect(await membersOf('web')).toEqual(withGrace(account.email));
    await teams('PUT', 'core', { members: ['grace'] });
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
  });

  it('succeeds when the teams cannot be read, and the next one changes them', async () => {
    const { sql } = stage.platform.database;
    await sql`alter table team_files rename to hidden`;
    const reply = await logIn(['developers']);
    await sql`alter table hidden rename to team_files`;
    expect(reply.status).toBe(200);
    expect(await membersOf('core')).toEqual(['grace']);
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
  });

  it('succeeds while the store of the teams does not answer, without the lock of the organization', async () => {
    const { sql } = stage.platform.database;
    await sql.begin(async (store) => {
      await store`lock table team_files in access exclusive mode`;
      expect((await logIn(['developers'])).status).toBe(200);
      await sql`select 1 from organizations where id = ${stage.owner.orgId} for update nowait`;
    });
    expect(await membersOf('core')).toEqual(['grace']);
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
  });
});

describe('the end of a membership', () => {
  let member: { readonly id: string; readonly token: string };
  let superuser: TestUser;
  let scim: ScimClient;
  beforeAll(async () => {
    scim = await createScimClient(stage.platform, stage.owner);
    superuser = await stage.platform.signUp({ organization: null });
    await makeSuperuser(stage.platform, superuser);
  });
  beforeEach(async () => {
    const { body } = await logIn(['developers']);
    member = { id: String(body.user.id), token: String(body.access_token) };
    await teams('PATCH', 'web', { members: [account.email, 'grace'] });
  });

  const remove = (token: string): Promise<JsonReply> =>
    stage.platform.json('DELETE', `${organization()}/members/${member.id}`, { token });

  it.each<[string, () => Promise<JsonReply>]>([
    ['its removal', () => remove(stage.owner.accessToken)],
    ['leaving', () => remove(member.token)],
    [
      'a SCIM user who is disabled',
      () => scim.patch(`/Users/${member.id}`, { op: 'replace', value: { active: false } }),
    ],
    ['a SCIM user who is deleted', () => scim('DELETE', `/Users/${member.id}`)],
    [
      'the deletion of the account',
      () => stage.platform.json('DELETE', `/api/v1/installation/users/${member.id}`, { token: superuser.accessToken }),
    ],
  ])('by %s takes the address out of the lists, except where somebody has entered it', async (_way, end) => {
    await teams('PUT', 'core', { members: ['grace'] });
    await logIn(['developers']);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    await logIn(['designers']);
    await teams('PUT', 'core', { members: ['grace', account.email] });
    expect((await end()).status).toBeLessThan(300);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    expect(await membersOf('web')).toEqual(['grace']);
    const { sql } = stage.platform.database;
    expect(await sql`select 1 from sso_team_members where user_id = ${member.id}`).toHaveLength(0);
  });

  it('succeeds when the teams cannot be read, and the next one completes it', async () => {
    const { platform, owner } = stage;
    const { sql } = platform.database;
    await sql`alter table team_files rename to hidden`;
    const reply = await remove(owner.accessToken);
    await sql`alter table hidden rename to team_files`;
    expect(reply.status).toBe(200);
    expect(await membersOf('core')).toEqual(withGrace(account.email));
    const other = await platform.signUp({ invitedBy: owner });
    await platform.json('DELETE', `${organization()}/members/${other.userId}`, { token: owner.accessToken });
    expect(await membersOf('core')).toEqual(['grace']);
  });
});

describe('the mapping', () => {
  it('is stored, and refused with teams that do not exist', async () => {
    const stored = await put();
    expect(stored.body.connection).toMatchObject(mapping);
    const unknown = [...mapping.group_teams, { group: 'developers', team_id: 'nobody' }];
    expect((await put({ group_teams: unknown })).body.violations).toEqual([
      { path: '/body/group_teams/3/team_id', rule: 'exists', message: 'is not the id of a team' },
    ]);
    const [, stranger] = stage.owners;
    if (stranger === undefined) throw new Error('no second owner');
    expect((await put({ domains: [] }, stranger)).status).toBe(422); // these are teams of another organization
  });

  it('can be kept with a team that was deleted since, and gets no new group for it', async () => {
    await teams('DELETE', 'core');
    expect((await put({ default_role: 'viewer' })).status).toBe(200);
    const further = [{ group: 'leads', team_id: 'core' }, ...mapping.group_teams];
    expect((await put({ group_teams: further })).body.violations).toMatchObject([
      { path: '/body/group_teams/0/team_id', rule: 'exists' },
    ]);
  });

  it.each<[string, object]>([
    ['nothing is mapped', { group_teams: [] }],
    ['the mapping stays', {}],
  ])('does not need the store of the teams when %s', async (_what, differences) => {
    const { sql } = stage.platform.database;
    await sql`alter table team_files rename to hidden`;
    const reply = await put({ recovery_owner_id: stage.owner.userId, ...differences });
    await sql`alter table hidden rename to team_files`;
    expect(reply.status).toBe(200);
  });

  it('removes at once what it has added when a team is taken out', async () => {
    await logIn(['developers']);
    await put({ group_teams: [{ group: 'developers', team_id: 'web' }] });
    expect(await membersOf('core')).toEqual(['grace']);
    expect(await membersOf('web')).toEqual(withGrace(account.email));
    await put({ groups_claim: null });
    expect(await membersOf('web')).toEqual(['grace']);
  });

  it('ends with the SSO of the organization', async () => {
    await logIn(['developers']);
    const path = `${organization()}/sso`;
    await stage.platform.json('DELETE', path, { token: stage.owner.accessToken });
    expect(await membersOf('core')).toEqual(['grace']);
    expect(await membersOf('web')).toEqual(['grace']);
  });
});
