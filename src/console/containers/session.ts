import { PlumblineError, unwrap, type AnyResult, type DataOf } from '@plumbline/sdk';
import {
  createComposeClient,
  endPageSession,
  ping,
  startPageSession,
  type ComposeClient,
} from '@plumbline/sdk/compose';
import { createStore } from '../session/store.js';

/** Whether this browser has a session of the page. */
export type PageState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'in' }
  /** The server did not say whether the session is alive. */
  | { readonly kind: 'unknown'; readonly error: unknown }
  /** `message`: why a link did not work; null: there was none. */
  | { readonly kind: 'out'; readonly message: string | null };

export const pageState = createStore<PageState>({ kind: 'starting' });

/** The key of the session. Only pages of this origin can read it; without the cookie it opens nothing. */
const keyStorage = 'plumbline.page-key';

const { protocol, hostname, port } = location;
const isTls = protocol === 'https:';

/** The client of everything that the page asks. */
export const compose: ComposeClient = createComposeClient({
  address: `${isTls ? 'tls' : 'tcp'}://${hostname}:${port || (isTls ? '443' : '80')}`,
  retries: 1,
  maxRetryDelayMs: 1000,
});

/** The header that goes with every request. */
export function withKey(): { readonly headers: { readonly 'X-Plumbline-Page': string } } {
  return { headers: { 'X-Plumbline-Page': localStorage.getItem(keyStorage) ?? '' } };
}

/** The data of a success. A session that has ended is noticed here. */
export async function ask<Result extends AnyResult>(result: Promise<Result>): Promise<DataOf<Result>> {
  const reply = await result;
  if (reply.status === 401) pageState.set({ kind: 'out', message: null });
  return unwrap(reply);
}

/** All items of a list, with the same notice. */
export async function askAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  try {
    for await (const item of pages) items.push(item);
  } catch (error) {
    if (error instanceof PlumblineError && error.status === 401) pageState.set({ kind: 'out', message: null });
    throw error;
  }
  return items;
}

/** The token of the link that the browser was sent to, until the server has answered it. */
let linkToken: string | null = null;

/** Begins with the link that the browser was sent to, or with the session that it has. */
export async function startSession(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('link');
  if (token !== null) {
    linkToken = token;
    history.replaceState(null, '', location.pathname);
  }
  pageState.set({ kind: 'starting' });
  try {
    const refused = linkToken === null ? null : await openLink(linkToken);
    linkToken = null;
    const ok = localStorage.getItem(keyStorage) !== null && (await ping(compose, withKey())).ok;
    if (!ok) localStorage.removeItem(keyStorage);
    pageState.set(ok ? { kind: 'in' } : { kind: 'out', message: refused });
  } catch (error) {
    pageState.set({ kind: 'unknown', error });
  }
}

/** @returns why the link does not work; null: it does */
async function openLink(token: string): Promise<string | null> {
  const reply = await startPageSession(compose, { body: { token } });
  if (!reply.ok) return reply.problem.message;
  localStorage.setItem(keyStorage, reply.data.key);
  return null;
}

/** Ends the session, here and in the other tabs. */
export async function leave(): Promise<void> {
  const key = localStorage.getItem(keyStorage) ?? '';
  await endPageSession(compose, { headers: { 'X-Plumbline-Page': key } }).catch(() => null); // it ends with the server
  localStorage.removeItem(keyStorage);
  pageState.set({ kind: 'out', message: null });
}
