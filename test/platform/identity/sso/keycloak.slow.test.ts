import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from '../../../support/form-browser.js';
import { keycloakIsMissing, startKeycloak, type Keycloak } from '../../../support/keycloak.js';
import type { JsonReply } from '../../../support/platform.js';
import { me } from '../auth/requests.js';
import { brokeredRealm, corporateRealm, password, samlBroker } from './keycloak-realms.js';
import { beginSso, callbackOf, completeSso, putSso, ssoRequest, startSsoStage, verify } from './requests.js';

const reason = keycloakIsMissing === undefined ? '' : ` (skipped: ${keycloakIsMissing}; .ci/keycloak unpacks it)`;
const domain = 'works.example';

describe.skipIf(keycloakIsMissing !== undefined)(`SSO with Keycloak${reason}`, () => {
  let keycloak: Keycloak;
  let stage: Awaited<ReturnType<typeof startSsoStage>>;
  beforeAll(async () => {
    [keycloak, stage] = await Promise.all([startKeycloak(), startSsoStage()]);
    const { owner, platform, dns } = stage;
    await keycloak.admin('POST', '', corporateRealm(keycloak.url));
    const client = {
      redirectUri: callbackOf(owner.orgId),
      logoutUri: `${platform.url}/api/v1/auth/sso/${owner.orgId}/logout`,
    };
    await keycloak.admin('POST', '', brokeredRealm(client));
    await samlBroker(keycloak);
    const differences = {
      client_id: 'plumbline',
      client_secret: password,
      default_role: 'viewer',
      groups_claim: 'groups',
      group_roles: [{ group: 'leads', role: 'admin' }],
      domains: [domain],
    };
    const set = await putSso(stage, owner, ssoRequest({ url: `${keycloak.url}/realms/works` }, differences));
    expect(set.status).toBe(200);
    dns.records.set(String(set.body.domains[0].record_name), [String(set.body.domains[0].record_value)]);
    expect((await verify(stage, owner, domain)).status).toBe(200);
  }, 300_000);
  afterAll(async () => {
    await keycloak.stop();
    await stage.stop();
  });

  /** Logs in with a browser. @param broker the provider that the person chooses on the page of Keycloak */
  async function logIn(username: string, broker?: string): Promise<JsonReply> {
    const { orgId } = stage.owner;
    const { url, cookie } = await beginSso(stage, orgId);
    if (broker !== undefined) url.searchParams.set('kc_idp_hint', broker);
    const back = await browse(url.href, callbackOf(orgId), { username, password });
    return completeSso(stage, orgId, back.search.slice(1), cookie);
  }

  it('logs a user of its realm in, with the role of the groups', async () => {
    const reply = await logIn(`robin@${domain}`);
    expect(reply.body.user).toMatchObject({ email: `robin@${domain}`, full_name: 'Robin Example', role: 'admin' });
  });

  it('logs a user of a SAML provider in, through its broker', async () => {
    const reply = await logIn(`ada@${domain}`, 'corporate');
    expect(reply.body.user).toMatchObject({ email: `ada@${domain}`, full_name: 'Ada Example', role: 'viewer' });
    const again = await logIn(`ada@${domain}`, 'corporate');
    expect(again.body.user.id).toBe(reply.body.user.id);
  });

  it('ends all sessions of a user when it logs the user out', async () => {
    const replies = [await logIn(`robin@${domain}`), await logIn(`robin@${domain}`)];
    const statuses = (): Promise<number[]> =>
      Promise.all(replies.map(async ({ body }) => (await me(stage.platform, String(body.access_token))).status));
    expect(await statuses()).toEqual([200, 200]);
    const [user] = (await keycloak.admin('GET', '/works/users?username=robin%40works.example')) as { id: string }[];
    await keycloak.admin('POST', `/works/users/${String(user?.id)}/logout`);
    await expect.poll(statuses).toEqual([401, 401]);
  });

  it('signs with a new key, which is accepted at once', async () => {
    await keycloak.admin('POST', '/works/components', {
      name: 'a newer key',
      providerId: 'rsa-generated',
      providerType: 'org.keycloak.keys.KeyProvider',
      config: { priority: ['200'], keySize: ['2048'] },
    });
    expect((await logIn(`robin@${domain}`)).status).toBe(200);
  });
});
