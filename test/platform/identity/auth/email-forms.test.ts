import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const post = (operation: string, email: string, password?: string): Promise<JsonReply> =>
  platform.json('POST', `/api/v1/auth/${operation}`, { body: { email, password } });

/** The test mail server shows domains decoded. */
const received = 'robin@bücher.example';
const forms = [' robin@Bücher.Example ', 'ROBIN@xn--bcher-kva.example', 'Robin@BÜCHER.example'];

describe('an e-mail address', () => {
  it('is the same account in every form, and is stored and shown in ASCII', async () => {
    expect((await post('register', forms[0] ?? '', testPassword)).status).toBe(201);
    for (const form of forms) {
      expect((await post('register', form, testPassword)).status).toBe(400);
      expect((await post('login', form, testPassword)).body).toMatchObject({
        status: 'email_verification_required',
        email: 'robin@xn--bcher-kva.example',
      });
    }
    expect((await platform.lastMail(received)).token).not.toBe('');
  });

  it('is mailed in every form', async () => {
    for (const [index, form] of forms.entries()) {
      expect((await post('resend-verification', form)).status).toBe(200);
      await platform.lastMail(received);
      expect(platform.mailbox.to(received)).toHaveLength(index + 2);
    }
  });

  it('can be invited in one form and join with another', async () => {
    const owner = await platform.signUp();
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    const body = { email: 'Kim@Bücher.example', role: 'member' };
    expect((await platform.json('POST', path, { token: owner.accessToken, body })).body).toMatchObject({
      email: 'kim@xn--bcher-kva.example',
    });
    const { token } = await platform.lastMail('kim@bücher.example');
    const kim = await platform.signUp({ email: 'kim@bücher.example', organization: null });
    const joined = { token: kim.accessToken, body: { token } };
    expect((await platform.json('POST', '/api/v1/auth/accept-invite', joined)).status).toBe(200);
  });

  it('is limited under one key whatever its form', async () => {
    const limited = await startTestPlatform({ environment: { AUTH_LOGIN_LIMIT: '2/hour' } });
    const statuses: number[] = [];
    for (const email of forms) {
      const body = { email, password: 'x' };
      statuses.push((await limited.json('POST', '/api/v1/auth/login', { body })).status);
    }
    await limited.stop();
    expect(statuses).toEqual([401, 401, 429]);
  });

  it.each([
    ['a local part outside ASCII', 'röbin@example.com'],
    ['a quoted local part', '"robin example"@example.com'],
    ['a comment', 'robin(work)@example.com'],
    ['an address literal', 'robin@[192.0.2.1]'],
    ['a domain without a dot', 'robin@localhost'],
    ['a domain that is not one', 'robin@bü cher.example'],
    ['a line break', 'robin@example.com\nBcc: kim@example.com'],
  ])('with %s is refused', async (_what, email) => {
    expect(await post('register', email, testPassword)).toMatchObject({
      status: 422,
      body: { violations: [{ path: '/body/email', rule: 'format' }] },
    });
  });

  it.each([
    ['x@xn--a.example', 'must have a domain that is valid Punycode'],
    ['x@xn--0.example', 'must have a domain that is valid Punycode'],
    ['x@mail.XN--A', 'must have a domain that is valid Punycode'],
    [`${'x'.repeat(65)}@example.com`, 'must have at most 64 characters before the @'],
    [`x@${'a'.repeat(64)}.example`, 'must have at most 63 characters between the dots of its domain'],
  ])('that no mail can be sent to is refused with the reason: %s', async (email, message) => {
    const owner = await platform.signUp();
    const replies = [
      await post('register', email, testPassword),
      await post('login', email, testPassword),
      await post('forgot-password', email),
      await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, {
        token: owner.accessToken,
        body: { email, role: 'member' },
      }),
    ];
    for (const { status, body } of replies) {
      expect({ status, violations: body.violations }).toEqual({
        status: 422,
        violations: [{ path: '/body/email', rule: 'format', message }],
      });
    }
  });

  it('with the longest local part and label, and valid Punycode, is accepted', async () => {
    for (const email of [`${'x'.repeat(64)}@example.com`, `x@${'a'.repeat(63)}.example`, 'x@xn--80ak6aa92e.com']) {
      expect((await post('register', email, testPassword)).status).toBe(201);
    }
  });
});
