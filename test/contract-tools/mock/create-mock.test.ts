import { describe, expect, test } from 'vitest';
import { checkBody, checkHead } from '../../../src/contract-tools/gate/check-reply.js';
import { loadDocument } from '../../../src/contract-tools/load-document.js';
import { createMock, type MockAnswer } from '../../../src/contract-tools/mock/create-mock.js';
import { readPreferences } from '../../../src/contract-tools/mock/prefer.js';

const mock = createMock(loadDocument('test/contract-tools/shop.yaml'));
const chair = { id: 7, name: 'Chair', price: 20 };

describe('the usual reply', () => {
  test('is the first success with its first example and its headers', () => {
    const { status, headers, body } = ask('GET', '/items');
    expect([status, JSON.parse(body)]).toEqual([200, [chair]]);
    expect(headers.get('X-Total')).toMatch(/^-?\d+$/);
    expect(ask('POST', '/items', { body: { name: 'Chair', price: 20 } }).headers.get('Location')).toBe('/shop/items/7');
  });

  test('may be asked for below the path of the server', () => {
    expect(ask('GET', '/shop/items').status).toBe(200);
  });

  test('is in the media type that the caller prefers', () => {
    const { headers, body } = ask('GET', '/items', { headers: { accept: 'text/csv, application/json;q=0.5' } });
    expect([headers.get('Content-Type'), body]).toEqual(['text/csv', 'id,name\n7,Chair\n']);
  });

  test('has a valid value made from the schema where there is no example, always the same', () => {
    const { headers, status, body } = ask('GET', '/items/7');
    const head = { method: 'GET', url: '/items/7', status, headers };
    expect(checkHead(mock.contract, head).faults).toEqual([]);
    expect(checkBody(mock.contract, head, Buffer.from(body)).faults).toEqual([]);
    expect(JSON.parse(body)).not.toHaveProperty('secret');
    expect(ask('GET', '/items/7').body).toBe(body);
  });

  test('has no body where none is documented', () => {
    expect(ask('DELETE', '/items/7')).toMatchObject({ status: 204, body: '' });
  });
});

describe('Prefer', () => {
  test.each([
    ['code=409', 409, 'exists', 'code=409'],
    ['code=409, example="retired, sold out"', 409, 'retired', 'code=409, example="retired, sold out"'],
    ['example="retired, sold out"', 409, 'retired', 'example="retired, sold out"'],
    ['code=409, example=unknown', 409, 'exists', 'code=409'],
    ['respond-async; wait=10, Code="409"', 409, 'exists', 'code=409'],
  ])('%s chooses the reply', (prefer, status, error, applied) => {
    const reply = ask('POST', '/items', { headers: { prefer } });
    expect([reply.status, JSON.parse(reply.body)]).toEqual([status, { error }]);
    expect(reply.headers.get('Preference-Applied')).toBe(applied);
  });

  test('chooses a status of a documented class, and of default', () => {
    expect(ask('GET', '/items/7', { headers: { prefer: 'code=418' } }).status).toBe(418);
    expect(ask('DELETE', '/items/7', { headers: { prefer: 'code=507' } }).status).toBe(507);
  });

  test.each(['code=404', 'code=nonsense', 'example=unknown', 'return=minimal', '"'])('%s is ignored', (prefer) => {
    const reply = ask('GET', '/items', { headers: { prefer } });
    expect([reply.status, reply.headers.get('Preference-Applied')]).toEqual([200, null]);
  });

  test('is read as RFC 7240 writes it', () => {
    const header = 'Foo; Bar="a;b", example = "a \\"quoted\\" text" ; x=1,code=404,,code=500, empty=""';
    expect([...readPreferences(header)]).toEqual([
      ['foo', ''],
      ['example', 'a "quoted" text'],
      ['code', '404'],
      ['empty', ''],
    ]);
  });
});

describe('a request that the contract does not allow', () => {
  const body = { name: 'Chair', price: 20 };
  test.each([
    ['a parameter beyond its limit', 'GET', '/items?limit=101', {}, 400],
    ['a parameter of another type', 'GET', '/items?limit=many', {}, 400],
    ['an unknown item of a list', 'GET', '/items?colours=red,green', {}, 400],
    ['a header that breaks its pattern', 'GET', '/items', { headers: { 'x-trace': 'zz' } }, 400],
    ['a path parameter beyond its limit', 'GET', '/items/10', {}, 422],
    ['no credentials', 'POST', '/items', { body, headers: { 'x-key': '' } }, 401],
    ['a missing body', 'POST', '/items', { headers: { 'content-type': 'application/json' } }, 422],
    ['a body that is not JSON', 'POST', '/items', { text: '{' }, 422],
    ['a body that breaks its schema', 'POST', '/items', { body: { name: '', price: 20 } }, 422],
    ['an unknown property', 'POST', '/items', { body: { ...body, colour: 'red' } }, 422],
    ['another media type', 'POST', '/items', { body, headers: { 'content-type': 'text/plain' } }, 422],
  ])('gets the documented refusal: %s', (_, method, url, options, status) => {
    const reply = ask(method, url, options);
    expect([reply.status, JSON.parse(reply.body)]).toEqual([status, { error: 'refused' }]);
    expect(reply.reason).not.toBeNull();
  });

  test('gets a plain problem where the contract has no refusal', () => {
    const reply = ask('GET', '/status?level=high');
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([422, 'application/problem+json']);
    expect(JSON.parse(reply.body)).toMatchObject({
      status: 422,
      title: 'the query parameter level is not as documented',
    });
    expect(ask('GET', '/status').reason).toBe('the query parameter level is missing');
  });

  test('is 404 on an unknown path, and 405 with Allow for an unknown method', () => {
    expect(ask('GET', '/nothing').status).toBe(404);
    const refused = ask('PATCH', '/items');
    expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, POST, HEAD']);
  });

  test.each([
    ['every documented parameter', 'GET', '/items?limit=100&colours=red,blue', { headers: { 'x-trace': '0123abcd' } }],
    ['no property that is only read', 'POST', '/items', { body }],
    ['an undocumented parameter', 'GET', '/items?page=2', {}],
  ])('is not one with %s', (_, method, url, options) => {
    expect(ask(method, url, options).reason).toBeNull();
  });
});

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
}

/** Sends a request with credentials to the mock. */
function ask(method: string, url: string, { headers = {}, body, text }: Asked = {}): MockAnswer {
  const sent = text ?? (body === undefined ? '' : JSON.stringify(body));
  const json = sent === '' ? {} : { 'content-type': 'application/json' };
  const all = { ...json, 'x-key': 'k', ...headers };
  const credentials = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return mock.answer({ method, url, headers: credentials, body: Buffer.from(sent) });
}
