/** The server of the Platform: operations, analytics, pages. */
import cors from '@koa/cors';
import type Koa from 'koa';
import type { PlatformHandlers } from '../../../generated/platform/operations.js';
import { createRouters } from '../../../generated/platform/router.js';
import { apiVersion, routes, schemes } from '../../../generated/platform/routes.js';
import type { PlatformSecurity } from '../../../generated/platform/security.js';
import { problemCatalogue, problemForms } from '../../../generated/problems.js';
import { createApplication } from '@plumbline/contract/application';
import type { PageRoute } from '@plumbline/contract/page-routes';
import { createPages } from '@plumbline/contract/pages';
import type { Served } from '@plumbline/contract/served';
import { securityHeaders } from '@plumbline/contract/security-headers';
import { listen, type RunningServer } from '@plumbline/contract/server';
import type { Log } from '../../database/log.js';
import { organizationSchemes } from '../identity/accounts/organization-schemes.js';
import { createBearerSecurity } from '../identity/accounts/bearer-security.js';
import { consoleHome, createConsolePages, type ConsoleOptions } from './console-pages/console-pages.js';
import { problemOf } from './failures.js';
import type { PlatformDependencies } from '../dependencies.js';
import { platformHandlers } from '../handlers.js';
import { isTrialMailbox, mailboxFolder } from '../messages/mail/mailbox-folder.js';
import { createIdempotency } from './idempotency/idempotency.js';
import { createMailboxPages } from '../messages/mail/mailbox-pages.js';
import { createMetricsSecurity } from './operations/metrics-security.js';
import type { Metrics } from './operations/metrics.js';
import { createLocalCounts } from './rate-limits/local-counts.js';
import { createStoredRateLimiter } from './rate-limits/stored-rate-limiter.js';
import { createServiceTokenSecurity } from '../identity/service-tokens/service-token-security.js';
import { createBrowserSessionAdmission } from '../identity/sessions/browser-session-admission.js';
import type { PlatformSettings } from './settings.js';

/** Starts listening. @throws Error when the address cannot be used */
export function servePlatform(
  settings: PlatformSettings,
  dependencies: PlatformDependencies,
  metrics: Metrics,
  log: Log,
  analytics: readonly PageRoute[],
): Promise<RunningServer> {
  const app = createPlatformApplication(settings, dependencies, metrics, log, analytics);
  const serve = app.callback();
  const counted: typeof serve = (request, response) => {
    metrics.countInFlight(response);
    return serve(request, response);
  };
  return listen(counted, { host: settings.host, port: settings.port });
}

/** The application, which does not listen yet. */
function createPlatformApplication(
  settings: PlatformSettings,
  dependencies: PlatformDependencies,
  metrics: Metrics,
  log: Log,
  analytics: readonly PageRoute[],
): Koa {
  const security: PlatformSecurity = {
    bearer: createBearerSecurity(dependencies),
    serviceToken: createServiceTokenSecurity(dependencies),
    metrics: createMetricsSecurity(settings.metricsToken),
  };
  return createApplication<PlatformHandlers<PlatformDependencies>, PlatformSecurity, PlatformDependencies>({
    routes,
    createRouters,
    handlers: platformHandlers,
    problemForms,
    dependencies,
    security,
    admit: createBrowserSessionAdmission(dependencies.appBaseUrl),
    rateLimiter: {
      ...createLocalCounts(
        createStoredRateLimiter(dependencies.sql, settings.rateLimits),
        schemes.serviceToken.rateLimits.map(({ setting }) => setting),
        dependencies.clock,
      ),
      sessionOf: async (token) => (await dependencies.tokens.verifyRefreshToken(token))?.familyId ?? null,
    },
    idempotency: createIdempotency(dependencies),
    replyValidation: settings.replyValidation,
    mismatched: (operationId) => {
      metrics.observeMismatch(operationId);
    },
    log,
    trustedProxies: settings.trustedProxies,
    problemOf,
    callerSchemes: organizationSchemes,
    served: (served) => {
      metrics.observe(served);
      logServed(served, log);
    },
    headers: { ...securityHeaders, 'X-API-Version': apiVersion },
    middleware: corsFor(settings.corsOrigins),
    pages: [
      ...analytics,
      ...(isTrialMailbox(settings) ? createMailboxPages(mailboxFolder(settings)) : []),
      ...(settings.console ? createConsolePages(consoleOptions(settings)) : []),
      ...createPages({
        problems: problemCatalogue,
        openapi: contractFile,
        reference,
        ...(settings.console && { home: consoleHome }),
        redirects: { '/health': '/health/ready' },
      }),
    ],
  });
}

function consoleOptions(settings: PlatformSettings): ConsoleOptions {
  return {
    folder: consoleFolder,
    hasMailbox: isTrialMailbox(settings),
    registration: settings.registration,
    createsOrganization: settings.autoCreateOrgOnRegister,
    identityProviders: settings.identityProviders,
    apps: [
      ...(settings.appId === null ? [] : (['host_a'] as const)),
      ...(settings.gitlabApp === null ? [] : (['host_b'] as const)),
    ],
  };
}

/** `generated/` is beside `src/` both in the sources and under `dist/`; the other files exist only under `dist/`. */
const contractFile = new URL('../../../generated/platform/openapi.json', import.meta.url);

const builtTree = import.meta.url.includes('/dist/src/') ? '../../../' : '../../../dist/';

const reference = new URL(`${builtTree}docs/platform/`, import.meta.url);

const consoleFolder = new URL(`${builtTree}console/`, import.meta.url);

function corsFor(origins: readonly string[]): Koa.Middleware[] {
  if (origins.length === 0) return [];
  const exposeHeaders = [
    'X-Request-Id',
    'X-API-Version',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'Location',
    'Idempotency-Replayed',
  ];
  const allowed = (ctx: { get(name: string): string }): string =>
    origins.find((each) => each === ctx.get('Origin')) ?? '';
  return [cors({ origin: allowed, exposeHeaders, maxAge: 600, keepHeadersOnError: true })];
}

/** The caller of a request, in its line of the access log. Callers that read metrics have no name. */
function callerFields(principal: unknown): { readonly user_id: string | null; readonly service_token_id?: string } {
  if (typeof principal !== 'object' || principal === null) return { user_id: null };
  if ('user_id' in principal && typeof principal.user_id === 'string') return { user_id: principal.user_id };
  if (!('service_token_id' in principal) || typeof principal.service_token_id !== 'string') return { user_id: null };
  return { user_id: null, service_token_id: principal.service_token_id };
}

function logServed(
  { requestId, operationId, method, path, status, durationSeconds, clientIp, principal }: Served,
  log: Log,
): void {
  const fields = {
    request_id: requestId,
    operation: operationId,
    method,
    path,
    status,
    duration_ms: Math.round(durationSeconds * 1e4) / 10,
    client_ip: clientIp,
    ...callerFields(principal),
  };
  log.info(fields, 'request');
}
