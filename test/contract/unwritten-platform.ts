import { problemForms } from '../../generated/problems.js';
import { createRouters } from '../../generated/platform/router.js';
import { routes } from '../../generated/platform/routes.js';
import { unimplemented } from '../../generated/platform/unimplemented.js';
import { createApplication } from '../../src/contract/application.js';
import type { AnySecurityHandler } from '../../src/contract/authentication.js';
import { listen, type RunningServer } from '../../src/contract/server.js';

/** Serves the Platform API as it is before anybody has written an operation: everyone is let in, nothing is done. */
export function serveUnwrittenPlatform(): Promise<RunningServer> {
  const silent = (): void => undefined;
  const app = createApplication({
    routes,
    createRouters,
    handlers: unimplemented,
    problemForms,
    dependencies: undefined,
    security: { bearer: everyone, serviceToken: everyone, metrics: everyone },
    rateLimiter: null,
    replyValidation: 'always',
    log: { debug: silent, info: silent, warn: silent, error: silent },
    trustedProxies: [],
    problemOf: () => null,
  });
  const serve = app.callback();
  return listen((request, response) => void serve(request, response), { host: '127.0.0.1', port: 0 });
}

/** Lets every token do everything; who it is does not matter, as no stub asks. */
const everyone: AnySecurityHandler = {
  authenticate: () => Promise.resolve({ principal: {} }),
  authorize: (principal) => ({ principal }),
};
