/** Requests to hosts whose requests no package repeats: what to retry, and what each refusal means. */
import { RedirectRefusedError } from '@plumbline/contract/outbound/outbound-fetch';
import { SyncError } from '../failures.js';
import { TRIES } from './gate.js';
import { isRateLimited, isUnfinished } from './gated-fetch.js';

/** How messages call a host and what is on it. */
export interface AskedHost {
  readonly name: string;
  /** What it wants if it refuses a request (403) and does not say why, as a sentence. */
  readonly needs: string;
  /** The form of its tokens, if users cannot guess it, as a sentence. */
  readonly tokenForm?: string;
  /** What the host calls a repository. */
  readonly repository: string;
}

/** Sends a request until the host replies or a retry is pointless. @param endpoint names it in messages */
export async function exchange(
  host: AskedHost,
  send: () => Promise<Response>,
  endpoint: string,
  signal: AbortSignal,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    let response: Response;
    try {
      response = await send();
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof RedirectRefusedError) {
        throw new SyncError(
          'unexpected_reply',
          `${host.name} did not answer ${endpoint}: ${reason}. If you trust it, make that the address of ${host.name}.`,
          { cause: error },
        );
      }
      if (tries < TRIES) continue;
      throw new SyncError(
        'host_unavailable',
        `${host.name} did not answer ${endpoint} after ${TRIES} tries: ${reason}`,
        {
          cause: error,
        },
      );
    }
    if (response.ok && !isUnfinished(response)) return response;
    const canChange = isUnfinished(response) || response.status >= 500 || isRateLimited(response);
    if (!canChange || tries >= TRIES) throw refusal(host, response, endpoint, await reasonIn(response));
  }
}

/** Why the host refuses, if its reply says more than the status. */
async function reasonIn(response: Response): Promise<string | null> {
  if (response.status !== 403) return null;
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null) return null;
  const messages: unknown = Reflect.get(body, 'errorMessages');
  const message: unknown = Array.isArray(messages) ? messages[0] : Reflect.get(body, 'message');
  return typeof message === 'string' && !/^403\b/.test(message) ? message.slice(0, 300) : null;
}

/** The error for a reply that is not JSON. The parser's message would quote it. */
export function notJson(host: AskedHost, endpoint: string): SyncError {
  return new SyncError('unexpected_reply', `${host.name} answered ${endpoint} with something that is not JSON.`);
}

function refusal(host: AskedHost, response: Response, endpoint: string, reason: string | null): SyncError {
  const { status } = response;
  if (isRateLimited(response)) {
    return new SyncError(
      'rate_limited',
      `${host.name} kept limiting the request rate (${endpoint}). Run the sync again later: it resumes from here.`,
    );
  }
  if (status === 401) {
    const form = host.tokenForm === undefined ? '' : ` ${host.tokenForm}`;
    return new SyncError(
      'unauthorized',
      `${host.name} refused the token (401): it is wrong, expired or revoked.${form}`,
    );
  }
  if (status === 403) {
    return new SyncError('unauthorized', `${host.name} refused ${endpoint} (403): ${reason ?? host.needs}`, { status });
  }
  if (status === 404) {
    return new SyncError(
      'not_found',
      `${host.name}: not found: ${endpoint}. A private ${host.repository} looks the same without a token that may see it.`,
      { status },
    );
  }
  if (status >= 500 || isUnfinished(response))
    return new SyncError(
      'host_unavailable',
      `${host.name} did not answer ${endpoint} after ${TRIES} tries: status ${status}`,
    );
  return new SyncError('unexpected_reply', `${host.name} answered ${endpoint} with status ${status}.`, { status });
}
