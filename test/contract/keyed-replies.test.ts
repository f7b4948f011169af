import { expect, onTestFinished, test } from 'vitest';
import type { AnyReply } from '../../src/contract/reply-check.js';
import { addTool, startWorkshop } from './workshop.js';

const keyed = addTool({ name: 'Saw' }, { 'Idempotency-Key': 'a' });

const created = { status: 201, headers: { Location: '/tools/2' }, body: { id: 2, name: 'Saw', note: null, parts: [] } };

test.each<[string, AnyReply, number, number]>([
  ['is stored if it is documented', created, 201, 1],
  ['is not stored if its status is not documented', { status: 202, body: {} }, 500, 0],
  [
    'is not stored if a header is not documented',
    { ...created, headers: { ...created.headers, 'X-Other': 'a' } },
    500,
    0,
  ],
  ['is not stored if a required header is missing', { status: 201, body: created.body }, 500, 0],
])('The reply of a request with a key %s', async (_what, reply, status, count) => {
  const stored: AnyReply[] = [];
  const workshop = await startWorkshop({
    handlers: { addTool: () => reply },
    // The reply is stored once `handle` has returned, in the transaction of its effects.
    idempotency: {
      once: async (_request, handle) => {
        const handled = await handle({});
        stored.push(handled);
        return { reply: handled, isReplayed: false };
      },
    },
  });
  onTestFinished(() => workshop.close());
  expect((await workshop.fetchUnchecked('/tools', keyed)).status).toBe(status);
  expect(stored).toHaveLength(count);
});
