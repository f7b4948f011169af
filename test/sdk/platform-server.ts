import { onTestFinished } from 'vitest';
import type { Log } from '../../src/contract/contract-types.js';
import { problemForms, unauthenticated } from '../../generated/problems.js';
import type { PlatformHandlers, Schemas } from '../../generated/platform/operations.js';
import { createRouters } from '../../generated/platform/router.js';
import { routes } from '../../generated/platform/routes.js';
import type { PlatformSecurity } from '../../generated/platform/security.js';
import { unimplemented } from '../../generated/platform/unimplemented.js';
import { createApplication } from '../../src/contract/application.js';
import type { Served } from '../../src/contract/served.js';
import type { RateLimiter } from '../../src/contract/rate-limiting.js';
import { listen } from '../../src/contract/server.js';

export interface PlatformServer {
  readonly url: string;
  /** What was served so far, in order. */
  readonly served: readonly Served[];
  /** How many requests an operation has served. */
  count(operationId: string): number;
}

export interface PlatformServerOptions {
  /** The operations that the test needs; all others answer 501. */
  readonly handlers: Partial<PlatformHandlers<unknown>>;
  /** Whether an access token is good (default: all are). */
  readonly accepts?: (token: string) => boolean;
  readonly rateLimiter?: RateLimiter;
}

/** Runs the contract runtime with the Platform API's generated tables until the test ends. */
export async function startPlatform(options: PlatformServerOptions): Promise<PlatformServer> {
  const served: Served[] = [];
  const application = createApplication<PlatformHandlers<unknown>, PlatformSecurity, unknown>({
    routes,
    createRouters,
    handlers: { ...unimplemented, ...options.handlers },
    problemForms,
    dependencies: null,
    security: securityFor(options.accepts ?? (() => true)),
    rateLimiter: options.rateLimiter ?? null,
    replyValidation: 'always',
    log: silent,
    trustedProxies: [],
    problemOf: () => null,
    served: (each) => served.push(each),
  });
  const listener = application.callback();
  const server = await listen((request, response) => void listener(request, response), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.stop(1_000));
  return {
    url: server.url,
    served,
    count: (operationId) => served.filter((each) => each.operationId === operationId).length,
  };
}

export const user: Schemas['User'] = {
  id: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01',
  email: 'robin@example.com',
  full_name: 'Robin Example',
  is_verified: true,
  is_superuser: false,
  auth_provider: 'local',
  org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03',
  role: 'owner',
  last_login_at: '2026-03-02T09:15:00.000Z',
};

export const me: Schemas['MeResponse'] = { ...user, org_name: 'Example Works', mfa_missing: false, permissions: [] };

/** The nth token pair that a test hands out. */
export function tokens(n: number): Schemas['Tokens'] {
  return { access_token: `access-${n}`, refresh_token: `refresh-${n}`, token_type: 'bearer', expires_in: 900 };
}

const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function securityFor(accepts: (token: string) => boolean): PlatformSecurity {
  return {
    bearer: {
      authenticate: (token) =>
        Promise.resolve(
          accepts(token)
            ? { principal: account }
            : { refusal: unauthenticated({ message: 'The access token has expired.' }) },
        ),
      authorize: () => ({ principal: member }),
    },
    serviceToken: {
      authenticate: () => Promise.resolve({ refusal: unauthenticated({ message: 'There are no service tokens.' }) }),
      authorize: () => {
        throw new Error('there are no service tokens');
      },
    },
    metrics: {
      authenticate: () => Promise.resolve({ principal: {} }),
      authorize: () => {
        throw new Error('metrics has no scopes');
      },
    },
  };
}

const account: Schemas['AccountPrincipal'] = {
  session_id: '5d9c8b7a-6f5e-4d3c-9b2a-1f0e9d8c7b04',
  user_id: user.id,
  email: user.email,
  full_name: user.full_name,
  is_verified: true,
  is_superuser: false,
  auth_provider: 'local',
  last_login_at: user.last_login_at,
  org_id: user.org_id,
  org_name: 'Example Works',

  mfa_missing: false,
  role: 'owner',
};

const member: Schemas['MemberPrincipal'] = {
  ...account,
  org_id: 'b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03',
  org_name: 'Example Works',

  mfa_missing: false,
  role: 'owner',
};
