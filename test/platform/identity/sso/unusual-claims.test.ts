/** Claims of an organization's provider that cannot be stored. */
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { problem } from '../providers/requests.js';
import { accountAt, connect, ssoAs, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let domain: string;
beforeAll(async () => {
  stage = await startSsoStage();
  domain = await connect(stage, stage.owner);
});
afterAll(() => stage.stop());

/** Logs in a person about whom the provider makes some claims in the ID token. */
async function logIn(differences: JWTPayload): Promise<string> {
  const account = accountAt(domain);
  stage.issuer.forge = (claims) => ({ ...claims, email: account.email, email_verified: true, ...differences });
  const reply = await ssoAs(stage, stage.owner.orgId, account);
  return reply.status === 200 ? '200' : problem(reply);
}

it.each<[string, JWTPayload, string]>([
  ['an account of 1,024 bytes', { sub: 'ü'.repeat(512) }, '200'],
  ['an account of more bytes', { sub: 'ü'.repeat(513) }, '502 identity-provider-failed'],
  ['an account with the character U+0000', { sub: 'a\0b' }, '502 identity-provider-failed'],
  ['an account with half a character', { sub: 'a\ud800' }, '502 identity-provider-failed'],
  ['a session of 1,024 bytes', { sid: 'a'.repeat(1024) }, '200'],
  ['a session of more bytes', { sid: 'a'.repeat(1025) }, '502 identity-provider-failed'],
  ['a session with the character U+0000', { sid: 'a\0b' }, '502 identity-provider-failed'],
  ['a session that is not a text', { sid: 7 }, '200'],
])('a log-in with %s is answered without a failure of the server', async (_what, claims, expected) => {
  // Both claims are in the ID token, so that the UserInfo endpoint, which would name another account, is not asked.
  expect(await logIn(claims)).toBe(expected);
});
