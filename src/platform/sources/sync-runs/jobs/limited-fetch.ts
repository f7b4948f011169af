import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';

/** A run has reached a limit set by the operator. The message is for users. */
export class RunLimitError extends Error {
  override readonly name = 'RunLimitError';
}

/**
 * Limits the requests of one attempt of a sync run. A code host determines the number of pages, so without a limit a
 * hostile host could keep a worker busy forever.
 *
 * @param signal the abort signal of the attempt
 * @returns the limited function, and a signal that aborts with `signal`, and with a RunLimitError at the first request
 *   after `most`
 */
export function limitedFetch(
  fetch: OutboundFetch,
  most: number,
  signal: AbortSignal,
): { readonly fetch: OutboundFetch; readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  let sent = 0;
  return {
    signal: controller.signal,
    fetch: async (url, request) => {
      sent += 1;
      if (sent > most) controller.abort(new RunLimitError(textOf(most)));
      controller.signal.throwIfAborted();
      return fetch(url, request);
    },
  };
}

function textOf(most: number): string {
  return `The run was ended after ${most} requests to the code host. The data read so far is kept, and the next run resumes from there.`;
}
