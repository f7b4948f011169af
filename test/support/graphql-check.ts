import { getOperationAST, parse, type DocumentNode } from 'graphql';
import { checkData, notedInputs, valueFaults } from './graphql-data.js';
import { jsonType, limitHeaders, responseType, schemaPaths, type GraphqlContract } from './graphql-contract.js';
import { mediaTypeOf, type Findings } from '../../src/contract-tools/gate/check-reply.js';
import { record } from '../../src/contract-tools/documents.js';
import type { Unit } from '../../src/contract-tools/gate/observations.js';

/** One request to `/graphql` or below, and its complete reply. */
export interface GraphqlExchange {
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: Headers;
  readonly requestBody: string | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Checks a reply against the schema and the documented errors, with nothing of the server's own code. */
export function checkGraphql(contract: GraphqlContract, exchange: GraphqlExchange): Findings {
  const { status, headers, method, path } = exchange;
  const faults: string[] = [];
  if (!/^[\w.:-]+$/.test(headers.get('x-request-id') ?? '')) faults.push('there is no X-Request-Id');
  const mediaType = mediaTypeOf(headers) ?? 'none';
  const units: Unit[] = [];
  if (mediaType === jsonType || mediaType === responseType) {
    const found = checkPayload(contract, exchange, mediaType);
    units.push(...found.units);
    faults.push(...found.faults);
  } else {
    const isSchema = schemaPaths.includes(path);
    const expected = isSchema ? 'text/plain' : { '/graphql': 'text/html' }[path];
    if (method === 'GET' && status === 200 && mediaType === expected) units.push([`GET ${path}`, '200', mediaType]);
    else faults.push(`${status} with ${mediaType} is not documented`);
    if (isSchema && !exchange.body.includes('type Query')) faults.push('this is not a schema');
  }
  return { units, faults: faults.map((fault) => `${method} ${path} ${status}: ${fault}`) };
}

function checkPayload(contract: GraphqlContract, exchange: GraphqlExchange, mediaType: string): Findings {
  let payload: unknown;
  try {
    payload = JSON.parse(exchange.body);
  } catch {
    return { units: [], faults: ['the body is not JSON'] };
  }
  const { data, errors, ...others } = record(payload);
  const faults = Object.keys(others).map((name) => `the payload has a member ${name}`);
  if (errors !== undefined) {
    const found = checkErrors(contract, exchange, mediaType, errors);
    // Every root field is non-null, so that one error leaves nothing.
    if (data !== undefined && data !== null) found.faults.push('there are data beside errors');
    return { units: found.units, faults: [...faults, ...found.faults] };
  }
  if (exchange.status !== 200) faults.push('there are no errors, and the status is not 200');
  if (exchange.method !== 'POST' || exchange.path !== '/graphql') faults.push('data were not asked for here');
  const found = checkAnswer(contract, exchange, data);
  return {
    units: [
      ['POST /graphql', String(exchange.status), mediaType],
      ...limitHeaders
        .filter((name) => exchange.headers.has(name))
        .map((name): Unit => ['POST /graphql', String(exchange.status), `header ${name}`]),
      ...found.units,
    ],
    faults: [...faults, ...found.faults],
  };
}

/** Data without errors: they have exactly the fields that were asked for. */
function checkAnswer(contract: GraphqlContract, exchange: GraphqlExchange, data: unknown): Findings {
  const request = record(JSON.parse(exchange.requestBody ?? '{}'));
  const id = exchange.requestHeaders.get('x-persisted-query-id');
  const text = id === null ? request['query'] : contract.persisted.get(id);
  if (typeof text !== 'string') return { units: [], faults: ['it answers without a query that is documented'] };
  const document: DocumentNode = parse(text);
  const operationName = request['operationName'];
  const operation = getOperationAST(document, typeof operationName === 'string' ? operationName : undefined);
  if (operation == null) return { units: [], faults: ['it answers without an operation'] };
  const variables = record(request['variables'] ?? {});
  const found = checkData(contract.schema, document, operation, variables, data);
  const units = [...found.units, ...notedInputs(contract.schema, document, operation, variables)];
  if (id !== null) units.push(['persisted queries', 'answered', id]);
  return { units, faults: found.faults };
}

function checkErrors(
  contract: GraphqlContract,
  exchange: GraphqlExchange,
  mediaType: string,
  errors: unknown,
): { units: Unit[]; faults: string[] } {
  const units: Unit[] = [];
  const faults: string[] = [];
  if (!Array.isArray(errors) || errors.length === 0)
    return { units, faults: ['errors is not a list with something in it'] };
  for (const error of errors) {
    const { message, locations, path, extensions, ...others } = record(error);
    const { code } = record(extensions);
    const documented = contract.codes.get(String(code));
    if (typeof message !== 'string' || message === '') faults.push('an error has no message');
    if (locations !== undefined && !Array.isArray(locations)) faults.push('locations is not a list');
    if (path !== undefined && !Array.isArray(path)) faults.push('path is not a list');
    for (const name of Object.keys(others)) faults.push(`an error has a member ${name}`);
    if (documented === undefined) {
      faults.push(`the code ${String(code)} is not documented`);
      continue;
    }
    faults.push(...valueFaults(documented.type, extensions, 'extensions'));
    if (record(extensions)['request_id'] !== exchange.headers.get('x-request-id')) {
      faults.push('request_id differs from the header X-Request-Id');
    }
    if (documented.statuses.get(mediaType)?.includes(exchange.status) !== true) {
      faults.push(`${String(code)} is not documented with ${exchange.status} as ${mediaType}`);
    } else units.push([String(code), String(exchange.status), mediaType]);
    for (const name of documented.headers.get(exchange.status) ?? []) {
      if (exchange.headers.get(name) === null) faults.push(`${String(code)} comes without ${name}`);
      else units.push([String(code), String(exchange.status), `header ${name}`]);
    }
    if (code === 'COST_LIMIT_EXCEEDED') units.push([code, 'limit_name', String(record(extensions)['limit_name'])]);
  }
  return { units, faults };
}
