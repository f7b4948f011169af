import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { record } from '../../src/contract-tools/documents.js';
import { entriesAt, follow, type Pointer } from '../../src/contract-tools/gate/pointers.js';

/** A valid request of one operation, made of the examples in the contract. */
export interface ExampleRequest {
  readonly operationId: string;
  readonly method: string;
  /** As in the contract: `/things/{thing_id}`. */
  readonly path: string;
  readonly parameters: readonly ExampleParameter[];
  /** The body, as a value; null for an operation that takes none. */
  readonly body: { readonly mediaType: string; readonly value: unknown } | null;
  readonly maxBodyBytes: number;
  /** Whether callers without a credential are refused. */
  readonly needsCredential: boolean;
  /** Whether some reply that is not a problem has a body, so that `Accept` matters. */
  readonly producesBody: boolean;
}

const places = ['path', 'query', 'header', 'cookie'] as const;

export interface ExampleParameter {
  readonly name: string;
  readonly in: (typeof places)[number];
  readonly required: boolean;
  readonly value: unknown;
  readonly format: string | null;
}

/**
 * Makes a valid request for every operation of an API.
 *
 * @throws Error naming the parameter or body that has no example
 */
export function exampleRequests(api: string): ExampleRequest[] {
  const path = fileURLToPath(new URL(`../../generated/${api}/openapi.json`, import.meta.url));
  return exampleRequestsOf(JSON.parse(readFileSync(path, 'utf8')));
}

/** The same for a bundled OpenAPI document. */
export function exampleRequestsOf(document: unknown): ExampleRequest[] {
  return entriesAt(document, ['paths']).flatMap(([path, item]) =>
    entriesAt(document, item)
      .filter(([key]) => key !== 'parameters')
      .map(([method, operation]) => readOperation(document, path, item, method, operation)),
  );
}

/** The path with its parameters filled in, and the query with those that are required. */
export function urlOf({ path, parameters }: ExampleRequest): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, required, value } of parameters) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === 'query' && required) for (const each of [value].flat()) query.append(name, String(each));
  }
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

/** What `fetch` needs besides the URL. */
export interface ExampleInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Everything that `fetch` needs besides the URL, but for a credential. */
export function initOf({ method, parameters, body }: ExampleRequest): ExampleInit {
  const required = parameters.filter((each) => each.in === 'header' && each.required);
  const headers = Object.fromEntries(required.map(({ name, value }) => [name, String(value)]));
  const cookies = parameters
    .filter((each) => each.in === 'cookie')
    .map(({ name, value }) => `${name}=${String(value)}`);
  if (cookies.length > 0) headers['Cookie'] = cookies.join('; ');
  if (body === null) return { method, headers };
  return { method, headers: { ...headers, 'Content-Type': body.mediaType }, body: textOf(body) };
}

function textOf({ mediaType, value }: NonNullable<ExampleRequest['body']>): string {
  if (/[/+]json$/.test(mediaType)) return JSON.stringify(value);
  // The contract has every other body as text.
  return typeof value === 'string' ? value : new URLSearchParams(Object(value)).toString();
}

function readOperation(
  document: unknown,
  path: string,
  item: Pointer,
  method: string,
  operation: Pointer,
): ExampleRequest {
  const { operationId, security = record(document)['security'], ...rest } = record(follow(document, operation).value);
  const alternatives: unknown[] = Array.isArray(security) ? security : [];
  const maxBodyBytes: unknown = rest['x-max-body-bytes'] ?? record(document)['x-max-body-bytes'];
  const parameters = [item, operation].flatMap((place) => listAt(document, [...place, 'parameters']));
  return {
    operationId: String(operationId),
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((place) => readParameter(document, place, String(operationId))),
    body: readBody(document, [...operation, 'requestBody'], String(operationId)),
    maxBodyBytes: Number(maxBodyBytes),
    needsCredential: alternatives.length > 0 && alternatives.every((each) => Object.keys(record(each)).length > 0),
    producesBody: entriesAt(document, [...operation, 'responses']).some(
      ([status, reply]) => Number(status) < 400 && entriesAt(document, [...reply, 'content']).length > 0,
    ),
  };
}

function readParameter(document: unknown, place: Pointer, operationId: string): ExampleParameter {
  const { name, in: where, required } = record(follow(document, place).value);
  const known = places.find((each) => each === where);
  if (known === undefined) throw new Error(`${operationId}: in ${String(where)}`);
  const { format } = record(follow(document, [...place, 'schema']).value);
  return {
    name: String(name),
    in: known,
    required: required === true,
    value: exampleAt(document, place, `parameter ${String(name)} of ${operationId}`),
    format: typeof format === 'string' ? format : null,
  };
}

function readBody(document: unknown, place: Pointer, operationId: string): ExampleRequest['body'] {
  const [content] = entriesAt(document, [...place, 'content']);
  if (content === undefined) return null;
  const [mediaType, pointer] = content;
  return { mediaType, value: exampleAt(document, pointer, `body of ${operationId}`) };
}

/** `example`, or the first of `examples`. */
function exampleAt(document: unknown, place: Pointer, what: string): unknown {
  const { example } = record(follow(document, place).value);
  if (example !== undefined) return example;
  const [first] = entriesAt(document, [...place, 'examples']);
  if (first === undefined) throw new Error(`The ${what} has no example`);
  return record(follow(document, first[1]).value)['value'];
}

function listAt(document: unknown, place: Pointer): Pointer[] {
  const { value, pointer } = follow(document, place);
  return Array.isArray(value) ? value.map((_, index) => follow(document, [...pointer, String(index)]).pointer) : [];
}
