import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createRouters } from '../../../generated/compose/router.js';
import { apiVersion, routes, schemes } from '../../../generated/compose/routes.js';
import { problemCatalogue, problemForms } from '../../../generated/problems.js';
import type { Log } from '@plumbline/contract/contract-types';
import { createApplication } from '@plumbline/contract/application';
import { createPages } from '@plumbline/contract/pages';
import type { ReplyValidation } from '@plumbline/contract/reply-check';
import { securityHeaders } from '@plumbline/contract/security-headers';
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { Admission } from './admission.js';
import type { ComposeDependencies } from './dependencies.js';
import { problemOfServer } from './failure-replies.js';
import { composeHandlers } from './handlers.js';
import type { Caller } from './listening.js';
import { createComposeMetrics } from './metrics.js';
import { pagePath, type PageAccess } from './page/access.js';
import { createContainersPages, pageAdmission, withoutCaching } from './page/pages.js';
import { DEFAULT_LIMITS, type ProjectLimits } from './projects/limits.js';
import { openProjectRegistry } from './projects/registry.js';
import { composeSecurity } from './security.js';
import type { Allowance } from './trust/allowances.js';
import { createKeyedMutex } from './keyed-mutex.js';
import { createSlots } from './slots.js';

/** Who may come in at an address. */
export interface Entrance {
  /** The client of a connection; null if it is not authorized. */
  callerOf(socket: Socket): Promise<Caller | null>;
  /** Refuses a request before anything is done for it. */
  readonly admission: Admission;
}

export interface ComposeServiceOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly log: Log;
  /** The product version. */
  readonly version: string;
  /** The directory in which received compose files outlive the server; null: they do not. */
  readonly projectsFolder: string | null;
  /** Features that the operator allows callers and received projects to use; default: none. */
  readonly allowances?: ReadonlySet<Allowance>;
  /** Limits that differ from the default ones. */
  readonly limits?: Partial<ProjectLimits>;
  /** The script of the threads that load compose files, from the build. */
  readonly loadingWorker: URL;
  /** The address at which the service is reached. */
  readonly entrance: Entrance;
  /** The web page, which is then served only at this entrance; default: none. */
  readonly page?: { readonly access: PageAccess; readonly folder: URL } | null;
  readonly replyValidation: ReplyValidation;
  /** The bundled contract and the folder of the API reference, from the build. */
  readonly pages: { readonly openapi: URL; readonly reference: URL };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface ComposeService {
  /** The request listener for `listen`. */
  readonly listener: Listener;
  /** A listener for another address, without the page. */
  listenerFor(entrance: Entrance): Listener;
  /** Ends open and newly requested streams, so that the server can stop. */
  endStreams(): void;
  /** Releases resources, after the server has stopped. */
  close(): Promise<void>;
}

/**
 * The compose REST API on one backend.
 *
 * @throws RuntimeError.persistenceFailure when the projects directory cannot be read
 */
export async function createComposeService(options: ComposeServiceOptions): Promise<ComposeService> {
  const { backend, clock, log, version, allowances = new Set<Allowance>(), page = null } = options;
  const startedAt = clock.now();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every open stream adds a listener; not a leak
  const projects = await openProjectRegistry({
    folder: options.projectsFolder,
    clock,
    allowances,
    limits,
    loadingWorker: options.loadingWorker,
    forSwarm: backend.conformer === 'swarm',
  });
  const metrics = createComposeMetrics(backend, clock, startedAt);
  const dependencies: ComposeDependencies = {
    backend,
    clock,
    version,
    startedAt,
    projects,
    allowances,
    metrics,
    page: page?.access ?? null,
    projectLocks: createKeyedMutex(limits.projectCalls, limits.calls),
    imageWork: createSlots(
      limits.imageWork,
      'Too many builds and pulls are in progress. Try again when one has ended.',
    ),
    stopping: stopping.signal,
  };
  const documentation = { ...options.pages, problems: problemCatalogue };
  const listenerFor = ({ callerOf, admission }: Entrance, served: typeof page): Listener =>
    createApplication({
      routes,
      createRouters,
      handlers: composeHandlers,
      problemForms,
      dependencies,
      security: composeSecurity(callerOf),
      admit: (request, { operationId }) =>
        admission.request(request) ?? served?.access.admit(request, operationId) ?? null,
      rateLimiter: null,
      replyValidation: options.replyValidation,
      mismatched: (operationId) => {
        metrics.observeMismatch(operationId);
      },
      log,
      trustedProxies: [],
      problemOf: problemOfServer,
      callerSchemes: [{ ...schemes.clientCertificate, scope: null }],
      served: (reply) => {
        metrics.observe(reply);
        const { requestId: request_id, operationId: operation, method, path, status, principal } = reply;
        log.debug({ request_id, operation, method, path, status, caller: nameOf(principal) }, 'served');
      },
      headers: { ...securityHeaders, 'X-API-Version': apiVersion },
      ...(served === null
        ? { pages: createPages(documentation), admitPage: admission.host }
        : {
            pages: withoutCaching([
              ...createPages({ ...documentation, home: () => pagePath }),
              ...createContainersPages(served.folder),
            ]),
            admitPage: pageAdmission(served.access, admission),
          }),
    }).callback();
  return {
    listener: listenerFor(options.entrance, page),
    listenerFor: (entrance) => listenerFor(entrance, null),
    endStreams: () => {
      stopping.abort();
    },
    close: () => projects.close(),
  };
}

/** Callers have a name where they come with a client certificate. */
function nameOf(principal: unknown): string | null {
  const hasName = typeof principal === 'object' && principal !== null && 'name' in principal;
  return hasName && typeof principal.name === 'string' ? principal.name : null;
}
