import { createPlatformClient, logout, refreshTokens, type PlatformClient } from '@plumbline/sdk/platform';
import type { TokenPair } from '@plumbline/sdk';
import { createRenewingFetch } from './renewal.js';
import { createStore } from './store.js';

/** Whether somebody is logged in here. */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'in' }
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

/** Takes up the session that this tab had before it was loaded again. */
export async function startSession(): Promise<void> {
  tabs.addEventListener('message', () => {
    void endSession(false);
  });
  try {
    const token = await renewAccess();
    session.set(token === null ? { kind: 'out', ended: false } : { kind: 'in' });
  } catch {
    session.set({ kind: 'out', ended: false });
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
  if (reply.ok) {
    accessToken = reply.data.access_token;
    sessionStorage.setItem(storageKey, reply.data.refresh_token);
    return accessToken;
  }
  if (reply.status === 401) return null;
  throw new Error(reply.problem.message);
}
