import { record } from '../../src/contract-tools/documents.js';
import { problemOf } from './problem-of.js';
import { exampleRequests, initOf, urlOf, type ExampleRequest } from './examples.js';

export interface AbuseOptions {
  /** The contract's name, for example `platform`. */
  readonly api: string;
  /** The server, `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** A recording fetch: that replies are documented is its to check. */
  readonly fetch: typeof fetch;
  /** Gives the `Authorization` header of a caller whom the operation knows. */
  readonly authorization: (operationId: string) => string | Promise<string>;
  /** What need not be refused, as `<operationId>: <abuse>`, for example because loopback callers need no token. */
  readonly exempt?: readonly string[];
}

/** One wrong request that was sent, and refused as it must be. */
export interface Refused {
  readonly operationId: string;
  readonly abuse: string;
  readonly status: number;
}

/**
 * Sends every operation of an API each wrong request that can be made of its contract, and demands the one right
 * answer. Rate limits must be off, or high.
 *
 * @throws AggregateError with everything that was not refused as it must be, or not as documented
 */
export async function abuseEveryOperation(options: AbuseOptions): Promise<Refused[]> {
  const refused: Refused[] = [];
  const failures: Error[] = [];
  const exempt = new Set(options.exempt);
  for (const example of exampleRequests(options.api)) {
    for (const abuse of abuses) {
      const request = abuse.requestFor(example);
      const name = `${example.operationId}: ${abuse.name}`;
      if (request === null || exempt.delete(name)) continue;
      try {
        const status = await send(options, example, request, abuse);
        refused.push({ operationId: example.operationId, abuse: abuse.name, status });
      } catch (cause) {
        failures.push(new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }));
      }
    }
  }
  for (const name of exempt) failures.push(new Error(`${name} is exempt, but there is no such request`));
  if (failures.length === 0) return refused;
  throw new AggregateError(failures, failures.map(({ message }) => message).join('\n'));
}

interface WrongRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly withoutCredential?: boolean;
}

interface Abuse {
  readonly name: string;
  readonly status: number;
  readonly problem: string;
  /** null where the operation cannot be abused like this. */
  requestFor(example: ExampleRequest): WrongRequest | null;
}

const abuses: readonly Abuse[] = [
  {
    name: 'not acceptable',
    status: 406,
    problem: '/problems/not-acceptable',
    requestFor: (example) =>
      example.producesBody ? { url: urlOf(example), headers: { Accept: 'application/x-nothing' } } : null,
  },
  {
    name: 'unsupported media type',
    status: 415,
    problem: '/problems/unsupported-media-type',
    requestFor: (example) =>
      example.body === null ? null : { url: urlOf(example), headers: { 'Content-Type': 'text/plain' } },
  },
  {
    name: 'too large',
    status: 413,
    problem: '/problems/payload-too-large',
    requestFor: (example) =>
      example.body === null ? null : { url: urlOf(example), body: ' '.repeat(example.maxBodyBytes + 1) },
  },
  {
    name: 'no credential',
    status: 401,
    problem: '/problems/unauthenticated',
    requestFor: (example) => (example.needsCredential ? { url: urlOf(example), withoutCredential: true } : null),
  },
  {
    name: 'malformed JSON',
    status: 400,
    problem: '/problems/malformed-request',
    requestFor: (example) => (example.body === null ? null : { url: urlOf(example), body: '{' }),
  },
  {
    name: 'unknown property',
    status: 422,
    problem: '/problems/validation-failed',
    requestFor: (example) => {
      if (example.body === null) return null;
      const body = { ...record(example.body.value), no_such_property: true };
      return { url: urlOf(example), body: JSON.stringify(body) };
    },
  },
  {
    name: 'unknown parameter',
    status: 422,
    problem: '/problems/validation-failed',
    requestFor: (example) => {
      if (!example.parameters.some((each) => each.in === 'query')) return null;
      const url = urlOf(example);
      return { url: `${url}${url.includes('?') ? '&' : '?'}no_such_parameter=1` };
    },
  },
  {
    name: 'malformed path parameter',
    status: 422,
    problem: '/problems/validation-failed',
    requestFor: (example) => {
      const parameters = example.parameters.map((each) =>
        each.in === 'path' && each.format !== null ? { ...each, value: 'malformed' } : each,
      );
      const url = urlOf({ ...example, parameters });
      return url === urlOf(example) ? null : { url };
    },
  },
  {
    name: 'malformed idempotency key',
    status: 422,
    problem: '/problems/validation-failed',
    requestFor: (example) =>
      example.parameters.some(({ name }) => name === 'Idempotency-Key')
        ? { url: urlOf(example), headers: { 'Idempotency-Key': 'two words' } }
        : null,
  },
];

async function send(
  { baseUrl, fetch, authorization }: AbuseOptions,
  example: ExampleRequest,
  { url, headers, body, withoutCredential }: WrongRequest,
  expected: Abuse,
): Promise<number> {
  const init = initOf(example);
  const all: Record<string, string> = { ...init.headers, ...headers };
  if (example.needsCredential && withoutCredential !== true) {
    all['Authorization'] = await authorization(example.operationId);
  }
  const given = body ?? init.body;
  const response = await fetch(baseUrl + url, {
    method: example.method,
    headers: all,
    ...(given === undefined ? {} : { body: given }),
  });
  const text = await response.text();
  if (response.status !== expected.status) {
    throw new Error(`answered ${response.status} instead of ${expected.status}: ${text.slice(0, 300)}`);
  }
  const { status, headers: replied } = response;
  const { type } = problemOf({ status, body: JSON.parse(text), headers: replied });
  if (type !== expected.problem) throw new Error(`answered ${String(type)} instead of ${expected.problem}`);
  return response.status;
}
