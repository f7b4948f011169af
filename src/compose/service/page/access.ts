/** Lets only sessions of the page use an address: the cookie that they are known by, and what is refused without it. */
import type { IncomingMessage } from 'node:http';
import type { ProblemReply } from '@plumbline/contract/contract-types';
import { pageSessionRequired } from '../../../../generated/problems.js';
import type { Clock } from '../../runtime/clock.js';
import { createPageSessions, type PageSession } from './sessions.js';

export interface PageAccess {
  /** A link that opens the page in a browser, once. */
  createLink(): { readonly url: string; readonly expiresAt: Date };
  /** @returns null for a token that opens nothing */
  open(token: string): (PageSession & { readonly setCookie: string }) | null;
  /** Ends the session that a key belongs to. The answer removes its cookie. */
  end(key: string): string;
  /** Refuses operations without a session; the one that begins a session needs none. */
  admit(request: IncomingMessage, operationId: string): ProblemReply | null;
  /** Refuses documents without a session: a browser that opens an address sends its cookie, but no key. */
  admitDocument(request: IncomingMessage): ProblemReply | null;
}

export const pagePath = '/ui/';

/** A page of another site cannot send it, and another port of the host does not know its value. */
const keyHeader = 'x-plumbline-page';

/** @param origin where the page is served: `http://127.0.0.1:7070`; asked for once the server listens */
export function createPageAccess(clock: Clock, origin: () => URL): PageAccess {
  const sessions = createPageSessions(clock);
  const refusal = (): ProblemReply =>
    pageSessionRequired({
      message: 'This address answers only its page. Run `plumbline compose ui`, and open the link in this browser.',
    });
  const setCookie = (value: string, maxAgeSeconds: number): string => {
    const secure = origin().protocol === 'https:' ? '; Secure' : '';
    return `${cookieName(origin())}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  };
  const cookiesOf = (request: IncomingMessage): string[] => readCookies(request, cookieName(origin()));
  return {
    createLink() {
      const { token, expiresAt } = sessions.createLink();
      return { url: `${origin().origin}${pagePath}#link=${token}`, expiresAt };
    },
    open(token) {
      const session = sessions.open(token);
      if (session === null) return null;
      return { ...session, setCookie: setCookie(session.cookie, session.maxAgeSeconds) };
    },
    end(key) {
      sessions.end(key);
      return setCookie('', 0);
    },
    admit(request, operationId) {
      if (operationId === 'startPageSession') return null;
      const key = request.headers[keyHeader];
      return typeof key === 'string' && sessions.hasWithKey(cookiesOf(request), key) ? null : refusal();
    },
    admitDocument: (request) => (sessions.has(cookiesOf(request)) ? null : refusal()),
  };
}

/** Browsers do not distinguish ports. `__Host-` keeps other names of the domain from setting it (RFC 6265bis, 4.1.3.2). */
function cookieName({ protocol, port }: URL): string {
  return protocol === 'https:' ? `__Host-plumbline-compose-${port || '443'}` : `plumbline-compose-${port || '80'}`;
}

/** All of a name: another port of the host can add one, which must not hide ours. */
function readCookies({ headers }: IncomingMessage, name: string): string[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [key, value] = pair.trim().split('=', 2);
    return key === name && value !== undefined ? [value] : [];
  });
}
