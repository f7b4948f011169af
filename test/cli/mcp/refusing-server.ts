/** A server that knows its callers, and refuses all else with a chosen error: the examples of the contracts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import contract from '../../../generated/platform/openapi.json' with { type: 'json' };
import { record } from '../../../src/contract-tools/documents.js';

export interface RefusingServer {
  readonly url: string;
  /** Answers calls of an operation, or queries, with this problem or code from now on. */
  refuseWith(operationId: string | null, error: string): void;
  stop(): Promise<void>;
}

const whole = record(contract);

export async function startRefusing(): Promise<RefusingServer> {
  let refusal = { status: 500, mediaType: '', body: {} };
  const http = createServer((request, response) => {
    const isCaller = request.url === '/api/v1/service-tokens/current';
    const { status, mediaType, body } = isCaller ? caller() : refusal;
    response.writeHead(status, { 'Content-Type': mediaType, 'X-Request-Id': 'r1', 'Retry-After': '86400' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // a server on a port has such an address
    refuseWith: (operationId, error) => {
      refusal = operationId === null ? queryError(error) : problemOf(operationId, error);
    },
    stop: () =>
      new Promise((resolve) =>
        http.close(() => {
          resolve();
        }),
      ),
  };
}

function caller(): { status: number; mediaType: string; body: object } {
  const [, example] = successOf('getCurrentServiceToken');
  return { status: 200, mediaType: 'application/json', body: example };
}

/** As `graphql/errors.graphql` has it for this media type. */
function queryError(code: string): { status: number; mediaType: string; body: object } {
  const error = { message: `Refused: ${code}`, extensions: { code, request_id: 'r1' } };
  return { status: 200, mediaType: 'application/graphql-response+json', body: { errors: [error], data: null } };
}

function problemOf(operationId: string, type: string): { status: number; mediaType: string; body: object } {
  for (const [status, response] of Object.entries(record(operation(operationId)['responses']))) {
    const content = record(record(resolved(response)['content'])['application/problem+json']);
    const examples = [
      content['example'],
      ...Object.values(record(content['examples'] ?? {})).map((each) => resolved(each)['value']),
    ];
    const body = examples.find((each) => each !== undefined && record(each)['type'] === type);
    if (body !== undefined)
      return { status: Number(status), mediaType: 'application/problem+json', body: record(body) };
  }
  throw new Error(`${operationId} has no example of ${type}`);
}

function successOf(operationId: string): [string, object] {
  const [status, response] = Object.entries(record(operation(operationId)['responses']))[0] ?? [];
  return [String(status), record(record(record(resolved(response)['content'])['application/json'])['example'])];
}

function operation(id: string): Record<string, unknown> {
  for (const item of Object.values(record(whole['paths']))) {
    for (const each of Object.values(record(item))) {
      if (typeof each === 'object' && each !== null && Reflect.get(each, 'operationId') === id) return record(each);
    }
  }
  throw new Error(`the contract has no ${id}`);
}

/** The value that a reference leads to. */
function resolved(value: unknown): Record<string, unknown> {
  const { $ref } = record(value);
  if (typeof $ref !== 'string') return record(value);
  let found: unknown = whole;
  for (const key of $ref.slice(2).split('/')) found = record(found)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  return resolved(found);
}
