import type { Context } from 'koa';
import type { ProblemReply } from '@plumbline/contract/contract-types';
import { queryRateLimits } from '../../../generated/graphql/errors.js';
import { schemaText } from '../../../generated/graphql/schema.js';
import type { PageExchange, PageRoute } from '@plumbline/contract/page-routes';
import { currentSpan } from '@plumbline/contract/system/tracing';
import type { Analytics } from '../analytics.js';
import type { UnitRecords } from '../unit-records.js';
import { createContext } from './context.js';
import { createDocuments, nameOfOperation } from './documents.js';
import { createExecutableSchema } from './executable-schema.js';
import { executeQuery } from './execute-query.js';
import { sendGraphiql, type GraphiqlFiles } from './graphiql-page.js';
import { organizationOf, type Caller } from './organization.js';
import { refusalPayload, type ErrorReporting, type Payload } from './payload.js';
import { refusalOfProblem } from './problem-refusals.js';
import { Refusal } from './refusal.js';
import {
  acceptedType,
  codesOf,
  eventStreamType,
  jsonType,
  responseType,
  statusOf,
  statusOfRefusal,
  writePayload,
} from './reply.js';
import { maxBodyBytes, parseBody, queryOf, requestOf } from './request.js';

export interface GraphqlOptions {
  readonly analytics: Analytics;
  readonly unitRecords: UnitRecords;
  readonly now: () => Date;
  /** Maximum number of days in a date range. */
  readonly maxDays: number;
  /** The security schemes of queries. */
  readonly schemes: NonNullable<PageRoute['security']>['schemes'];
  /** The caller whom the pipeline has authenticated by one of the schemes. */
  readonly callerOf: (principal: unknown) => Caller;
  /** Whether an error means that a database is unreachable. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Rejects query texts: only persisted queries are allowed. */
  readonly persistedQueriesOnly: boolean;
  /** The script and styles of GraphiQL, created by `npm run build`. */
  readonly graphiql: GraphiqlFiles;
  /** Called after each POST. */
  readonly answered: (answer: Answered) => void;
}

/** The outcome of one POST. */
export interface Answered {
  /** The id of the persisted query; null: a query text, or a failure. */
  readonly persistedId: string | null;
  /** `OK`, or the code of the first error. */
  readonly outcome: string;
  readonly durationSeconds: number;
}

/**
 * The analytics: `POST /graphql`, `GET /graphql` (GraphiQL) and `GET /graphql/schema`. The pipeline takes a request up to
 * its caller, as for every operation; its problems are written as GraphQL errors. Then a query passes these steps:
 *
 *  1. parse the body                  400 VALIDATION_ERROR
 *  2. determine the organization      403 AUTHORIZATION_ERROR
 *  3. find the persisted query        PERSISTED_QUERY_ERROR
 *  4. parse and validate the query    VALIDATION_ERROR
 *  5. check all `orgId` arguments     403 AUTHORIZATION_ERROR
 *  6. check each batch                COST_LIMIT_EXCEEDED, VALIDATION_ERROR
 *  7. query the store                 QUERY_TIMEOUT, SERVICE_UNAVAILABLE
 */
