import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '@plumbline/contract/contract-types';
import { cookieValues } from '@plumbline/contract/cookie-values';
import type {
  EndBrowserSessionHandler,
  RefreshBrowserSessionHandler,
  StartBrowserSessionHandler,
  StartBrowserSessionReply,
} from '../../../../generated/platform/operations.js';
import { invalidRefreshToken, refreshTokenReused } from '../../../../generated/problems.js';
import { lockUser, userOf } from '../accounts/accounts.store.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { findBrowserSessions, revokeFamily } from './refresh-tokens.store.js';
import { refreshSession } from './refresh-tokens.js';
import { tokenPair } from './token-pair.js';

/**
 * The tabs of a browser share one cookie, so a lost reply or two concurrent tabs must not end the session. A reply can be
 * lost with a laptop that sleeps for days: until the successor is used, its predecessor may ask for it again.
 */
const graceSeconds = Infinity;

const cookiePath = '/api/v1/auth/browser-session';

/** Moves the refresh token of a session to the cookie. The session is a browser session from then on. */
export const startBrowserSession: StartBrowserSessionHandler<PlatformDependencies> = (
  { body, context },
  dependencies,
) => replyWithCookie(body.refresh_token, null, context, dependencies);

/** Renews the access token and the cookie. Accepts only tokens that were issued for the cookie. */
export const refreshBrowserSession: RefreshBrowserSessionHandler<PlatformDependencies> = async (
  { ctx, context },
  dependencies,
) => replyWithCookie(await sessionCookie(ctx.req, dependencies), true, context, dependencies);

/** Ends the session of the cookie, if it has one, and removes the cookie. */
export const endBrowserSession: EndBrowserSessionHandler<PlatformDependencies> = async (
  { ctx, context },
  dependencies,
) => {
  const { sql, clock, tokens } = dependencies;
  const claims = await tokens.verifyRefreshToken(await sessionCookie(ctx.req, dependencies));
  if (claims !== null) {
    const now = clock.now();
    const { userId, orgId, familyId: resourceId } = claims;
    await sql.begin(async (transaction) => {
      await lockUser(transaction, userId);
      if (!(await revokeFamily(transaction, claims, 'logout', now))) return;
      const record = { action: 'LOGOUT', resourceKind: 'SESSION', resourceId, orgId, userId } as const;
      await recordAudit(transaction, context, now, record);
    });
  }
  return { status: 204, headers: { 'Set-Cookie': cookieOf('', 0, dependencies) } };
};

/**
 * The refresh token in the cookie. If a sibling domain has added cookies of the same name, it is the one that belongs to
 * a live browser session. '' if there is none, or if there are tokens of several sessions.
 */
async function sessionCookie(
  request: IncomingMessage,
  { sql, clock, tokens }: Pick<PlatformDependencies, 'sql' | 'clock' | 'tokens'>,
): Promise<string> {
  const values = cookieValues(request.headers.cookie, 'plumbline_session');
  const [first = '', ...others] = values;
  if (others.length === 0) return first;
  const verified = await Promise.all(
    values.map(async (token) => ({ token, claims: await tokens.verifyRefreshToken(token) })),
  );
  const candidates = verified.flatMap(({ token, claims }) => (claims === null ? [] : [{ token, claims }]));
  const families = candidates.map(({ claims }) => claims.familyId);
  const alive = await findBrowserSessions(sql, families, clock.now());
  const [only, ...more] = candidates.filter(({ claims }) => alive.includes(claims.familyId));
  return only === undefined || more.length > 0 ? '' : only.token;
}

async function replyWithCookie(
  token: string,
  accepts: boolean | null,
  context: RequestContext,
  dependencies: PlatformDependencies,
): Promise<StartBrowserSessionReply> {
  const rules = { accepts, inBrowser: true, graceSeconds, isRecorded: false };
  const outcome = await refreshSession(token, rules, context, dependencies);
  if (outcome.kind === 'invalid') return invalidRefreshToken();
  if (outcome.kind === 'reused') return refreshTokenReused();
  const { session } = outcome;
  const { refresh_token: refreshToken, ...access } = await tokenPair(session, dependencies);
  const seconds = Math.ceil((session.expiresAt.getTime() - dependencies.clock.now().getTime()) / 1000);
  return {
    status: 200,
    headers: { 'Set-Cookie': cookieOf(refreshToken, Math.max(seconds, 1), dependencies) },
    body: { ...access, user: userOf(session.account) },
  };
}

function cookieOf(value: string, maxAgeSeconds: number, { appBaseUrl }: PlatformDependencies): string {
  const secure = appBaseUrl().startsWith('http:') ? '' : '; Secure';
  return `plumbline_session=${value}; Path=${cookiePath}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
