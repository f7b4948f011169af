import { afterEach, describe, expect, test } from 'vitest';
import { serviceUnavailable, validationFailed } from '../../generated/problems.js';
import type { AnyHandler } from '../../src/contract/pipeline.js';
import { isSampled, type ReplyValidation } from '../../src/contract/reply-check.js';
import { record } from '../../src/contract-tools/documents.js';
import { addTool, countingLimiter, startWorkshop, type Workshop, type WorkshopOptions } from './workshop.js';

let workshop: Workshop;
const start = async (options?: WorkshopOptions): Promise<void> => {
  workshop = await startWorkshop(options);
};
afterEach(() => workshop.close());

/** Reads tool 1 with a handler that does `answer`. */
const read = async (answer: AnyHandler, options?: WorkshopOptions): Promise<Response> => {
  await start({ ...options, handlers: { readTool: answer } });
  return workshop.fetch('/tools/1', { headers: { 'X-Request-Id': 'r-1' } });
};
const saw = { id: 1, name: 'Saw', note: null, parts: [] };
async function* wrongVisits(): AsyncGenerator<object> {
  yield await Promise.resolve({ visitor: 1 });
}
const notFound = {
  status: 404,
  contentType: 'application/problem+json',
  body: { type: '/problems/note-not-found', title: 'Note not found', status: 404, message: 'There is no tool 7.' },
};

describe('unexpected failures', () => {
  const failure = new Error('password=hunter2 at db.internal');

  test('are 500 without any detail', async () => {
    const response = await read(() => Promise.reject(failure));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/hunter2|db\.internal|Error|at /);
  });

  test('are logged once, with the cause, the operation and the request id', async () => {
    await read(() => {
      throw failure;
    });
    expect(workshop.log).toEqual([
      {
        level: 'error',
        message: 'unexpected failure',
        fields: { err: failure, operation: 'readTool', request_id: 'r-1' },
      },
    ]);
  });

  test('include headers that cannot be sent', async () => {
    await start({ handlers: { addTool: () => ({ status: 201, headers: { Location: '/tools/\n2' }, body: saw }) } });
    const response = await workshop.fetch('/tools', addTool({ name: 'Saw' }));
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(workshop.log).toHaveLength(1);
  });

  test('whatever is thrown', async () => {
    expect((await read(() => Promise.reject(undefined as unknown as Error))).status).toBe(500);
  });

  test('are the documented problem if the service recognizes them, for example a lost database', async () => {
    await start({
      handlers: { listTools: () => Promise.reject(failure) },
      problemOf: (error) =>
        error === failure ? serviceUnavailable({ message: 'Try again.', retry_after_seconds: 5 }) : null,
    });
    const response = await workshop.fetch('/tools');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(workshop.log.map(({ level }) => level)).toEqual(['warn']);
  });

  test('in a security handler or the rate limiter have the same reply', async () => {
    await start({ rateLimiter: { ...countingLimiter({}), consume: () => Promise.reject(failure) } });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect((await workshop.fetch('/tools', init)).status).toBe(500);
  });
});

describe('undocumented replies are 500, and the log has the reason', () => {
  const wrong: [name: string, answer: AnyHandler, says: string][] = [
    ['a status', () => ({ status: 202, body: saw }), 'the contract does not document this status'],
    ['a problem', () => ({ ...notFound, body: { ...notFound.body, type: '/problems/other' } }), 'the problem other is not documented'],
    ['an error that is not a problem', () => ({ status: 404, body: saw }), 'an error must be a problem'],
    ['a problem where success is documented', () => ({ ...notFound, status: 200 }), 'the contract documents no problem for this status'],
    ['a header', () => ({ status: 200, body: saw, headers: { 'X-Secret': '1' } }), 'the header X-Secret is not documented'],
    ['a header that only the pipeline sets', () => ({ status: 200, body: saw, headers: { 'X-Request-Id': 'r-2' } }), 'the header X-Request-Id is not documented'],
    ['a header of a problem', () => ({ ...notFound, headers: { 'X-Secret': '1' } }), 'the headers of a problem follow from its type'],
    ['a member of a problem', () => ({ ...notFound, body: { ...notFound.body, secret: 1 } }), 'must NOT have additional properties'],
    ['a property', () => ({ status: 200, body: { ...saw, secret: 1 } }), 'must NOT have additional properties'],
    ['no property', () => ({ status: 200, body: { id: 1 } }), "must have required property 'name'"],
    ['another type', () => ({ status: 200, body: { ...saw, id: 'hunter2' } }), '/id must be integer'],
    ['a problem without its members', () => ({ ...notFound, body: { type: '/problems/note-not-found' } }), "must have required property 'title'"],
  ]; // prettier-ignore

  test.each(wrong)('%s', async (_name, answer, says) => {
    const response = await read(answer);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ type: '/problems/internal-error', request_id: 'r-1' });
    expect(workshop.log).toHaveLength(1);
    expect(String(workshop.log[0]?.fields['err'])).toContain(says);
    expect(String(workshop.log[0]?.fields['err'])).not.toContain('hunter2');
  });
});

