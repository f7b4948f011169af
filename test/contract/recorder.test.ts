import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchangesOfHar } from '../support/recorder-har.js';
import { readObservations } from '../../src/contract-tools/gate/observations.js';
import { ContractViolation, observationsFolder } from '../support/recorder.js';
import { createNotesRepository, type NotesReply, type NotesRepository } from './notes-server.js';

let notes: NotesRepository;
beforeEach(async () => {
  notes = await createNotesRepository();
});
afterEach(() => notes.close());

const request = (path: string, init?: RequestInit): Promise<Response> => notes.recorder.fetch(notes.url + path, init);
const seen = (): readonly (readonly string[])[] =>
  readObservations(join(notes.root, observationsFolder), 'notes').units;
const faults = (): readonly string[] => readObservations(join(notes.root, observationsFolder), 'notes').faults;
/** Makes every reply differ from the right one. */
const plant = (change: (right: NotesReply) => Partial<NotesReply>): void => {
  notes.plant((_method, _path, right) => ({ ...right, ...change(right) }));
};

describe('a documented reply', () => {
  test('is passed on unchanged and noted with its headers', async () => {
    const response = await request('/notes/1?tag=x');
    expect(await response.json()).toEqual({ text: 'Buy milk' });
    expect(seen()).toEqual([
      ['readNote', '200', 'header X-Request-Id'],
      ['readNote', '200', 'header Cache-Control'],
      ['readNote', '200', 'application/json'],
    ]);
  });

  test('is noted by the type of its problem', async () => {
    await request('/notes/2', { method: 'DELETE' });
    expect(seen()).toContainEqual(['deleteNote', '429', 'application/problem+json', '/problems/rate-limited']);
    expect(seen()).not.toContainEqual(['deleteNote', '429', 'application/problem+json', '/problems/notes-locked']);
  });

  test('is noted once, even if it is seen several times', async () => {
    await request('/notes/1', { method: 'DELETE' });
    await request('/notes/1', { method: 'DELETE' });
    expect(seen()).toHaveLength(2);
  });

  test('includes replies to requests that match no operation', async () => {
    await request('/elsewhere');
    await request('/notes/1', { method: 'PUT' });
    const label = 'requests that match no operation';
    expect(seen()).toContainEqual([label, '404', 'application/problem+json', '/problems/route-not-found']);
    expect(seen()).toContainEqual([label, '405', 'application/problem+json', '/problems/method-not-allowed']);
    expect(seen()).toContainEqual([label, '405', 'header Allow']);
  });

  test('to HEAD is checked like one to GET, but proves no unit', async () => {
    await request('/notes/1', { method: 'HEAD' });
    expect(seen()).toEqual([]);
    plant(() => ({ headers: { 'X-Request-Id': 'r-1' } }));
    await expect(request('/notes/1', { method: 'HEAD' })).rejects.toThrow('the header Cache-Control is missing');
  });

  test('is also noted for exchanges of other clients', () => {
    const headers = { 'X-Request-Id': 'r-1' };
    notes.recorder.record({ method: 'delete', url: '/notes/1', status: 204, headers, body: '' });
    expect(seen()).toContainEqual(['deleteNote', '204', 'no body']);
  });

  test('is noted for the entries of an HTTP archive', () => {
    const headers = [
      { name: 'X-Request-Id', value: 'r-1' },
      { name: 'Cache-Control', value: 'no-store' },
      { name: 'Content-Type', value: 'application/json' },
    ];
    const content = { text: Buffer.from('{"text":"x"}').toString('base64'), encoding: 'base64' };
    const entry = { request: { method: 'GET', url: 'http://h/notes/1' }, response: { status: 200, headers, content } };
    for (const exchange of exchangesOfHar({ log: { entries: [entry] } })) notes.recorder.record(exchange);
    expect(seen()).toContainEqual(['readNote', '200', 'application/json']);
  });

  test('is matched with its request in an HTTP archive', () => {
    const headers = [{ name: 'X-Persisted-Query-Id', value: 'team-values' }];
    const url = 'http://h/graphql';
    const response = { status: 200, headers: [], content: {} };
    const entries = [
      { request: { method: 'POST', url, headers, postData: { text: '{"variables":{}}' } }, response },
      { request: { method: 'GET', url, headers: [] }, response },
    ];
    const asked = exchangesOfHar({ log: { entries } }).map(({ requestHeaders, requestBody }) => [
      requestHeaders.get('x-persisted-query-id'),
      requestBody,
    ]);
    expect(asked).toEqual([
      ['team-values', '{"variables":{}}'],
      [null, null],
    ]);
  });
});

