import type { JsonReply, TestPlatform, TestUser } from '../../../support/platform.js';
import { totpCode } from '../../../support/totp.js';

/** The status and the problem of a refusal: `403 wrong-code`. */
export function problem({ status, body }: JsonReply): string {
  return `${status} ${String(body.type).replace('/problems/', '')}`;
}

export const logIn = (platform: TestPlatform, { email, password }: TestUser, orgId?: string): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/login', {
    body: { email, password, ...(orgId !== undefined && { org_id: orgId }) },
  });

export const verify = (platform: TestPlatform, body: Record<string, unknown>): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/mfa/verify', { body });

/** An account with an authenticator app. */
export interface Enrolled {
  readonly user: TestUser;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** A code that was not used yet: time moves by a code. */
  nextCode(): string;
  /** Logs in with password and code, and gives the access token. */
  enter(): Promise<string>;
}

/** Sets up an authenticator app for an account. */
export async function enroll(platform: TestPlatform, user?: TestUser): Promise<Enrolled> {
  const account = user ?? (await platform.signUp());
  const token = account.accessToken;
  const started = await platform.json('POST', '/api/v1/auth/me/mfa/totp', { token });
  if (started.status !== 200) throw new Error(`no set-up begins: ${JSON.stringify(started.body)}`);
  const secret = String(started.body.secret);
  const nextCode = (): string => {
    platform.clock.advance(30);
    return totpCode(secret, platform.clock.now());
  };
  const body = { code: totpCode(secret, platform.clock.now()) };
  const done = await platform.json('POST', '/api/v1/auth/me/mfa/totp/verify', { token, body });
  if (done.status !== 200) throw new Error(`the set-up fails: ${JSON.stringify(done.body)}`);
  const enter = async (): Promise<string> => {
    const { body: login } = await logIn(platform, account);
    const reply = await verify(platform, { mfa_token: login.mfa_token, code: nextCode() });
    if (reply.status !== 200) throw new Error(`the log-in fails: ${JSON.stringify(reply.body)}`);
    return String(reply.body.access_token);
  };
  return { user: account, secret, recoveryCodes: done.body.recovery_codes as string[], nextCode, enter };
}
