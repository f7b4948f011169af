import {
  createPlatformClient,
  endBrowserSession,
  refreshBrowserSession,
  startBrowserSession,
  type PlatformClient,
} from '@plumbline/sdk/platform';
import { unwrap, type TokenPair } from '@plumbline/sdk';
import { createProvingFetch } from './proof.js';
import { createRenewingFetch, oneAtATime } from './renewal.js';
import { createStore } from './store.js';

/** Whether somebody is logged in here. */
export type SessionState =
  | { readonly kind: 'starting' }
  /** `visit` changes when somebody else, or in another organization, comes in. */
  | { readonly kind: 'in'; readonly visit: number }
  /** The server did not say whether the session is alive. */
  | { readonly kind: 'unknown'; readonly error: unknown }
  /**
   * `ended`: there was a session, and the server does not accept it any more. `visit` is what its pages belong to, which
   * are kept for its owner; null: there are none.
   */
  | { readonly kind: 'out'; readonly ended: boolean; readonly visit: number | null };

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
/** What the pages of the latest session belong to. */
let visit = 0;
/** Whose session has ended while its pages are kept; null: there are none. */
let absent: string | null = null;
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
  fetch: createProvingFetch(
    createRenewingFetch(
      { renew: renewAccess, isExpiring: () => Date.now() >= renewAt, resumed },
      () => accessToken,
      (token) => {
        if (token === null) endHere(true);
      },
    ),
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
  if (absent === null) session.set({ kind: 'starting' }); // otherwise the pages wait for their owner
  try {
    const token = await oneAtATime(async () => {
      if (localStorage.getItem(pendingLogOut) !== null) await endCookie();
      return localStorage.getItem(loggedIn) === null ? null : renewAccess();
    });
    if (token !== null) enter();
    else if (absent === null) session.set({ kind: 'out', ended: false, visit: null });
  } catch (error) {
    if (absent === null) session.set({ kind: 'unknown', error });
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

/**
 * Ends the session in this tab. When the server has ended it, its pages stay for their owner, with what was entered in
 * their forms, and their requests wait for the next log-in.
 */
function endHere(ended: boolean): void {
  const isKept = ended && accessToken !== null && session.get().kind === 'in';
  if (isKept) absent = ownerOf(accessToken);
  else if (!ended) absent = null;
  accessToken = absent === null ? null : accessToken; // requests of the pages are recognized by it
  unstored = null;
  session.set({ kind: 'out', ended, visit: absent === null ? null : visit });
}

/** Shows the pages: those of the session that has ended, if this is its owner. */
function enter(): void {
  const before = session.get();
  if (absent === null ? before.kind !== 'in' : absent !== ownerOf(accessToken)) visit += 1;
  absent = null;
  session.set({ kind: 'in', visit });
}

/**
 * Waits while the session has ended and its owner may log in again.
 *
 * @param used the access token of a request
 * @returns the token to send it with now; null: there is no session
 * @throws Error when the session is that of somebody else now: a request is never sent for another user
 */
async function resumed(used: string, signal: AbortSignal): Promise<string | null> {
  if (absent !== null) await nextSession(signal);
  if (accessToken === null || used === accessToken) return accessToken;
  if (ownerOf(used) !== ownerOf(accessToken)) throw new Error('Another user has logged in.');
  return accessToken;
}

async function nextSession(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const end = session.subscribe(({ kind }) => {
      if (kind === 'out' && absent !== null) return;
      end();
      resolve();
    });
    signal.addEventListener('abort', () => {
      end();
      reject(signal.reason as Error); // fetch throws the reason of a signal, whatever it is
    });
  });
}

function ownerOf(token: string | null): string {
  return token === null ? '' : `${String(claimOf(token, 'sub'))} ${String(claimOf(token, 'org_id'))}`;
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
  enter();
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
