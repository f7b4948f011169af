import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { routes } from '../../../generated/compose/routes.js';
import type { Log } from '../../../generated/contract.js';
import { createApplication } from '../../contract/application.js';
import { createPages } from '../../contract/pages.js';
import type { ReplyValidation } from '../../contract/reply-check.js';
import { securityHeaders } from '../../contract/security-headers.js';
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { Admit } from './admission.js';
import type { ComposeDependencies } from './dependencies.js';
import { problemOfServer } from './failure-replies.js';
import { composeHandlers } from './handlers.js';
import type { Caller } from './listening.js';
import { createComposeMetrics } from './metrics.js';
import { openProjectRegistry } from './projects/registry.js';
import { composeSecurity } from './security.js';
import type { Allowance } from './trust/allowances.js';
import { createTurns } from './turns.js';

export interface ComposeServiceOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the product. */
  readonly version: string;
  /** Where compose files that are sent outlive the server; null: they do not. */
  readonly projectsFolder: string | null;
  /** What the operator allows callers and the projects that they send; default: nothing. */
  readonly allowances?: ReadonlySet<Allowance>;
  /** Who calls over a connection; null: nobody who may. */
  readonly callerOf: (socket: Socket) => Promise<Caller | null>;
  /** Refuses a request before anything is done for it. */
  readonly admit: Admit;
  readonly replyValidation: ReplyValidation;
  /** The bundled contract and the script of the API reference, as the build has put them. */
  readonly pages: { readonly openapi: URL; readonly referenceScript: URL };
}

export interface ComposeService {
  /** Answers requests; to be given to `listen`. */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
  /** Ends the streams that are open, and those that are still asked for, so that the server can stop. */
  endStreams(): void;
  /** Lets go of what the service holds; the server has stopped by then. */
  close(): Promise<void>;
}

/**
 * The compose REST API on one backend.
 *
 * @throws RuntimeError.persistenceFailure when the projects folder cannot be read
 */
export async function createComposeService(options: ComposeServiceOptions): Promise<ComposeService> {
  const { backend, clock, log, version, allowances = new Set<Allowance>() } = options;
  const startedAt = clock.now();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every open stream listens: many are no leak
  const projects = await openProjectRegistry(options.projectsFolder, clock, allowances);
  const metrics = createComposeMetrics(backend, clock, startedAt);
  const dependencies: ComposeDependencies = {
    backend,
    clock,
    version,
    startedAt,
    projects,
    allowances,
    metrics,
    turns: createTurns(),
    stopping: stopping.signal,
  };
  const app = createApplication({
    routes,
    handlers: composeHandlers,
    dependencies,
    security: composeSecurity(options.callerOf),
    admit: options.admit,
    rateLimiter: null,
    replyValidation: options.replyValidation,
    log,
    trustedProxies: [],
    problemOf: problemOfServer,
    served: (served) => {
      metrics.observe(served);
      const { requestId: request_id, operationId: operation, status } = served;
      log.debug({ request_id, operation, status }, 'served');
    },
    headers: securityHeaders,
    after: [createPages({ ...options.pages, title: 'Plumbline Compose API' })],
  });
  return {
    listener: app.callback(),
    endStreams: () => {
      stopping.abort();
    },
    close: () => projects.close(),
  };
}
