import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { record } from '../../src/contract-tools/documents.js';
import { startDnsServer, type DnsServer } from '../support/dns-server.js';
import { hostARepository, startHostA } from '../support/hosts/host-a.js';
import { issuerClient, startIssuerForTest } from '../support/issuer.js';
import { withoutPgBouncer } from '../support/pgbouncer.js';
import { testPassword } from '../support/platform.js';
import { totpCode } from '../support/totp.js';
import { NOW } from '../sync/harness.js';
import { commits } from '../sync/host-a-fixture.js';
import { quietRedocly, startJourneyServer, workflows, type JourneyServer } from './journey.js';

test.each(readdirSync(workflows))('%s passes redocly lint', async (file) => {
  const command = ['node_modules/@redocly/cli/bin/cli.js', 'lint', `${workflows}/${file}`];
  const { stderr } = await promisify(execFile)(process.execPath, command, { env: quietRedocly });
  expect(stderr).toContain('Your API description is valid');
});

describe.for([
  { through: 'nothing', title: '' },
  { through: 'PgBouncer', title: `, behind PgBouncer in transaction mode${withoutPgBouncer}` },
] as const)('The journeys, one after the other on one server$title', ({ through }) => {
  const isMissing = through === 'PgBouncer' && withoutPgBouncer !== '';

  const owner = { email: 'owner@example.com', password: testPassword };
  const colleague = { email: 'colleague@example.com', password: testPassword };
  let server: JourneyServer;
  let dns: DnsServer;
  beforeAll(async () => {
    if (isMissing) return;
    dns = await startDnsServer();
    server = await startJourneyServer(through, { DNS_SERVERS: dns.address });
  });
  afterAll(async () => {
    if (isMissing) return;
    await server.stop();
    await dns.stop();
  });

  test.skipIf(isMissing)(
    'register, verify, log in, create an organization, skip the integration, reach the dashboard',
    async () => {
      expect(await server.walk('sign-up', 'register', owner)).toBe(3);
      const token = await server.tokenMailedTo(owner.email, 'verification');
      expect(await server.walk('sign-up', 'enter', { ...owner, verification_token: token })).toBe(9);
    },
  );

  test.skipIf(isMissing)('invite a colleague, who registers and accepts', async () => {
    const { email: invited_email } = colleague;
    expect(await server.walk('sign-up', 'register', colleague)).toBe(3);
    const verification_token = await server.tokenMailedTo(invited_email, 'verification');
    expect(await server.walk('sign-up', 'join', { ...colleague, verification_token })).toBe(2);
    expect(await server.walk('invitation', 'invite', { ...owner, invited_email })).toBe(3);
    const invite_token = await server.tokenMailedTo(invited_email, 'invite');
    expect(await server.walk('invitation', 'accept', { ...colleague, invite_token })).toBe(5);
  });

  test.skipIf(isMissing)('refresh, and detect a reused refresh token', async () => {
    expect(await server.walk('sessions', 'refreshAndReuse', owner)).toBe(5);
  });

  test.skipIf(isMissing)('list and end sessions, and log out', async () => {
    expect(await server.walk('sessions', 'endSessions', owner)).toBe(7);
  });

  test.skipIf(isMissing)('save a view, change it, and delete it', async () => {
    expect(await server.walk('views', 'saveAndChange', colleague)).toBe(7);
  });

  test.skipIf(isMissing)('import teams, change them, and wait for the assignment', async () => {
    expect(await server.walk('teams', 'importAndChange', owner)).toBeGreaterThanOrEqual(9); // more while it is awaited
  });

  test.skipIf(isMissing)('provision a user and a group, and disable the user', async () => {
    const inputs = { ...owner, user_name: 'provisioned@example.com' };
    expect(await server.walk('provisioning', 'createAndDisable', inputs)).toBe(10);
  });

  test.skipIf(isMissing)('connect an identity provider, verify the domain, and begin a log-in', async () => {
    const issuer = await startIssuerForTest([]);
    const domain = 'sso.example.com';
    const client = { issuer: issuer.url, client_id: issuerClient.id, client_secret: issuerClient.secret };
    expect(await server.walk('single-sign-on', 'connect', { ...owner, ...client, domain })).toBe(3);
    const { domains } = await server.lastReply('single-sign-on', 'connect');
    const { record_name: name, record_value: value } = record(Object(domains)[0]);
    dns.records.set(String(name), [String(value)]);
    expect(await server.walk('single-sign-on', 'verifyAndBegin', { ...owner, domain })).toBe(4);
    const { authorization_url: url } = await server.lastReply('single-sign-on', 'verifyAndBegin');
    expect(new URL(String(url)).origin).toBe(issuer.url);
  });

  test.skipIf(isMissing)('set up an authenticator app, and log in with a recovery code and a code', async () => {
    expect(await server.walk('second-factor', 'start', colleague)).toBe(2);
    const secret = String((await server.lastReply('second-factor', 'start'))['secret']);
    const code = totpCode(secret, new Date());
    expect(await server.walk('second-factor', 'enable', { ...colleague, code })).toBe(6);
    // Each code is accepted once, and also that of the next 30 seconds.
    const nextCode = totpCode(secret, new Date(Date.now() + 30_000));
    expect(await server.walk('second-factor', 'enter', { ...colleague, code: nextCode })).toBe(4);
  });

  test.skipIf(isMissing)('forget the password, and choose another', async () => {
    expect(await server.walk('password-reset', 'ask', { email: owner.email })).toBe(2);
    const reset_token = await server.tokenMailedTo(owner.email, 'reset');
    const inputs = { ...owner, new_password: 'nine loud harbours 9', reset_token };
    expect(await server.walk('password-reset', 'reset', inputs)).toBe(8);
  });

  test.skipIf(isMissing)('connect a code host, sync it, and query a flow', async () => {
    const analyst = { email: 'analyst@example.com', password: testPassword };
    const host = await startHostA(
      hostARepository('acme/api', { commits: commits(5) }),
      hostARepository('acme/web', { commits: commits(3) }),
    );
    expect(await server.walk('first-chart', 'register', analyst)).toBe(1);
    const verification_token = await server.tokenMailedTo(analyst.email, 'verification');
    const day = new Date(NOW).toISOString().slice(0, 10);
    const requests = await server.walk('first-chart', 'chart', {
      ...analyst,
      verification_token,
      host_url: host.url,
      host_token: host.token,
      repositories: 'acme/*',
      start: day,
      end: day,
      graphql: `${server.url}/graphql`,
    });
    expect(requests).toBeGreaterThanOrEqual(11); // one for each step, and more while the run is waited for
  });

  test.skipIf(isMissing)('a journey with a failing step fails', async () => {
    const failure = server.walk('sessions', 'refreshAndReuse', { ...owner, password: 'a wrong password 1' });
    await expect(failure).rejects.toThrow(/The journey sessions: refreshAndReuse failed:[^]*\$statusCode == 200/);
  });
});
