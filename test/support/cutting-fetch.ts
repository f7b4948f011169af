import type { Fetch } from '../../sdk/src/transport.js';

/**
 * A `fetch` that cuts each event stream after its first event.
 *
 * @param opened takes the `Last-Event-ID` of each stream; null: it had none
 */
export function cuttingFetch(send: Fetch, opened: (string | null)[]): Fetch {
  return async (url, init) => {
    const response = await send(url, init);
    const { status, headers } = response;
    const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!isEvents || response.body === null) return response;
    opened.push(new Headers(init.headers).get('last-event-id'));
    return new Response(firstEventOf(response.body), { status, headers });
  };
}

function firstEventOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isCut = false;
  return new ReadableStream({
    pull: async (controller) => {
      if (isCut) {
        await reader.cancel();
        controller.error(new TypeError('the connection is lost'));
        return;
      }
      let received = Buffer.alloc(0);
      for (let end = -1; end === -1; end = received.indexOf('\n\n')) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        received = Buffer.concat([received, value]);
      }
      isCut = true;
      controller.enqueue(received.subarray(0, received.indexOf('\n\n') + 2));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
