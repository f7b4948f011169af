import { randomUUID } from 'node:crypto';
import { testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';

/** An address that nobody else in the run has. */
export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

export function register(platform: TestPlatform, body: object): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/register', { body: { password: testPassword, ...body } });
}

export function login(platform: TestPlatform, email: string, password = testPassword): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/login', { body: { email, password } });
}

export function verify(platform: TestPlatform, token: string): Promise<JsonReply> {
  return platform.json('GET', `/api/v1/auth/verify?token=${encodeURIComponent(token)}`);
}

export function resend(platform: TestPlatform, email: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/resend-verification', { body: { email } });
}

export function forgot(platform: TestPlatform, email: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
}

export function reset(platform: TestPlatform, token: string, newPassword: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/reset-password', { body: { token, new_password: newPassword } });
}

export function refresh(platform: TestPlatform, refreshToken: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/refresh', { body: { refresh_token: refreshToken } });
}

/** What an access token is good for, by the operation that needs nothing else. */
export function me(platform: TestPlatform, token: string): Promise<JsonReply> {
  return platform.json('GET', '/api/v1/auth/me', { token });
}

/** Makes `count` calls at once, and gives their replies. */
export function simultaneously(count: number, call: (index: number) => Promise<JsonReply>): Promise<JsonReply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}

/** The replies without what is new in each exchange: the request's id. */
export function withoutRequestId({ status, body }: JsonReply): { status: number; body: unknown } {
  const { request_id: _requestId, ...same } = Object(body) as Record<string, unknown>;
  return { status, body: same };
}
