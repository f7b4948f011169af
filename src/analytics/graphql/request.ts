import { getGraphQLParameters, type Request } from 'graphql-helix';
import type { Context } from 'koa';
import { persistedQueries, persistedVersion } from '../../../generated/graphql/schema.js';
import type { Query } from './execute-query.js';
import type { PageExchange } from '@plumbline/contract/page-routes';
import { decodeBody } from '@plumbline/contract/request-body';
import { unusableTextIn } from '@plumbline/contract/unusable-text';
import { invalid, Refusal } from './refusal.js';

export const maxBodyBytes = 65_536;

/** The request as graphql-helix takes it. */
export function requestOf(ctx: Context): Request {
  return { method: ctx.method, headers: ctx.headers, query: ctx.query };
}

/** The members of a GraphQL request. */
export interface RequestBody {
  readonly query: string | null;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** @throws Refusal VALIDATION_ERROR (400) when the body is not a GraphQL request */
export function parseBody(ctx: Context, { receivedBody }: PageExchange): RequestBody {
  const decoded = receivedBody === null ? null : decodeBody(receivedBody);
  const body: unknown = decoded !== null && 'value' in decoded ? decoded.value : null;
  if (!isRecord(body)) throw malformed('body', 'Send the body as one JSON object.');
  const { extensions = null } = body;
  const { query = null, operationName = null, variables = null } = getGraphQLParameters({ ...requestOf(ctx), body });
  if (query !== null && typeof query !== 'string') throw malformed('query', 'It must be a string.');
  if (operationName !== null && typeof operationName !== 'string')
    throw malformed('operationName', 'It must be a string.');
  if (variables !== null && !isRecord(variables)) throw malformed('variables', 'It must be a JSON object.');
  if (extensions !== null && !isRecord(extensions)) throw malformed('extensions', 'It must be a JSON object.');
  for (const [member, value] of Object.entries({ query, operationName, variables, extensions })) {
    const unusable = unusableTextIn(value);
    if (unusable !== null) throw malformed(member, `It ${unusable.message}.`);
  }
  return { query, operationName, variables: variables ?? {} };
}

/**
 * The query of a request: the persisted one named by `X-Persisted-Query-Id`, otherwise its text.
 *
 * @throws Refusal PERSISTED_QUERY_ERROR, or VALIDATION_ERROR (400) when there is no query, or two
 */
export function queryOf(ctx: Context, body: RequestBody, persistedOnly: boolean): Query {
  const { query, operationName, variables } = body;
  const id = ctx.req.headers['x-persisted-query-id'];
  if (id === undefined) {
    if (query === null) throw malformed('query', 'Send the text of a query, or the id of a persisted query.');
    if (persistedOnly) throw persistedQueryError(null, 'This server allows only persisted queries.');
    return { persistedId: null, text: query, operationName, variables };
  }
  if (query !== null) throw malformed('query', 'Do not send a text with a persisted query.');
  const name = String(id);
  if (!isPersistedId(name)) throw persistedQueryError(name, 'There is no persisted query with this id.');
  const version = ctx.req.headers['x-persisted-query-version'];
  if (version !== undefined && version !== persistedVersion) {
    throw persistedQueryError(name, `The persisted queries of this server have version ${persistedVersion}.`);
  }
  return { persistedId: name, text: persistedQueries[name].text, operationName, variables };
}

function isPersistedId(id: string): id is keyof typeof persistedQueries {
  return Object.hasOwn(persistedQueries, id);
}

function persistedQueryError(id: string | null, message: string): Refusal {
  return new Refusal(message, {
    code: 'PERSISTED_QUERY_ERROR',
    query_id: id === null ? null : id.slice(0, 200),
    version: persistedVersion,
  });
}

function malformed(field: string, message: string): Refusal {
  const { details } = invalid(field, message);
  return new Refusal(message, details, 400);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