describe('validation of replies', () => {
  const wrongType: AnyHandler = () => ({ status: 200, body: { ...saw, note: 'x', parts: [], id: 1.5 } });
  const statuses = async (mode: ReplyValidation, count: number): Promise<Set<number>> => {
    await start({ replyValidation: mode, handlers: { readTool: wrongType } });
    const replies = Array.from({ length: count }, () => workshop.fetchUnchecked('/tools/1'));
    return new Set((await Promise.all(replies)).map(({ status }) => status));
  };

  test('always: every reply', async () => {
    expect(await statuses('always', 20)).toEqual(new Set([500]));
  });

  test('off: no reply', async () => {
    expect(await statuses('off', 20)).toEqual(new Set([200]));
  });

  test('sampled: some replies', () => {
    // One in a hundred: that 5,000 hold none, or nothing but, has a chance below 1e-21.
    const sampled = Array.from({ length: 5000 }, isSampled);
    expect(new Set(sampled)).toEqual(new Set([true, false]));
  });

  const wrongOnes: readonly [what: string, operationId: string, answer: AnyHandler, send: () => Promise<Response>][] = [
    ['a wrong body', 'readTool', wrongType, () => workshop.fetchUnchecked('/tools/1')],
    [
      'a missing required header',
      'addTool',
      () => ({ status: 201, body: saw }),
      () => workshop.fetchUnchecked('/tools', addTool({ name: 'Saw' })),
    ],
    [
      'a wrong item of a stream',
      'watchVisits',
      () => ({ status: 200, body: wrongVisits() }),
      () => workshop.fetchUnchecked('/visits'),
    ],
  ];

  test.each(wrongOnes)('sampled: %s is sent, logged and counted', async (_what, operationId, answer, send) => {
    const mismatches: string[] = [];
    await start({
      replyValidation: 'sampled',
      handlers: { [operationId]: answer },
      mismatched: (name) => mismatches.push(name),
    });
    const complete = async (): Promise<number> => {
      const response = await send();
      await response.text(); // rejects where a stream is cut off
      return response.status;
    };
    // That 2,000 replies hold no sample has a chance of 2e-9.
    for (let sent = 0; sent < 2000 && mismatches.length === 0; sent += 100) {
      const statuses = await Promise.all(Array.from({ length: 100 }, complete));
      expect(new Set(statuses)).toEqual(new Set([operationId === 'addTool' ? 201 : 200]));
    }
    expect(new Set(mismatches)).toEqual(new Set([operationId]));
    expect(workshop.log.map(({ message }) => message)).toContain('a reply violates the contract');
  });

  test('always: a required header that is missing is a 500', async () => {
    await start({ handlers: { addTool: () => ({ status: 201, body: saw }) } });
    const response = await workshop.fetchUnchecked('/tools', addTool({ name: 'Saw' }));
    expect(response.status).toBe(500);
    expect(String(workshop.log[0]?.fields['err'])).toContain('the header Location is missing');
  });

  test('Without it, an undocumented property is not sent either', async () => {
    const response = await read(() => ({ status: 200, body: { ...saw, password_hash: 'hunter2' } }), {
      replyValidation: 'off',
    });
    expect(await response.json()).toEqual(saw);
  });

  test('Without it, an undocumented status or problem is not sent either', async () => {
    const response = await read(() => ({ status: 418, body: saw }), { replyValidation: 'off' });
    expect(response.status).toBe(500);
  });

  test.each(['sampled', 'off'] as const)('With %s, undocumented members of a problem are not sent', async (mode) => {
    const violation = { path: '/body/name', rule: 'maxLength', message: 'too long', secret: 'hunter2' };
    const { body, ...problem } = validationFailed({ message: 'Change it.', violations: [violation] });
    const response = await read(() => ({ ...problem, body: { ...body, secret: 'hunter2' } }), {
      replyValidation: mode,
    });
    const { secret: _secret, ...documented } = violation;
    expect(await response.json()).toEqual({ ...body, violations: [documented], request_id: 'r-1' });
  });

  test('Without it, a value that cannot be serialized is 500 as well', async () => {
    const unwritable = { ...saw, get name(): string { throw new Error('no name'); } }; // prettier-ignore
    const response = await read(() => ({ status: 200, body: unwritable }), { replyValidation: 'off' });
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('documented replies', () => {
  test('A problem has the members in order, and its request id', async () => {
    const response = await read(() => notFound);
    expect(Object.keys(record(await response.json()))).toEqual(['type', 'title', 'status', 'message', 'request_id']);
  });

  test('The cause of a refusal is logged, and not sent', async () => {
    const response = await read(() => ({ ...notFound, cause: new Error('hunter2') }));
    expect(await response.text()).not.toContain('hunter2');
    expect(workshop.log).toEqual([
      { level: 'info', message: 'refused', fields: { request_id: 'r-1', err: new Error('hunter2') } },
    ]);
  });

  test('A reply without a body has no Content-Length', async () => {
    await start();
    const init = { method: 'DELETE', headers: { Authorization: 'Bearer kim' } };
    const response = await workshop.fetch('/tools/1', init);
    expect(response.status).toBe(204);
    expect(response.headers.has('content-type')).toBe(false);
    expect(response.headers.has('content-length')).toBe(false);
  });

  test('Plain text is sent unchanged, in UTF-8', async () => {
    await start();
    const init = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"text":"Grüße \\"x\\""}' };
    const response = await workshop.fetch('/note', init);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('Grüße "x"');
  });

  test('Any text is unchanged by JSON', async () => {
    const name = 'Gr\u00fc\u00dfe \u{1f527} "\\\n\u2028\u0007';
    expect(await (await read(() => ({ status: 200, body: { ...saw, name } }))).json()).toEqual({ ...saw, name });
  });
});

test('Each served request is reported once, with the path of the contract', async () => {
  await start();
  await workshop.fetch('/tools/1?token=hunter2');
  await workshop.fetch('/nowhere/hunter2');
  expect(workshop.served).toEqual([
    expect.objectContaining({ operationId: 'readTool', method: 'GET', path: '/tools/{tool_id}', status: 200 }),
    expect.objectContaining({ operationId: null, method: 'GET', path: '(unmatched)', status: 404 }),
  ]);
});
