import { mediaTypeOf, streamMediaTypes } from '../gate/check-reply.js';
import type { PlannedRequest } from './draft.js';

/** A reply, or why there is none. */
export type Outcome =
  | { readonly status: number; readonly headers: Headers; readonly body: Uint8Array | null }
  | { readonly status: null; readonly isLate: boolean; readonly reason: string };

/** The longest a reply may take, in milliseconds. */
const patience = 10_000;

/** Sends requests to a server. */
export interface Sender {
  /** The address of a request. */
  urlOf(request: PlannedRequest): string;
  /** The headers of a request, with the caller's. */
  headersOf(request: PlannedRequest): Readonly<Record<string, string>>;
  send(request: PlannedRequest): Promise<Outcome>;
}

/**
 * @param server absolute URL; its path is put before the path of each request
 * @param headers sent with each request; where it lacks credentials, without those in `credentialHeaders`
 * @param credentialHeaders in lower case
 */
export function createSender(
  server: URL,
  headers: Readonly<Record<string, string>>,
  credentialHeaders: ReadonlySet<string>,
): Sender {
  const base = server.href.replace(/[/?#]*$/, '');
  const urlOf = ({ path }: PlannedRequest): string => base + path;
  const headersOf = (request: PlannedRequest): Record<string, string> => ({
    ...Object.fromEntries(
      Object.entries(headers).filter(([name]) => request.withCredentials || !credentialHeaders.has(name.toLowerCase())),
    ),
    ...request.headers,
  });
  return {
    urlOf,
    headersOf,
    send: async (request) => {
      const attempt = (): Promise<Outcome> => sendOnce(urlOf(request), headersOf(request), request);
      const first = await attempt();
      // A kept connection may have been closed by the server at the same moment.
      return first.status === null && !first.isLate ? attempt() : first;
    },
  };
}

async function sendOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  { method, body }: PlannedRequest,
): Promise<Outcome> {
  try {
    const reply = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
      // fetch refuses a body with GET and HEAD.
      ...(body === null || ['GET', 'HEAD'].includes(method) ? {} : { body }),
    });
    return { status: reply.status, headers: reply.headers, body: await bodyOf(reply) };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return { status: null, isLate, reason: isLate ? `none within ${patience / 1000} s` : reasonOf(error) };
  }
}

/** The body; null for a stream, which may never end. */
async function bodyOf(reply: Response): Promise<Uint8Array | null> {
  if (!streamMediaTypes.includes(mediaTypeOf(reply.headers) ?? '')) {
    return new Uint8Array(await reply.arrayBuffer());
  }
  await reply.body?.cancel();
  return null;
}

/** `fetch` reports "fetch failed" and the reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
