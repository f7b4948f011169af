import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import Koa from 'koa';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createApplication } from '../../src/contract/application.js';
import { record } from '../../src/contract-tools/documents.js';
import { startTestPlatform } from '../support/platform.js';
import { runService } from '../compose/service/running-service.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** The applications that `start` has put behind a server. */
async function applicationsOf(start: () => Promise<{ stop(): Promise<void> }>): Promise<Koa[]> {
  const callback = vi.spyOn(Koa.prototype, 'callback'); // calls through
  const running = await start();
  await running.stop();
  return callback.mock.contexts.filter((context) => context instanceof Koa);
}

const ownMiddleware = new Set(['refuseRepeatedHost', 'normalizePath', 'refuseUnroutedRequest']);

/** Every route that an application can answer, as `GET /path/{name}`, and the middleware that nobody can look into. */
function routesOf(app: Koa): string[] {
  return app.middleware.flatMap((middleware) => {
    const router: unknown = Reflect.get(middleware, 'router');
    if (router instanceof Router) {
      return router.stack.flatMap(({ methods, path }) =>
        methods.filter((each) => each !== 'HEAD').map((each) => `${each} ${pathOf(path)}`),
      );
    }
    if (ownMiddleware.has(middleware.name)) return []; // they only refuse
    return middleware.name === 'cors' ? [] : [`the middleware ${middleware.name || 'without a name'}`];
  });
}

function pathOf(path: string | RegExp): string {
  return String(path).replaceAll(/:(\w+)/g, '{$1}');
}

/** What the contract and the list of pages declare. */
function declaredRoutes(api: 'platform' | 'compose'): string[] {
  const contract = record(JSON.parse(readFileSync(`generated/${api}/openapi.json`, 'utf8')));
  const operations = Object.entries(record(contract['paths'])).flatMap(([path, item]) =>
    Object.keys(record(item))
      .filter((key) => ['get', 'put', 'post', 'patch', 'delete'].includes(key))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pages: unknown = record(parse(readFileSync('openapi/pages.yaml', 'utf8')))[api];
  return [...operations, ...[pages].flat().map((page) => String(record(page)['route']))];
}

describe('A server serves exactly what its contract and openapi/pages.yaml declare:', () => {
  test('the Platform', async () => {
    const [app, ...others] = await applicationsOf(() =>
      startTestPlatform({ environment: { MAIL_URL: '', CORS_ORIGINS: 'https://app.example.com' } }),
    );
    expect(others).toEqual([]);
    expect(routesOf(app ?? new Koa()).sort()).toEqual(declaredRoutes('platform').sort());
  });

  test('compose serve, with its page', async () => {
    const [app, ...others] = await applicationsOf(() => runService({ page: true }));
    expect(others).toEqual([]);
    expect(routesOf(app ?? new Koa()).sort()).toEqual(declaredRoutes('compose').sort());
  });

  test('compose serve without its page', async () => {
    const apps = await applicationsOf(() => runService());
    const declared = new Set(declaredRoutes('compose'));
    expect(apps.flatMap(routesOf).filter((route) => !declared.has(route))).toEqual([]);
  });
});

describe('An additional route is found', () => {
  const bare = {
    routes: [],
    createRouters: () => [],
    handlers: {},
    dependencies: {},
    security: {},
    rateLimiter: null,
    problemForms: {},
    replyValidation: 'always' as const,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    trustedProxies: [],
    problemOf: () => null,
  };
  const undeclared = (app: Koa): string[] => {
    const declared = new Set(declaredRoutes('platform'));
    return routesOf(app).filter((route) => !declared.has(route));
  };

  test('among the pages', () => {
    const planted = {
      name: 'planted',
      path: '/planted',
      method: 'GET',
      produces: [],
      handle: () => undefined,
    } as const;
    const app = createApplication({ ...bare, pages: [planted] });
    expect(undeclared(app)).toEqual(['GET /planted']);
  });

  test('in a separate router', () => {
    const app = createApplication(bare);
    const router = new Router().get('/planted/:name', () => undefined);
    app.use(router.routes() as Koa.Middleware);
    expect(undeclared(app)).toEqual(['GET /planted/{name}']);
  });

  test('as a middleware', () => {
    const app = createApplication({
      ...bare,
      middleware: [
        function planted(ctx) {
          ctx.body = 'planted';
        },
      ],
    });
    expect(undeclared(app)).toEqual(['the middleware planted']);
  });
});
