import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { invite } from '../onboarding/requests.js';
import { newEmail, register } from './requests.js';
import { storedUsers } from './stored.js';

// An open server lets the first owner in; the servers of the tests share its database.
let open: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  open = await startTestPlatform();
  owner = await open.signUp();
});
afterAll(() => open.stop());

async function serve(policy: string): Promise<TestPlatform> {
  return startTestPlatform({
    environment: { AUTH_REGISTRATION: policy, AUTH_REGISTER_LIMIT: '1000/hour' },
    databaseUri: open.databaseUri,
    mailbox: open.mailbox,
  });
}

describe.each([
  ['closed', { stranger: 403, colleague: 403, invited: 403 }],
  ['invite', { stranger: 403, colleague: 403, invited: 201 }],
  ['domains:acme.example,b.example', { stranger: 403, colleague: 201, invited: 201 }],
  ['open', { stranger: 201, colleague: 201, invited: 201 }],
])('AUTH_REGISTRATION=%s', (policy, expected) => {
  let server: TestPlatform;
  beforeAll(async () => {
    server = await serve(policy);
  });
  afterAll(() => server.stop());

  it('decides who can register', async () => {
    const [stranger, invited] = [newEmail(), newEmail()];
    const colleague = newEmail().replace('example.com', 'ACME.example');
    const { token } = await invite(open, owner, invited);
    const replies = {
      stranger: await register(server, { email: stranger }),
      colleague: await register(server, { email: colleague }),
      invited: await register(server, { email: invited, invite_token: token }),
    };
    expect({
      stranger: replies.stranger.status,
      colleague: replies.colleague.status,
      invited: replies.invited.status,
    }).toEqual(expected);
    for (const reply of Object.values(replies)) {
      expect(reply.headers.has('RateLimit')).toBe(true);
      if (reply.status === 403) expect(reply.body.type).toBe('/problems/registration-closed');
    }
    expect(await storedUsers(server, stranger)).toHaveLength(expected.stranger === 201 ? 1 : 0);
  });

  it('does not take a made-up invite for one', async () => {
    const reply = await register(server, { email: newEmail(), invite_token: 'x' });
    expect(reply.status).toBe(policy === 'closed' ? 403 : 400);
  });

  it('is written into the pages of the console', async () => {
    const page = await (await fetch(`${server.url}/console/register`)).text();
    expect(page).toContain(`<meta name="plumbline-registration" content="${policy.split(':')[0] ?? ''}"`);
    if (policy.startsWith('domains')) expect(page).toContain('data-domains="acme.example b.example"');
  });
});