export function createGraphqlPages(options: GraphqlOptions): PageRoute[] {
  const schema = createExecutableSchema();
  const prepare = createDocuments(schema);

  const answer = async (ctx: Context, exchange: PageExchange, reporting: ErrorReporting): Promise<Payload> => {
    const { principal, signal } = exchange;
    const body = parseBody(ctx, exchange);
    const named = { query: ctx.query['org_id'], header: ctx.req.headers['x-org-id'], variables: body.variables };
    const orgId = await organizationOf(named, options.callerOf(principal));
    const query = queryOf(ctx, body, options.persistedQueriesOnly);
    const { analytics, unitRecords, maxDays } = options;
    const context = createContext({ orgId, analytics, unitRecords, signal, now: options.now().getTime(), maxDays });
    const prepared = prepare(query.text);
    currentSpan()?.name(`graphql ${query.persistedId ?? nameOfOperation(prepared, query.operationName) ?? 'query'}`);
    return executeQuery(requestOf(ctx), query, prepared, schema, context, reporting);
  };

  const refuse = (ctx: Context, error: unknown, exchange: PageExchange): Payload => {
    const payload = refusalPayload(error, errorReportingOf(exchange, options));
    const status = statusOfRefusal(error, payload);
    const type = status === 406 ? null : acceptedType(ctx);
    writePayload(ctx, payload, status, type ?? responseType);
    return payload;
  };
  const refuseProblem = (ctx: Context, problem: ProblemReply, exchange: PageExchange): Payload =>
    refuse(ctx, refusalOfProblem(problem), exchange);

  const observe = (ctx: Context, payload: Payload, { started }: PageExchange): void => {
    const [outcome = 'OK'] = codesOf(payload);
    options.answered({
      // A metrics label: only ids of the registry, never text from the caller.
      persistedId: outcome === 'OK' && ctx.get('X-Persisted-Query-Id') !== '' ? ctx.get('X-Persisted-Query-Id') : null,
      outcome,
      durationSeconds: (performance.now() - started) / 1000,
    });
  };

  return [
    {
      name: 'graphql',
      method: 'POST',
      path: '/graphql',
      produces: [jsonType, responseType, eventStreamType],
      body: { mediaType: jsonType, maxBytes: maxBodyBytes },
      security: { anonymous: false, schemes: options.schemes },
      rateLimits: queryRateLimits,
      handle: async (ctx, exchange) => {
        exchange.isCompressible = true; // queries are read-only, and no reply has a secret
        let payload: Payload;
        try {
          const type = acceptedType(ctx) ?? responseType;
          payload = await answer(ctx, exchange, errorReportingOf(exchange, options));
          writePayload(ctx, payload, statusOf(payload, type), type);
        } catch (error) {
          payload = refuse(ctx, error, exchange);
        }
        observe(ctx, payload, exchange);
      },
      refuse: (ctx, problem, exchange) => {
        observe(ctx, refuseProblem(ctx, problem, exchange), exchange);
      },
    },
    {
      name: 'graphiql',
      method: 'GET',
      path: '/graphql',
      produces: ['text/html'],
      handle: (ctx) => sendGraphiql(ctx, options.graphiql, null),
      refuse: (ctx, problem, exchange) => {
        const { message, details } = refusalOfProblem(problem);
        refuse(ctx, new Refusal(`${message} Send queries with POST.`, details, problem.status), exchange);
      },
    },
    {
      name: 'graphiql script',
      method: 'GET',
      path: '/graphql/graphiql.js',
      produces: ['text/javascript'],
      handle: (ctx) => sendGraphiql(ctx, options.graphiql, 'script'),
    },
    {
      name: 'graphiql style',
      method: 'GET',
      path: '/graphql/graphiql.css',
      produces: ['text/css'],
      handle: (ctx) => sendGraphiql(ctx, options.graphiql, 'style'),
    },
    // Tools such as GraphQL Code Generator read the text of a schema only from a URL that ends in `.graphql`.
    ...['/graphql/schema', '/graphql/schema.graphql'].map((path): PageRoute => ({
      name: path.slice(1).replaceAll(/[/.]/g, ' '),
      method: 'GET',
      path,
      produces: ['text/plain'],
      handle: (ctx) => {
        ctx.set('Cache-Control', 'public, max-age=300');
        ctx.type = 'text/plain';
        ctx.body = schemaText;
      },
      refuse: refuseProblem,
    })),
  ];
}

function errorReportingOf({ requestId, signal, log }: PageExchange, { isUnavailable }: GraphqlOptions): ErrorReporting {
  return {
    requestId,
    isUnavailable,
    report: (error, code) => {
      if (signal.aborted) return; // the caller disconnected, which ended the query
      const fields = { err: error };
      if (code === 'SERVICE_UNAVAILABLE') log.warn(fields, 'cannot answer a query: a database is unreachable');
      else log.error(fields, 'a query failed unexpectedly');
    },
  };
}
