import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { checkBody, checkHead } from '../../../src/contract-tools/gate/check-reply.js';
import { readDocument } from '../../../src/contract-tools/gate/contract.js';
import { matchOperation } from '../../../src/contract-tools/gate/match-operation.js';
import { collectObservations } from '../../../src/contract-tools/gate/observations.js';
import { createRecorder } from '../../../src/contract-tools/gate/recorder.js';
import { unitsOf } from '../../../src/contract-tools/gate/surface.js';
import { allowedDrafts } from '../../../src/contract-tools/fuzz/allowed.js';
import { planRequest, type PlannedRequest } from '../../../src/contract-tools/fuzz/draft.js';
import { spoilers } from '../../../src/contract-tools/fuzz/forbidden.js';
import { subjectsOf, type Subject } from '../../../src/contract-tools/fuzz/subject.js';
import { loadDocument } from '../../../src/contract-tools/load-document.js';
import { createMock, type MockAnswer } from '../../../src/contract-tools/mock/create-mock.js';
import { openSchemas } from '../../../src/contract-tools/schemas.js';

const document = loadDocument('test/contract-tools/unusual/unusual.yaml');
const mock = createMock(document);
const subjects = subjectsOf(mock.contract, openSchemas(document, 'requests'), new Map());
const folder = mkdtempSync(join(tmpdir(), 'unusual-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the gate', () => {
  test('has a unit for each documented reply and no other', () => {
    expect(unitsOf(mock.contract).map((unit) => unit.join(' > '))).toEqual([
      'getCafe > 200 > application/json',
      'getCafe > 4XX > application/problem+json > /problems/refused',
      'getStyles > default > no body',
      'getFilter > 204 > no body',
      'addPet > 2XX > application/json',
      'addPet > default > application/problem+json > /problems/refused',
      'closePet > 202 > no body',
      'changePet > 200 > no body',
      'getPet > 200 > application/json',
      'getLines > 200 > application/jsonl',
    ]);
  });

  test('reads a cyclic schema through files, with patterns that need no Unicode', () => {
    const tree = (value: unknown): readonly string[] => faultsOf('GET', '/café/a', 200, 'application/json', value);
    expect(tree({ label: '@a_b', example: { size: 1, tree: { label: '@c' } }, children: [{ label: '@d' }] })).toEqual(
      [],
    );
    expect(tree({ label: 'a' }).join()).toContain('/label must match pattern');
    expect(tree({ label: '@a', example: {} }).join()).toContain("/example must have required property 'size'");
    expect(tree({ label: '@a', children: [{}] }).join()).toContain("/children/0 must have required property 'label'");
  });

  test('demands of a problem only the members that its schema demands', () => {
    const problem = (value: unknown): readonly string[] =>
      faultsOf('GET', '/café/a', 418, 'application/problem+json', value);
    expect(problem({ type: '/problems/refused' })).toEqual([]);
    expect(problem({ type: '/problems/refused', request_id: 'r' })).toEqual([]);
    expect(problem({ type: '/problems/refused', status: 404 }).join()).toContain('its status is 404');
    expect(problem({ type: '/problems/other' }).join()).toContain('is not documented here');
  });

  test('prefers the path with more text beside a parameter', () => {
    const operationAt = (path: string): string | undefined => matchOperation(mock.contract, 'POST', path).operation?.id;
    expect(operationAt('/pets/7:close')).toBe('closePet');
    expect(operationAt('/pets/7')).toBe('changePet');
  });

  test('accepts a stream of lines whose last line does not end', () => {
    const { record } = createRecorder(mock.contract, collectObservations());
    const stream = (body: string) => (): void => {
      record({ method: 'GET', url: '/lines', status: 200, headers: { 'content-type': 'application/jsonl' }, body });
    };
    expect(stream('{"n":1}\n{"n":2}')).not.toThrow();
    expect(stream('{"n":1}\n{"n":')).toThrow('a line: it is not JSON');
  });
});

describe.each(subjects.map((subject) => [subject.operation.id, subject] as const))(
  'the fuzzer for %s',
  (_, subject) => {
    test('makes requests that the mock server accepts, with replies as documented', () => {
      const requests = sample(subject, allowed(subject), 40);
      expect(requests.length).toBeGreaterThan(15);
      for (const request of requests) {
        const { reason, status, headers, body } = ask(request);
        expect(reason, request.path).toBe(null);
        const head = { method: request.method, url: request.path, status, headers };
        expect(checkHead(mock.contract, head).faults).toEqual([]);
        expect(checkBody(mock.contract, head, Buffer.from(body)).faults).toEqual([]);
      }
    });

    test('makes requests that the mock server refuses', () => {
      for (const spoil of spoilers(subject)) {
        const forbidden = fc.tuple(allowedDrafts(subject), spoil).map(([draft, change]) => {
          const spoiled = draft === null ? null : change(draft);
          return spoiled === null ? null : planRequest(subject, spoiled.draft, spoiled.violation);
        });
        for (const request of sample(subject, forbidden, 10)) {
          expect(ask(request).reason, `${request.violation?.text ?? ''}: ${request.path}`).not.toBe(null);
        }
      }
    });
  },
);

describe('parameters', () => {
  const filter = '/filter?filter[name]=7&filter[age]=7';
  test.each([
    ['a text that looks like a number beside a number', `${filter}&limit=1`, null],
    ['an object of several schemas, a property each', `${filter}&sort=a`, 'the query parameter page'],
    ['free properties beside the other parameters', `${filter}&limit=1&commas=1,2&colour=red`, null],
    ['a wrong free property', `${filter}&limit=1&colour=yellow`, 'the query parameter free'],
    ['a number and a text in one list', `${filter}&limit=1&many=1&many=a`, null],
    ['lists with other separators', `${filter}&limit=1&pipes=a%7Cb&spaces=1%202`, null],
    ['the style label, as OpenAPI 3.1.1 writes lists', '/styles/.1,2/.r=1/;marks=a,b', null],
    ['the style label, as OpenAPI 3.0 writes lists', '/styles/.1.2/.r=1/;marks=a,b', null],
    ['a wrong item in the style label', '/styles/.1,x/.r=1/;marks=a,b', 'the path parameter ids'],
    ['a path with letters beyond ASCII', '/caf%C3%A9/a_b', null],
  ])('%s', (_, url, refused) => {
    const { reason } = mock.answer({ method: 'GET', url, headers: {}, body: new Uint8Array() });
    if (refused === null) expect(reason).toBe(null);
    else expect(reason).toContain(refused);
  });

  test('separators of a path reach the server as they are', () => {
    const styles = subjects.find(({ operation }) => operation.id === 'getStyles');
    const paths = styles === undefined ? [] : sample(styles, allowed(styles), 20).map(({ path }) => path);
    for (const path of paths) expect(path).toMatch(/^\/styles\/\.-?\d+(,-?\d+)*\/\.r=-?\d+\/;marks=[a-z]+(,[a-z]+)*$/);
    expect(paths.some((path) => path.includes(','))).toBe(true);
  });
});

describe('a document that cannot be used is refused before the first request', () => {
  const ofSchema = (schema: unknown, schemas: object = {}): object => ({
    openapi: '3.1.0',
    paths: { '/a': { get: { responses: { '200': { content: { 'application/json': { schema } } } } } } },
    components: { schemas },
  });
  test.each([
    [
      'a reference to nothing',
      ofSchema({ items: { $ref: '#/components/schemas/No' } }),
      /unusual-.*schemas\/No points to nothing/,
    ],
    [
      'references in a cycle',
      ofSchema(
        { $ref: '#/components/schemas/A' },
        { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } },
      ),
      /leads to itself/,
    ],
    ['a reference to an anchor', ofSchema({ $ref: '#a' }), /#a is not a path, such as #\/components/],
    ['a type that does not exist', ofSchema({ type: 'strin' }), /^The schema at #\/paths.* is invalid: type must be/],
    [
      'the same behind a reference',
      ofSchema({ items: { $ref: '#/components/schemas/A' } }, { A: { type: 'object', required: true } }),
      /^The schema at #\/components\/schemas\/A is invalid: required/,
    ],
  ])('%s', (name, content, message) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(content));
    expect(() => readDocument('api', loadDocument(path))).toThrow(message);
  });

  test('a description without a text does not count as a reason', () => {
    const path = join(folder, 'described.json');
    writeFileSync(path, JSON.stringify(ofSchema({ type: 'object', description: null })));
    expect(readDocument('api', loadDocument(path)).operations).toHaveLength(1);
  });
});

function allowed(subject: Subject): fc.Arbitrary<PlannedRequest | null> {
  return allowedDrafts(subject).map((draft) => (draft === null ? null : planRequest(subject, draft, null)));
}

function sample(
  { operation }: Subject,
  requests: fc.Arbitrary<PlannedRequest | null>,
  numRuns: number,
): PlannedRequest[] {
  return fc.sample(requests, { seed: operation.id.length, numRuns }).filter((each) => each !== null);
}

function ask({ method, path: url, headers, body }: PlannedRequest): MockAnswer {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return mock.answer({
    method,
    url,
    headers: Object.fromEntries(lowerCase) as Record<string, string>,
    body: Buffer.from(body ?? ''),
  });
}

function faultsOf(method: string, url: string, status: number, type: string, value: unknown): readonly string[] {
  const head = { method, url, status, headers: new Headers({ 'content-type': type }) };
  return [
    ...checkHead(mock.contract, head).faults,
    ...checkBody(mock.contract, head, Buffer.from(JSON.stringify(value))).faults,
  ];
}