describe('an undocumented reply fails the test at once, and also the gate', () => {
  const json = { 'X-Request-Id': 'r-1', 'Cache-Control': 'no-store', 'Content-Type': 'application/json' };
  const withoutCacheControl = { 'X-Request-Id': 'r-1', 'Content-Type': 'application/json' };
  const problem = {
    type: '/problems/note-not-found',
    title: 'Note not found',
    status: 404,
    message: 'm',
    request_id: 'r-1',
  };
  const wrong: [name: string, path: string, method: string, reply: Partial<NotesReply>, says: string][] = [
    ['a status', '/notes/1', 'GET', { status: 418 }, 'readNote has no status 418'],
    [
      'a media type',
      '/notes/1',
      'GET',
      { headers: { ...json, 'Content-Type': 'text/html' } },
      'the media type text/html',
    ],
    [
      'no media type',
      '/notes/1',
      'GET',
      { headers: { 'X-Request-Id': 'r-1', 'Cache-Control': 'x' } },
      'no Content-Type',
    ],
    ['a missing header', '/notes/1', 'GET', { headers: withoutCacheControl }, 'the header Cache-Control is missing'],
    [
      'a header that breaks its schema',
      '/notes/2',
      'DELETE',
      { headers: { ...json, 'Retry-After': 'soon' } },
      'the header Retry-After is not',
    ],
    ['an extra property', '/notes/1', 'GET', { body: '{"text":"a","secret":1}' }, 'additional properties (secret)'],
    ['a missing property', '/notes/1', 'GET', { body: '{}' }, "must have required property 'text'"],
    ['a body that is not JSON', '/notes/1', 'GET', { body: 'Oops' }, 'the body is not JSON'],
    ['no body', '/notes/1', 'GET', { body: '' }, 'the body is not JSON'],
    [
      'an unknown problem',
      '/notes/7',
      'GET',
      { body: JSON.stringify({ ...problem, type: '/problems/other' }) },
      'the problem /problems/other is not documented here',
    ],
    [
      'a problem of another operation',
      '/notes/7',
      'GET',
      { body: JSON.stringify({ ...problem, type: '/problems/rate-limited' }) },
      'not documented here',
    ],
    [
      'a problem with another status',
      '/notes/7',
      'GET',
      { body: JSON.stringify({ ...problem, status: 400 }) },
      'its status is 400',
    ],
    [
      'a problem with another request id',
      '/notes/7',
      'GET',
      { body: JSON.stringify({ ...problem, request_id: 'r-2' }) },
      'request_id differs',
    ],
    ['a page where no operation is', '/elsewhere', 'GET', { status: 200, headers: json }, 'has no status 200'],
    ['a 404 where the path has operations', '/notes/1', 'PUT', { status: 404 }, 'has no status 404'],
    [
      'methods in Allow that there are not',
      '/notes/1',
      'PUT',
      { headers: { ...json, 'Content-Type': 'application/problem+json', Allow: 'GET, PATCH' } },
      'Allow is GET, PATCH',
    ],
  ];

  test.each(wrong)('%s', async (_name, path, method, reply, says) => {
    plant(() => reply);
    const failure: unknown = await request(path, { method }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ContractViolation);
    expect(String(failure)).toContain(says);
    expect(faults()).toEqual([expect.stringContaining(says)]);
  });

  test('a body where there must be none', () => {
    const exchange = { method: 'DELETE', url: '/notes/1', status: 204, headers: { 'X-Request-Id': 'r' }, body: 'x' };
    expect(() => {
      notes.recorder.record(exchange);
    }).toThrow('there must be no body');
  });

  test('a body that is not UTF-8', () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    expect(() => {
      notes.recorder.record({ method: 'GET', url: '/notes/1', status: 200, headers: json, body });
    }).toThrow('not UTF-8');
  });

  test('a line of a stream', async () => {
    plant(() => ({ body: '{"text":"a"}\n{"text":1}\n' }));
    const response = await request('/notes');
    await expect(response.text()).rejects.toThrow('a line: the body is not as documented: /text must be string');
    expect(faults()).toHaveLength(1);
  });

  test('a stream that ends within a line', async () => {
    plant(() => ({ body: '{"text":"a"}\n{"te' }));
    const response = await request('/notes');
    await expect(response.text()).rejects.toThrow('a line: it is not JSON');
  });

  test('a fault does not contain values', async () => {
    plant(() => ({ body: '{"text":["tok-123"]}' }));
    await expect(request('/notes/1')).rejects.toThrow(/^GET \/notes\/\{\w+\}: readNote 200: (?!.*tok-123)/);
  });
});
