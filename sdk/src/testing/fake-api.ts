import type { Fetch, FetchInit } from '../transport.js';
import type { OperationExamples, ReplyExamples } from './examples.js';
import { findOperation } from './find-operation.js';

/** The operations of an API with the types of their replies, as `operations` of the generated types has them. */
type Operations<Api> = { readonly [Id in keyof Api]: { readonly responses: object } };

type Responses<Api extends Operations<Api>, Id extends keyof Api> = Api[Id]['responses'];

type BodyOf<Response> = Response extends { readonly content: infer Content } ? Content[keyof Content] : undefined;

/** How an operation answers. */
export interface FakeReply<Body> {
  /** The body, or a line of a stream (default: the example of the contract). */
  readonly body?: Body | undefined;
  /** The name of an example of the contract (default: the first). */
  readonly example?: string | undefined;
  /** Headers besides those that every reply has. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** After how many calls this reply no longer counts (default: never). */
  readonly times?: number | undefined;
}

/** A call that a fake API has received. */
export interface FakeCall<Id> {
  readonly operation: Id;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Parsed if it is JSON; undefined: none. */
  readonly body: unknown;
}

/** An API for tests: it answers from the examples of the contract, without network and state. */
export interface FakeApi<Api extends Operations<Api>> {
  /** For the option `fetch` of a client. */
  readonly fetch: Fetch;
  /** The calls so far, in order. */
  readonly calls: readonly FakeCall<keyof Api>[];
  /**
   * Sets how an operation answers from now on. Replies with `times` come first, in the order in which they were set.
   *
   * @throws TypeError when the contract has no such status or example
   */
  reply<Id extends keyof Api, Status extends keyof Responses<Api, Id> & number>(
    operation: Id,
    status: Status,
    reply?: FakeReply<BodyOf<Responses<Api, Id>[Status]>>,
  ): void;
  /** Forgets the calls, and all that was set. */
  reset(): void;
}

interface PlannedReply extends FakeReply<unknown> {
  readonly status: number;
  left: number;
}

/**
 * Creates a fake of an API.
 *
 * @param apiVersion what the replies say
 */
export function createFakeApi<Api extends Operations<Api>>(
  apiVersion: string,
  examples: Readonly<Record<keyof Api, OperationExamples>>,
): FakeApi<Api> {
  const calls: FakeCall<keyof Api>[] = [];
  const plans = new Map<keyof Api, PlannedReply[]>();

  function planOf(id: keyof Api): PlannedReply | undefined {
    const plan = plans.get(id)?.find(({ left }) => left > 0);
    if (plan !== undefined) plan.left--;
    return plan;
  }

  function answer(url: string, init: FetchInit): Response {
    init.signal.throwIfAborted();
    const { pathname, searchParams } = new URL(url);
    const found = findOperation(examples, init.method, pathname);
    if (found === null) throw new TypeError(`The contract has no operation ${init.method} ${pathname}`);
    const { id, operation, params } = found;
    calls.push({ operation: id, params, query: searchParams, headers: new Headers(init.headers), body: bodyOf(init) });
    const { status, ...reply } = planOf(id) ?? { status: statusFor(operation, init) };
    const common = { 'x-request-id': `fake-${calls.length}`, 'x-api-version': apiVersion };
    return responseOf(status, operation.replies[status] ?? null, reply, common);
  }

  return {
    // A failure is a rejection, as with the real fetch.
    fetch: (url, init) =>
      new Promise((resolve) => {
        resolve(answer(url, init));
      }),
    calls,
    reply: (id, status, reply = {}) => {
      const documented = examples[id].replies[status];
      if (documented === undefined) throw new TypeError(`The contract has no reply ${status} of ${String(id)}`);
      if (reply.example !== undefined && !(reply.example in (documented?.examples ?? {}))) {
        const names = Object.keys(documented?.examples ?? {}).join(', ');
        throw new TypeError(
          `The reply ${status} of ${String(id)} has no example ${reply.example}. There are: ${names}`,
        );
      }
      const planned = { ...reply, status, left: reply.times ?? Infinity };
      const earlier = plans.get(id) ?? [];
      const limited = earlier.filter(({ left }) => left !== Infinity);
      const lasting = earlier.filter(({ left }) => left === Infinity);
      plans.set(id, reply.times === undefined ? [...limited, planned] : [...limited, planned, ...lasting]);
    },
    reset: () => {
      calls.length = 0;
      plans.clear();
    },
  };
}

/** The first documented success; for a caller that resumes a stream of events, its end. */
function statusFor(operation: OperationExamples, { headers }: FetchInit): number {
  return 204 in operation.replies && new Headers(headers).has('last-event-id') ? 204 : usualStatus(operation);
}

/** The first documented success. */
function usualStatus({ replies }: OperationExamples): number {
  const statuses = Object.keys(replies).map(Number);
  return statuses.find((status) => status < 300) ?? statuses[0] ?? 500;
}

function bodyOf({ body }: FetchInit): unknown {
  if (body === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    return body; // text, such as YAML
  }
}

function responseOf(
  status: number,
  documented: ReplyExamples,
  { body, example, headers: added }: FakeReply<unknown>,
  common: Readonly<Record<string, string>>,
): Response {
  const headers = new Headers({ ...common, ...added });
  if (documented === null) return new Response(null, { status, headers });
  const { mediaType, examples } = documented;
  const value = body ?? (example === undefined ? Object.values(examples)[0] : examples[example]);
  if (!headers.has('content-type')) headers.set('content-type', mediaType);
  const { request_id: id, retry_after_seconds: seconds } = Object(value) as Partial<Record<string, unknown>>;
  if (typeof id === 'string') headers.set('x-request-id', id);
  if (typeof seconds === 'number' && !headers.has('retry-after')) headers.set('retry-after', String(seconds));
  return new Response(textOf(mediaType, value), { status, headers });
}

function textOf(mediaType: string, value: unknown): string {
  if (mediaType === 'text/event-stream') return `id: fake\ndata: ${JSON.stringify(value)}\n\n`;
  return mediaType.endsWith('json') ? `${JSON.stringify(value)}\n` : String(value);
}
