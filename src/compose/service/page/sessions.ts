/** Who may use the page: links that work once, and the sessions of browsers that have opened one. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.js';

export interface PageSessions {
  /** Makes a link's token. It replaces the token before it. */
  createLink(): PageLink;
  /** Exchanges the token of a link for a session; null: it was used, has expired or was replaced, or is none of ours. */
  open(token: string): PageSession | null;
  /** Whether one of the cookies is that of a session. */
  has(cookies: readonly string[]): boolean;
  /** The same, and the key belongs to it. */
  hasWithKey(cookies: readonly string[], key: string): boolean;
  /** Ends the session that a key belongs to. */
  end(key: string): void;
}

export interface PageLink {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * What a browser proves itself with. Browsers send a cookie to every port of a host, so that another server of the
 * machine can read it. The key is kept by the page, which shares its storage with no other port.
 */
export interface PageSession {
  readonly cookie: string;
  readonly key: string;
  readonly expiresAt: Date;
  readonly maxAgeSeconds: number;
}

const linkMs = 5 * 60_000;
/** The working day of a person. */
const sessionMs = 12 * 60 * 60_000;
/** More than a person has browsers; the oldest session ends when another one begins. */
const mostSessions = 32;

/** Sessions in memory: they end with the server. Tokens, cookies and keys are 256 random bits; hashes of them are kept. */
export function createPageSessions(clock: Clock): PageSessions {
  let link: { readonly hash: string; readonly expiresAt: Date } | null = null;
  const sessions = new Map<string, { readonly keyHash: string; readonly expiresAt: Date }>();
  const isOver = (expiresAt: Date): boolean => clock.now() >= expiresAt;
  /** The hashes of the keys of those that are sessions. */
  const keysOf = (cookies: readonly string[]): string[] =>
    cookies.flatMap((cookie) => {
      const found = sessions.get(hashOf(cookie));
      return found === undefined || isOver(found.expiresAt) ? [] : [found.keyHash];
    });
  return {
    createLink() {
      const token = newSecret();
      const expiresAt = new Date(clock.now().getTime() + linkMs);
      link = { hash: hashOf(token), expiresAt };
      return { token, expiresAt };
    },
    open(token) {
      if (link === null || isOver(link.expiresAt) || link.hash !== hashOf(token)) return null;
      link = null;
      for (const [hash, { expiresAt }] of sessions) if (isOver(expiresAt)) sessions.delete(hash);
      const [oldest] = sessions.keys();
      if (sessions.size >= mostSessions && oldest !== undefined) sessions.delete(oldest);
      const cookie = newSecret();
      const key = newSecret();
      const expiresAt = new Date(clock.now().getTime() + sessionMs);
      sessions.set(hashOf(cookie), { keyHash: hashOf(key), expiresAt });
      return { cookie, key, expiresAt, maxAgeSeconds: sessionMs / 1000 };
    },
    has: (cookies) => keysOf(cookies).length > 0,
    hasWithKey: (cookies, key) => keysOf(cookies).includes(hashOf(key)),
    end(key) {
      const ended = hashOf(key);
      for (const [hash, { keyHash }] of sessions) if (keyHash === ended) sessions.delete(hash);
    },
  };
}

const newSecret = (): string => randomBytes(32).toString('base64url');

/** Secrets are compared by their hashes: the time of a comparison tells nothing about a secret. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
