import { expect, it, onTestFinished } from 'vitest';
import { startTestPlatform, type JsonReply } from '../../../support/platform.js';
import { problem } from './requests.js';

it('changes of the second factor, and proofs, count per user with those of the password', async () => {
  const platform = await startTestPlatform({ environment: { AUTH_CHANGE_PASSWORD_LIMIT: '1/hour' } });
  onTestFinished(() => platform.stop());
  const { accessToken: token } = await platform.signUp();
  const send = (method: string, path: string, body?: object): Promise<JsonReply> =>
    platform.json(method, `/api/v1/auth${path}`, { token, body });
  expect((await send('POST', '/me/mfa/totp')).status).toBe(200);
  const passkey = { credential_id: 'AAAA', client_data_json: 'AAAA', attestation_object: 'AAAA' };
  for (const reply of [
    await send('POST', '/me/mfa/totp'),
    await send('POST', '/me/mfa/totp/verify', { code: '123456' }),
    await send('DELETE', '/me/mfa/totp'),
    await send('POST', '/me/mfa/recovery-codes'),
    await send('POST', '/me/mfa/passkeys/start'),
    await send('POST', '/me/mfa/passkeys', { name: 'Phone', ...passkey }),
    await send('POST', '/step-up', { code: '123456' }),
  ]) {
    expect(problem(reply)).toBe('429 rate-limited');
  }
});

const proof = { credential_id: 'AAAA', client_data_json: 'AAAA', authenticator_data: 'AAAA', signature: 'AAAA' };

it('log-ins with a second factor or a passkey count with the others per IP', async () => {
  const platform = await startTestPlatform({ environment: { AUTH_LOGIN_ATTEMPT_LIMIT: '1/hour' } });
  onTestFinished(() => platform.stop());
  const send = (path: string, body?: object): Promise<JsonReply> =>
    platform.json('POST', `/api/v1/auth${path}`, { body });
  expect((await send('/passkeys/start')).status).toBe(200);
  for (const reply of [
    await send('/passkeys/start'),
    await send('/passkeys/login', proof),
    await send('/mfa/verify', { mfa_token: 'x', code: '123456' }),
  ]) {
    expect(problem(reply)).toBe('429 rate-limited');
  }
});

it('requests that are invalid still report the limits', async () => {
  const platform = await startTestPlatform({ environment: { AUTH_LOGIN_ATTEMPT_LIMIT: '1000/hour' } });
  onTestFinished(() => platform.stop());
  for (const path of ['passkeys/login', 'mfa/verify']) {
    for (const [body, status] of [
      ['{', 400],
      ['{"no_such_property":1}', 422],
    ] as const) {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await platform.fetch(`${platform.url}/api/v1/auth/${path}`, { method: 'POST', headers, body });
      await reply.arrayBuffer();
      expect([reply.status, reply.headers.get('RateLimit-Policy')]).toEqual([
        status,
        expect.stringContaining('q=1000;w=3600'),
      ]);
    }
  }
});
