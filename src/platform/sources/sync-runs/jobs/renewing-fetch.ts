import type { OutboundFetch, OutboundRequest } from '@plumbline/contract/outbound/outbound-fetch';
import { renewBeforeMs } from '../../app-installations/installation-tokens.js';
import type { JobReport, JobToken, SyncJob } from './sync-job.js';

/**
 * Sends the requests of a job with a token that is still good. A run may take longer than the token of an installation
 * lives, and only the server has the key that creates the next one.
 *
 * The sync engine keeps the token that the job began with; it is replaced in each request that carries it. A refused
 * token is replaced once per request.
 *
 * @param fetch sends requests
 * @param credential null: the provider needs none
 * @param freshToken asks the server
 * @param now the time in milliseconds since 1970
 */
export function renewingFetch(
  fetch: OutboundFetch,
  credential: SyncJob['credential'],
  freshToken: JobReport['freshToken'],
  now: () => number,
): OutboundFetch {
  if (credential?.expiresAt == null) return fetch;
  const first = credential.token;
  let current = { token: first, expiresAt: credential.expiresAt };
  let renewal: Promise<JobToken> | null = null;

  /** Requests at once share one renewal. */
  const renewed = async (used: string): Promise<JobToken> => {
    if (current.token !== used) return current;
    renewal ??= freshToken(used).finally(() => (renewal = null));
    const answer = await renewal;
    if ('token' in answer) current = answer;
    return answer;
  };

  return async (url, request) => {
    const authorization = request.headers?.['authorization'];
    if (authorization?.includes(first) !== true) return fetch(url, request);
    const send = (token: string): Promise<Response> =>
      fetch(url, withToken(request, authorization.replace(first, token)));
    const used = current.token;
    if (current.expiresAt - now() > renewBeforeMs) {
      const response = await send(used);
      if (response.status !== 401) return response;
    }
    const answer = await renewed(used);
    return 'token' in answer ? send(answer.token) : refusalOf(answer);
  };
}

function withToken(request: OutboundRequest, authorization: string): OutboundRequest {
  return { ...request, headers: { ...request.headers, authorization } };
}

/** What the host would answer: a request that can be tried again, or one that is refused for a reason. */
function refusalOf({ failure, isPassing }: Extract<JobToken, { readonly failure: string }>): Response {
  return Response.json({ message: failure }, { status: isPassing ? 503 : 403 });
}
