import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Log } from '../../../generated/contract.js';
import { schemaText } from '../../../generated/graphql/schema.js';
import { bearerToken } from '../../contract/bearer-token.js';
import type { Analytics } from '../analytics.js';
import type { UnitRecords } from '../unit-records.js';
import { createDocuments } from './documents.js';
import { createExecutableSchema } from './executable-schema.js';
import { executeQuery } from './execute-query.js';
import { sendGraphiql, type GraphiqlFiles } from './graphiql-page.js';
import { organizationOf, type Caller } from './organization.js';
import { refusalPayload, type Payload, type ErrorReporting } from './payload.js';
import { Refusal, unauthorized } from './refusal.js';
import {
  acceptedType,
  codesOf,
  responseType,
  statusOf,
  statusOfRefusal,
  writePayload,
  type ReplyType,
} from './reply.js';
import { assertReadable, CallerGone, parseBody, queryOf, readBody } from './request.js';

export interface GraphqlOptions {
  readonly analytics: Analytics;
  readonly unitRecords: UnitRecords;
  /** Identifies the caller of an access token; null: the token is invalid or expired. */
  readonly authenticate: (token: string) => Promise<Caller | null>;
  /** Whether an error means that a database is unreachable. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Rejects query texts: only persisted queries are allowed. */
  readonly persistedQueriesOnly: boolean;
  /** The script and styles of GraphiQL, created by `npm run build`. */
  readonly graphiql: GraphiqlFiles;
  readonly log: Log;
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
 * Serves the analytics: `POST /graphql`, `GET /graphql` (GraphiQL) and `GET /graphql/schema`. It runs behind the
 * middleware that sets `X-Request-Id`, and reports its name and caller in `ctx.state`. A POST passes these steps:
 *
 *  1. negotiate the media type        406
 *  2. check the body's media type     415
 *  3. read the body                   413
 *  4. authenticate                    401 AUTHORIZATION_ERROR
 *  5. parse the body                  400 VALIDATION_ERROR
 *  6. determine the organization      403 AUTHORIZATION_ERROR
 *  7. find the persisted query        PERSISTED_QUERY_ERROR
 *  8. parse and validate the query    VALIDATION_ERROR
 *  9. check all `orgId` arguments     403 AUTHORIZATION_ERROR
 * 10. check each batch                COST_LIMIT_EXCEEDED, VALIDATION_ERROR
 * 11. query the store                 QUERY_TIMEOUT, SERVICE_UNAVAILABLE
 */
export function createGraphqlRoutes(options: GraphqlOptions): Middleware {
  const schema = createExecutableSchema();
  const prepare = createDocuments(schema);

  const answer = async (ctx: Context, reporting: ErrorReporting, signal: AbortSignal): Promise<Payload> => {
    const caller = await authenticate(ctx, options);
    const body = parseBody(ctx);
    const named = { query: ctx.query['org_id'], header: ctx.req.headers['x-org-id'], variables: body.variables };
    const orgId = await organizationOf(named, caller);
    const query = queryOf(ctx, body, options.persistedQueriesOnly);
    const { analytics, unitRecords } = options;
    const context = { orgId, analytics, unitRecords, asked: { subRequests: 0 }, signal };
    return executeQuery(query, prepare(query.text), schema, context, reporting);
  };

  const post: Middleware = async (ctx) => {
    const started = performance.now();
    ctx.state['operation'] = 'graphql';
    const signal = signalOf(ctx);
    const reporting = errorReportingOf(ctx, options, signal);
    const type = acceptedType(ctx);
    let payload: Payload;
    try {
      if (type === null) throw notAcceptable(`Accept application/json or ${responseType}.`);
      assertReadable(ctx);
      await readBody(ctx, () => Promise.resolve());
      payload = await answer(ctx, reporting, signal);
      writePayload(ctx, payload, statusOf(payload, type), type);
    } catch (error) {
      if (error instanceof CallerGone) return;
      payload = refusalPayload(error, reporting);
      writePayload(ctx, payload, statusOfRefusal(error, payload), type ?? responseType);
    }
    const [outcome = 'OK'] = codesOf(payload);
    options.answered({
      // A metrics label: only ids of the registry, never text from the caller.
      persistedId: outcome === 'OK' && ctx.get('X-Persisted-Query-Id') !== '' ? ctx.get('X-Persisted-Query-Id') : null,
      outcome,
      durationSeconds: (performance.now() - started) / 1000,
    });
  };

  const refuse = (ctx: Context, refusal: Refusal, type: ReplyType): void => {
    const payload = refusalPayload(refusal, errorReportingOf(ctx, options, signalOf(ctx)));
    writePayload(ctx, payload, statusOfRefusal(refusal, payload), type);
  };

  const router = new Router();
  router.post('/graphql', post);
  router.get('/graphql', async (ctx: Context) => {
    if (ctx.accepts('html') === false) {
      refuse(ctx, notAcceptable('GET returns a page, as text/html. Send queries with POST.'), responseType);
    } else await sendGraphiql(ctx, options.graphiql, null);
  });
  router.get('/graphql/graphiql.js', (ctx: Context) => sendGraphiql(ctx, options.graphiql, 'script'));
  router.get('/graphql/graphiql.css', (ctx: Context) => sendGraphiql(ctx, options.graphiql, 'style'));
  router.get('/graphql/schema', (ctx: Context) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.type = 'text/plain';
    ctx.body = schemaText;
  });
  for (const [path, allow, instead] of [
    ['/graphql', 'GET, HEAD, POST', 'Use GET or POST here.'],
    ['/graphql/schema', 'GET, HEAD', 'Use GET here.'],
  ] as const) {
    router.all(path, (ctx: Context) => {
      ctx.set('Allow', allow);
      refuse(ctx, new Refusal(instead, { code: 'METHOD_NOT_ALLOWED' }), acceptedType(ctx) ?? responseType);
    });
  }
  return router.routes() as Middleware; // the router's types refer to another copy of Koa's types
}

async function authenticate(ctx: Context, options: GraphqlOptions): Promise<Caller> {
  const token = bearerToken(ctx.get('Authorization'));
  if (token === null) {
    throw unauthorized('Send an access token in the Authorization header: Bearer <token>.', 401);
  }
  const caller = await options.authenticate(token);
  if (caller === null) throw unauthorized('The access token is invalid or expired. Refresh it, or log in again.', 401);
  ctx.state['caller'] = caller.userId;
  return caller;
}

function errorReportingOf(ctx: Context, options: GraphqlOptions, signal: AbortSignal): ErrorReporting {
  const requestId = ctx.response.get('X-Request-Id');
  return {
    requestId,
    isUnavailable: options.isUnavailable,
    report: (error, code) => {
      if (signal.aborted) return; // the caller disconnected, which ended the query
      const fields = { err: error, request_id: requestId };
      if (code === 'SERVICE_UNAVAILABLE') options.log.warn(fields, 'cannot answer a query: a database is unreachable');
      else options.log.error(fields, 'a query failed unexpectedly');
    },
  };
}

/** Aborted when the connection closes before the reply is complete. */
function signalOf({ res }: Context): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

function notAcceptable(message: string): Refusal {
  return new Refusal(message, { code: 'NOT_ACCEPTABLE' });
}
