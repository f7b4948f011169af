import {
  createPlatformClient,
  endBrowserSession,
  refreshBrowserSession,
  startBrowserSession,
  type PlatformClient,
} from '@plumbline/sdk/platform';
import { unwrap, type TokenPair } from '@plumbline/sdk';
import { createRenewingFetch, oneAtATime } from './renewal.js';
import { createStore } from './store.js';

/** Whether somebody is logged in here. */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'in' }
  /** The server did not say whether the session is alive. */
  | { readonly kind: 'unknown'; readonly error: unknown }
  /** `ended`: there was a session, and the server does not accept it any more. */
  | { readonly kind: 'out'; readonly ended: boolean };

/** The session of this browser, as this tab sees it. */
export const session = createStore<SessionState>({ kind: 'starting' });

/** What a tab tells the others: it has logged out, or the session belongs to another user or organization. */
type Message = 'log-out' | 'changed';
const tabs = new BroadcastChannel('plumbline.session');
const tell = (message: Message): void => {
  tabs.postMessage(message);
};

/** Set while the server has not confirmed a log-out: the cookie may still be valid. */
const pendingLogOut = 'plumbline.log-out';

/** Set while this browser has the cookie of a session, which scripts cannot see. Without it the server is not asked. */
const loggedIn = 'plumbline.logged-in';

let accessToken: string | null = null;
/** When the access token is renewed (ms since 1970), by the clock of this browser. */
let renewAt = Infinity;
/** A refresh token that is not in the cookie yet: the server has issued it, and the exchange has not succeeded. */
let unstored: string | null = null;

const baseUrl = location.origin;
/** Waiting for a countdown is up to the page, which can show it. */
const patience = { retries: 1, maxRetryDelayMs: 1000 };
const bare = createPlatformClient({ baseUrl, ...patience });

/** The client of everything that the console asks; it holds the access token in memory. */
export const platform: PlatformClient = createPlatformClient({
  baseUrl,
  ...patience,
  fetch: createRenewingFetch(
    { renew: renewAccess, isExpiring: () => Date.now() >= renewAt },
    () => accessToken,
    (token) => {
      if (token === null) endHere(true);
    },
  ),
  tokens: {
    get: () => (accessToken === null ? null : { access_token: accessToken }),
    set: adopt,
    clear: () => {
      accessToken = null;
    },
  },
});

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'log-out') endHere(false);
  else void startSession();
});

/** Takes up the session of this browser from its cookie. */
export async function startSession(): Promise<void> {
  session.set({ kind: 'starting' });
  try {
    const token = await oneAtATime(async () => {
      if (localStorage.getItem(pendingLogOut) !== null) await endCookie();
      return localStorage.getItem(loggedIn) === null ? null : renewAccess();
    });
    session.set(token === null ? { kind: 'out', ended: false } : { kind: 'in' });
  } catch (error) {
    session.set({ kind: 'unknown', error });
  }
}

/** Logs out, here and in the other tabs. */
export async function logOut(): Promise<void> {
  localStorage.setItem(pendingLogOut, 'true');
  localStorage.removeItem(loggedIn);
  tell('log-out');
  endHere(false);
  // The next start tries again when the server cannot be reached now.
  await oneAtATime(endCookie).catch(() => null);
}

async function endCookie(): Promise<void> {
  unwrap(await endBrowserSession(bare));
  localStorage.removeItem(pendingLogOut);
}

function endHere(ended: boolean): void {
  accessToken = null;
  unstored = null;
  session.set({ kind: 'out', ended });
}

/** Moves a refresh token that the server has just issued into the cookie. */
async function adopt(tokens: TokenPair): Promise<void> {
  await oneAtATime(async () => {
    accessToken = tokens.access_token;
    renewAt = Infinity; // it is exchanged at once
    unstored = tokens.refresh_token ?? null;
    // On failure the access token still works, and its renewal exchanges the refresh token.
    await renewAccess().catch(() => null);
    localStorage.removeItem(pendingLogOut);
  });
  tell('changed');
  session.set({ kind: 'in' });
}

/** A request takes its time, and a token that expires on the way is refused. */
const renewBeforeMs = 30_000;

/** Gets the next access token and cookie; null: the session has ended. Only to be called within `oneAtATime`. */
async function renewAccess(): Promise<string | null> {
  const reply =
    unstored === null
      ? await refreshBrowserSession(bare, { headers: { 'X-Plumbline-Browser': '1' } })
      : await startBrowserSession(bare, { body: { refresh_token: unstored } });
  if (reply.status === 401) {
    localStorage.removeItem(loggedIn);
    // The cookie of a session that was ended elsewhere would be reported as a reuse at each start.
    if (reply.problem.type === '/problems/refresh-token-reused') await endBrowserSession(bare).catch(() => null);
    return null;
  }
  const { access_token: token, expires_in: seconds } = unwrap(reply);
  accessToken = token;
  renewAt = Date.now() + seconds * 1000 - renewBeforeMs;
  unstored = null;
  localStorage.setItem(loggedIn, 'true');
  return token;
}

/** Makes the next request renew the access token: after the user has left an organization, the server refuses it. */
export function renewBeforeNextRequest(): void {
  renewAt = 0;
}

/** The session that the access token belongs to, by its claim `sid`; null: there is none. */
export function currentSessionId(): string | null {
  const id = accessToken === null ? null : claimOf(accessToken, 'sid');
  return typeof id === 'string' ? id : null;
}

/** An access token, and until when it is good (ms since 1970). */
export interface Access {
  readonly token: string;
  readonly expiresAt: number;
}

/** A token that is about to expire is of no use to a person or a tool. */
const leastLifetimeMs = 60_000;

/** The access token for use outside of the console, good for a minute at least; null: nobody is logged in. */
export async function accessForTools(): Promise<Access | null> {
  if (accessToken !== null && expiryOf(accessToken) - Date.now() < leastLifetimeMs) {
    await oneAtATime(async () => {
      if (accessToken === null || expiryOf(accessToken) - Date.now() >= leastLifetimeMs) return;
      if ((await renewAccess()) === null) endHere(true);
    });
  }
  return accessToken === null ? null : { token: accessToken, expiresAt: expiryOf(accessToken) };
}

function expiryOf(token: string): number {
  return Number(claimOf(token, 'exp')) * 1000;
}

function claimOf(token: string, name: string): unknown {
  const [, payload] = token.split('.');
  if (payload === undefined) return null;
  const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return typeof claims === 'object' && claims !== null ? Reflect.get(claims, name) : null;
}
