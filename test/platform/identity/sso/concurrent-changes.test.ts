/** Log-ins that are under way while an owner changes the provider. */
import type { JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IssuerAccount } from '../../../support/issuer.js';
import type { JsonReply } from '../../../support/platform.js';
import { problem } from '../providers/requests.js';
import { accountAt, beginSso, completeSso, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage();
});
beforeEach(async () => {
  domain = await connect(stage, stage.owner);
});
afterEach(() => {
  stage.issuer.signInstead = null;
});
afterAll(() => stage.stop());

/** The owner enters another client while the provider answers the log-in. */
function changeClientMeanwhile(): void {
  const { issuer, owner } = stage;
  issuer.signInstead = async (claims: JWTPayload) => {
    const request = ssoRequest(issuer, { client_id: 'another', domains: [domain] });
    const changed = await putSso(stage, owner, request);
    if (changed.status !== 200) throw new Error(`SSO is not changed: ${JSON.stringify(changed.body)}`);
    return issuer.sign(claims);
  };
}

describe('A change of the client between the answer of the provider and the link', () => {
  it.each<[string, () => Promise<JsonReply>]>([
    ['the first log-in of somebody', () => ssoAs(stage, stage.owner.orgId, accountAt(domain))],
    [
      'the first log-in of a member',
      async () => {
        const { email } = await stage.platform.signUp({ email: accountAt(domain).email, invitedBy: stage.owner });
        return ssoAs(stage, stage.owner.orgId, accountAt(domain, { email }));
      },
    ],
    [
      'a link',
      async () => {
        const { email, accessToken: token } = await stage.platform.signUp({ email: accountAt(domain).email });
        return ssoAs(stage, stage.owner.orgId, accountAt(domain, { email }), { token });
      },
    ],
  ])('ends the attempt: %s', async (_what, attempt) => {
    changeClientMeanwhile();
    expect(problem(await attempt())).toBe('400 invalid-login-attempt');
  });
});

describe('A change that holds the organization while somebody logs in', () => {
  it('can delete the connection, and the log-in is refused', async () => {
    const { platform, owner, issuer } = stage;
    const account: IssuerAccount = accountAt(domain);
    issuer.account = account;
    const { url, cookie } = await beginSso(stage, owner.orgId);
    const callback = (await issuer.authorize(url.href)).search.slice(1);
    const { sql } = platform.database;
    let reply: Promise<JsonReply> | undefined;
    await sql.begin(async (change) => {
      await change`select 1 from organizations where id = ${owner.orgId} for no key update`;
      reply = completeSso(stage, owner.orgId, callback, cookie);
      const waiting = async (): Promise<readonly unknown[]> => sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('tuple', 'transactionid')`;
      while ((await waiting()).length === 0);
      await change`delete from sso_connections where org_id = ${owner.orgId}`;
    });
    if (reply === undefined) throw new Error('nothing was sent');
    expect(problem(await reply)).toBe('400 invalid-login-attempt');
    expect(await sql`select 1 from users where email = ${account.email ?? ''}`).toHaveLength(0);
  });
});
