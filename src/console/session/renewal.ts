import type { FetchInit } from '@plumbline/sdk';

/** What a caller can be authenticated with: the access token, and who keeps it alive. */
export interface Credentials {
  /** Gets the next access token. null: the session has ended. Throws when the server does not answer. */
  renew(): Promise<string | null>;
  /** Whether the access token expires in a moment, or has. */
  isExpiring(): boolean;
  /**
   * Waits while the session has ended and may be resumed.
   *
   * @param used the access token of a request
   * @returns the one to send it with now; null: there is none. Throws when it belongs to somebody else.
   */
  resumed(used: string, signal: AbortSignal): Promise<string | null>;
}

/**
 * A fetch that renews the access token before it expires, and sends a request again with a new one when the server
 * refuses the one that it has.
 *
 * @param current the access token now
 * @param renewed called with the next token, or with null when the session has ended
 */
export function createRenewingFetch(
  credentials: Credentials,
  current: () => string | null,
  renewed: (token: string | null) => void,
): (url: string, init: FetchInit) => Promise<Response> {
  /** @returns the token that replaces `used`; null: the session has ended */
  const replace = (used: string): Promise<string | null> =>
    oneAtATime(async () => {
      const held = current();
      if (held === null || used !== `Bearer ${held}`) return held; // another request has renewed it
      const next = await credentials.renew();
      renewed(next);
      return next;
    });
  const withToken = (init: FetchInit, token: string): FetchInit => ({
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${token}` },
  });
  return async (url, init) => {
    const { authorization } = init.headers;
    if (authorization === undefined) return fetch(url, init);
    const used = authorization.slice('Bearer '.length);
    const held = await credentials.resumed(used, init.signal);
    if (held !== null && held !== used) return fetch(url, withToken(init, held));
    if (credentials.isExpiring()) {
      // Where this fails, the request says why.
      const token = await replace(authorization).catch(() => null);
      return fetch(url, token === null ? init : withToken(init, token));
    }
    const reply = await fetch(url, init);
    if (!(await isUnauthenticated(reply))) return reply;
    const token = (await replace(authorization)) ?? (await credentials.resumed(used, init.signal));
    return token === null ? reply : fetch(url, withToken(init, token));
  };
}

/** The latest task of this tab, where the browser has no locks. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs one task at a time over all tabs of this browser, which share one cookie. A task must not start another. Browsers
 * offer locks over all tabs to pages with TLS or on this machine only; elsewhere the tasks of this tab run one after the
 * other, and the grace period of the cookie covers two tabs that renew it at once.
 */
export function oneAtATime<T>(task: () => Promise<T>): Promise<T> {
  if ('locks' in navigator) {
    return new Promise((resolve, reject) => {
      navigator.locks.request('plumbline.session', () => task().then(resolve, reject)).catch(reject);
    });
  }
  const next = latest.then(task);
  latest = next.catch(() => null);
  return next;
}

/** Other problems with status 401, a wrong password for example, say nothing about the token. */
async function isUnauthenticated(reply: Response): Promise<boolean> {
  if (reply.status !== 401) return false;
  const body: unknown = await reply
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null) return false;
  return Reflect.get(body, 'type') === '/problems/unauthenticated' || 'errors' in body; // GraphQL answers in its own form
}
