import { createPlatformClient, logout, refreshTokens, type PlatformClient } from '@plumbline/sdk/platform';
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

/** The session of this tab. */
export const session = createStore<SessionState>({ kind: 'starting' });

const storageKey = 'plumbline.refresh-token';
const tabs = new BroadcastChannel('plumbline.session');
let accessToken: string | null = null;

const baseUrl = location.origin;
/** Waiting for a countdown is up to the page, which can show it. */
const patience = { retries: 1, maxRetryDelayMs: 1000 };
const bare = createPlatformClient({ baseUrl, ...patience });

/** The client of everything that the console asks; it holds the access token in memory. */
export const platform: PlatformClient = createPlatformClient({
  baseUrl,
  ...patience,
  fetch: createRenewingFetch(
    { renew: renewAccess },
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

tabs.addEventListener('message', () => {
  void endSession(false);
});

/** Takes up the session that this tab had before it was loaded again. */
export async function startSession(): Promise<void> {
  session.set({ kind: 'starting' });
  try {
    const token = await renewAccess();
    session.set(token === null ? { kind: 'out', ended: false } : { kind: 'in' });
  } catch (error) {
    session.set({ kind: 'unknown', error });
  }
}

/** Logs out, here and in the other tabs. */
export async function logOut(): Promise<void> {
  tabs.postMessage('log-out');
  await endSession(false);
}

async function endSession(ended: boolean): Promise<void> {
  const token = sessionStorage.getItem(storageKey);
  endHere(ended);
  // The page has forgotten the session already; the server forgets it at its expiry at the latest.
  if (token !== null) await logout(bare, { body: { refresh_token: token } }).catch(() => null);
}

function endHere(ended: boolean): void {
  accessToken = null;
  sessionStorage.removeItem(storageKey);
  session.set({ kind: 'out', ended });
}

function adopt(tokens: TokenPair): void {
  accessToken = tokens.access_token;
  if (tokens.refresh_token !== undefined) sessionStorage.setItem(storageKey, tokens.refresh_token);
  session.set({ kind: 'in' });
}

async function renewAccess(): Promise<string | null> {
  const refresh_token = sessionStorage.getItem(storageKey);
  if (refresh_token === null) return null;
  const reply = await refreshTokens(bare, { body: { refresh_token }, adoptTokens: false });
  if (reply.status === 401) return null;
  const next = unwrap(reply);
  accessToken = next.access_token;
  sessionStorage.setItem(storageKey, next.refresh_token);
  return accessToken;
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
