import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../auth/stored.js';
import { problem } from '../providers/requests.js';
import { accountAt, callbackOf, connect, putSso, ssoAs, ssoRequest, startSsoStage, verify } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
beforeAll(async () => {
  stage = await startSsoStage(2);
});
afterAll(() => stage.stop());

const newDomain = (): string => `${crypto.randomUUID()}.example`;

describe('the SSO of an organization', () => {
  it('is nothing at first, and names the addresses to register', async () => {
    const { platform, owner } = stage;
    const reply = await platform.json('GET', `/api/v1/organizations/${owner.orgId}/sso`, { token: owner.accessToken });
    expect(reply).toMatchObject({
      status: 200,
      body: { connection: null, domains: [], redirect_uri: callbackOf(owner.orgId) },
    });
    const path = `/api/v1/organizations/${owner.orgId}/sso`;
    expect(problem(await platform.json('DELETE', path, { token: owner.accessToken }))).toBe('404 sso-not-found');
  });

  it('is set up, changed without the secret, and removed', async () => {
    const { platform, owner, issuer } = stage;
    const path = `/api/v1/organizations/${owner.orgId}/sso`;
    const created = await putSso(stage, owner, ssoRequest(issuer, { domains: ['BÜCHER.example.'] }));
    expect(created).toMatchObject({
      status: 200,
      body: {
        connection: { issuer: issuer.url, auto_join: true, is_required: false },
        domains: [
          {
            domain: 'xn--bcher-kva.example',
            record_name: '_plumbline-challenge.xn--bcher-kva.example',
            record_value: expect.stringMatching(/^plumbline=[\w-]{43}$/) as string,
            verified_at: null,
          },
        ],
      },
    });
    expect(JSON.stringify(created.body)).not.toContain('secret');
    expect(await auditOf(platform, created)).toMatchObject([{ action: 'CREATE', resource_kind: 'SSO' }]);
    const roles = [{ group: 'leads', role: 'admin' }];
    const body = ssoRequest(issuer, { client_secret: undefined, groups_claim: 'groups', group_roles: roles });
    const changed = await putSso(stage, owner, body);
    expect(changed).toMatchObject({ status: 200, body: { connection: { group_roles: roles }, domains: [] } });
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(204);
    expect((await platform.json('GET', path, { token: owner.accessToken })).body.connection).toBeNull();
  });

  it.each([
    ['an issuer that is not a URL', { issuer: 'idp' }, '/body/issuer'],
    ['an issuer in a private network', { issuer: 'https://10.0.0.1' }, '/body/issuer'],
    ['an issuer without TLS', { issuer: 'http://idp.example' }, '/body/issuer'],
    ['an issuer with a query', { issuer: 'https://idp.example/?a=b' }, '/body/issuer'],
    ['no secret', { client_secret: undefined, client_id: 'another' }, '/body/client_secret'],
    ['a domain without a dot', { domains: ['example'] }, '/body/domains'],
    ['an address as a domain', { domains: ['192.0.2.1'] }, '/body/domains'],
    ['a stranger as recovery owner', { recovery_owner_id: crypto.randomUUID() }, '/body/recovery_owner_id'],
  ])('is refused with %s', async (_what, differences, path) => {
    const reply = await putSso(stage, stage.owner, ssoRequest(stage.issuer, differences));
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ path }] } });
  });

  it('is refused with an issuer that does not answer', async () => {
    const reply = await putSso(stage, stage.owner, ssoRequest(stage.issuer, { issuer: 'http://127.0.0.1:9' }));
    expect(problem(reply)).toBe('502 identity-provider-failed');
  });

  it('ends the sessions by an earlier client', async () => {
    const [, owner] = stage.owners;
    if (owner === undefined) throw new Error('no second owner');
    const domain = await connect(stage, owner);
    const { body } = await ssoAs(stage, owner.orgId, accountAt(domain));
    const token = String(body.access_token);
    expect((await stage.platform.json('GET', '/api/v1/auth/me', { token })).status).toBe(200);
    const another = ssoRequest(stage.issuer, { client_id: 'another', domains: [domain] });
    expect((await putSso(stage, owner, another)).status).toBe(200);
    expect((await stage.platform.json('GET', '/api/v1/auth/me', { token })).status).toBe(401);
  });
});

describe('a domain', () => {
  it('is verified by its TXT record', async () => {
    const { owner, dns, issuer, platform } = stage;
    const domain = newDomain();
    const { body } = await putSso(stage, owner, ssoRequest(issuer, { domains: [domain] }));
    expect(problem(await verify(stage, owner, domain))).toBe('409 sso-domain-unproven');
    const name = String(body.domains[0].record_name);
    dns.records.set(name, ['plumbline=wrong']);
    expect(problem(await verify(stage, owner, domain))).toBe('409 sso-domain-unproven');
    dns.records.set(name, [String(body.domains[0].record_value)]);
    const verified = await verify(stage, owner, domain);
    expect(verified).toMatchObject({ status: 200, body: { domain, verified_at: expect.any(String) as string } });
    const found = await platform.json('GET', `/api/v1/auth/sso?domain=${domain.toUpperCase()}`);
    expect(found).toMatchObject({ status: 200, body: { org_id: owner.orgId } });
  });

  it('has no SSO before it is verified, nor an unknown one', async () => {
    const domain = newDomain();
    await putSso(stage, stage.owner, ssoRequest(stage.issuer, { domains: [domain] }));
    for (const each of [domain, 'unknown.example', 'not a domain']) {
      const reply = await stage.platform.json('GET', `/api/v1/auth/sso?domain=${encodeURIComponent(each)}`);
      expect(reply).toMatchObject({ status: 200, body: { org_id: null } });
    }
  });

  it('must be claimed first', async () => {
    expect(problem(await verify(stage, stage.owner, 'unclaimed.example'))).toBe('404 sso-not-found');
  });

  it('stays with its holder as long as the record of the holder is there', async () => {
    const [holder, other] = stage.owners;
    if (holder === undefined || other === undefined) throw new Error('no second owner');
    const domain = await connect(stage, holder);
    const name = `_plumbline-challenge.${domain}`;
    const { body } = await putSso(stage, other, ssoRequest(stage.issuer, { domains: [domain] }));
    const challenge = String(body.domains[0].record_value);
    stage.dns.records.get(name)?.push(challenge);
    expect(problem(await verify(stage, other, domain))).toBe('409 sso-domain-taken');
    stage.dns.records.set(name, [challenge]);
    expect((await verify(stage, other, domain)).status).toBe(200);
    const found = await stage.platform.json('GET', `/api/v1/auth/sso?domain=${domain}`);
    expect(found.body).toEqual({ org_id: other.orgId });
  });
});
