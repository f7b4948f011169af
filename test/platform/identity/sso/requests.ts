import { startDnsServer, type DnsServer } from '../../../support/dns-server.js';
import { issuerClient, startIssuer, type Issuer, type IssuerAccount } from '../../../support/issuer.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { appBaseUrl, newAccount } from '../providers/requests.js';

/** A server with organizations that can use the issuer, and the DNS of their domains. */
export interface SsoStage {
  readonly platform: TestPlatform;
  readonly issuer: Issuer;
  readonly dns: DnsServer;
  /** The owners of the organizations. */
  readonly owners: readonly TestUser[];
  stop(): Promise<void>;
}

/** @param organizations how many there are */
export async function startSsoStage(
  organizations = 1,
  environment: Record<string, string> = {},
): Promise<SsoStage & { readonly owner: TestUser }> {
  const dns = await startDnsServer();
  const platform = await startTestPlatform({
    environment: {
      APP_BASE_URL: appBaseUrl,
      DNS_SERVERS: dns.address,
      AUTH_LOGIN_ATTEMPT_LIMIT: '100000/hour',
      ...environment,
    },
  });
  const owners: TestUser[] = [];
  while (owners.length < organizations) owners.push(await platform.signUp());
  const [owner] = owners;
  if (owner === undefined) throw new Error('a stage needs an organization');
  const issuer = await startIssuer(
    owners.map(({ orgId }) => callbackOf(orgId)),
    `${platform.url}/api/v1/auth/sso/${owner.orgId}/logout`,
  );
  const stop = async (): Promise<void> => {
    await platform.stop();
    await issuer.stop();
    await dns.stop();
  };
  return { platform, issuer, dns, owners, owner, stop };
}

export const callbackOf = (orgId: string): string => `${appBaseUrl}/login/sso/${orgId}/callback`;

/** What sets up SSO with the issuer. */
export function ssoRequest({ url }: Pick<Issuer, 'url'>, differences: object = {}): object {
  return {
    issuer: url,
    client_id: issuerClient.id,
    client_secret: issuerClient.secret,
    auto_join: true,
    default_role: 'member',
    groups_claim: null,
    group_roles: [],
    group_teams: [],
    is_required: false,
    recovery_owner_id: null,
    domains: [],
    ...differences,
  };
}

export function putSso(
  { platform }: SsoStage,
  { orgId, accessToken: token }: TestUser,
  body: object,
): Promise<JsonReply> {
  return platform.json('PUT', `/api/v1/organizations/${orgId}/sso`, { token, body });
}

export function verify(
  { platform }: SsoStage,
  { orgId, accessToken: token }: TestUser,
  domain: string,
): Promise<JsonReply> {
  return platform.json('POST', `/api/v1/organizations/${orgId}/sso/domains/${domain}/verify`, { token });
}

/** Sets up SSO with a verified domain that nobody else has. @returns the domain */
export async function connect(stage: SsoStage, owner: TestUser, differences: object = {}): Promise<string> {
  const domain = `${crypto.randomUUID()}.example`;
  const before = ssoRequest(stage.issuer, { ...differences, is_required: false, domains: [domain] });
  const reply = await putSso(stage, owner, before);
  if (reply.status !== 200) throw new Error(`SSO is not set up: ${JSON.stringify(reply.body)}`);
  const { record_name: name, record_value: value } = reply.body.domains[0];
  stage.dns.records.set(String(name), ['something else', String(value)]);
  const verified = await verify(stage, owner, domain);
  if (verified.status !== 200) throw new Error(`the domain is not verified: ${JSON.stringify(verified.body)}`);
  const after = await putSso(stage, owner, ssoRequest(stage.issuer, { ...differences, domains: [domain] }));
  if (after.status !== 200) throw new Error(`SSO is not changed: ${JSON.stringify(after.body)}`);
  return domain;
}

export interface SsoStart {
  readonly token?: string;
  readonly cookie?: string;
  readonly body?: object;
}

/** Begins a log-in, or a link with the token of an account. */
export async function beginSso(
  { platform }: SsoStage,
  orgId: string,
  { token, cookie, body = {} }: SsoStart = {},
): Promise<{ readonly url: URL; readonly cookie: string }> {
  const verb = token === undefined ? 'start' : 'link';
  const reply = await platform.json('POST', `/api/v1/auth/sso/${orgId}/${verb}`, {
    ...{ token, body },
    ...(cookie !== undefined && { headers: { Cookie: cookie } }),
  });
  if (reply.status !== 200) throw new Error(`the log-in does not begin: ${JSON.stringify(reply.body)}`);
  return {
    url: new URL(String(reply.body.authorization_url)),
    cookie: reply.headers.get('Set-Cookie')?.split(';')[0] ?? '',
  };
}

/** Brings the answer of the issuer to the server. */
export function completeSso(
  { platform }: SsoStage,
  orgId: string,
  callback: string,
  cookie?: string,
): Promise<JsonReply> {
  return platform.json('POST', `/api/v1/auth/sso/${orgId}/login`, {
    body: { callback },
    ...(cookie !== undefined && { headers: { Cookie: cookie } }),
  });
}

/** Logs in, or links, from the beginning to the end. */
export async function ssoAs(
  stage: SsoStage,
  orgId: string,
  account: IssuerAccount | null,
  start: SsoStart = {},
): Promise<JsonReply> {
  stage.issuer.account = account;
  const { url, cookie } = await beginSso(stage, orgId, start);
  const back = await stage.issuer.authorize(url.href);
  return completeSso(stage, orgId, back.search.slice(1), cookie);
}

/** An account at the issuer with an address of a domain. */
export function accountAt(domain: string, differences: object = {}): IssuerAccount & { readonly email: string } {
  return newAccount({ email: `${crypto.randomUUID()}@${domain}`, ...differences });
}
