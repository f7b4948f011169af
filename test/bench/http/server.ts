/**
 * One HTTP server under measurement, in a separate process: `tsx server.ts <name>` prints its port. Every one serves
 * the same forty routes, validates the request and the reply against the same schemas, and logs nothing.
 */
import Router from '@koa/router';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fastJson, { type Schema } from 'fast-json-stringify';
import { fastify } from 'fastify';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import type { AddressInfo } from 'node:net';
import { createApplication } from '../../../src/contract/application.js';
import { listen } from '../../../src/contract/server.js';
import { capabilities, generateApi, reply, replySchema, requestSchema } from './contract.js';

const allPaths = capabilities.flatMap(({ prefix, paths }) => paths.map((path) => prefix + path));

const servers: Readonly<Record<string, () => Promise<number>>> = {
  plumbline: async () => {
    const { routes, createRouters } = await generateApi();
    const handlers = Object.fromEntries(
      routes.map(({ operationId }) => [operationId, () => ({ status: 201, body: reply })]),
    );
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const app = createApplication({
      routes,
      createRouters,
      handlers,
      problemForms: {},
      dependencies: {},
      security: {},
      rateLimiter: null,
      replyValidation: 'always',
      log: silent,
      trustedProxies: [],
      problemOf: () => null,
    });
    const { server } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
    return (server.address() as AddressInfo).port;
  },

  // Fastify validates requests with ajv and writes replies by schema; validating replies is added in its own idiom.
  fastify: async () => {
    const app = fastify({ logger: false, ajv: { customOptions: { allErrors: true, allowUnionTypes: true } } });
    const validateReply = compile(replySchema);
    app.addHook('preSerialization', (_request, _reply, payload, done) => {
      if (validateReply(payload)) done(null, payload);
      else done(new Error('wrong reply'));
    });
    const schema = { body: requestSchema, response: { 201: replySchema } };
    for (const path of allPaths)
      app.post(path, { schema }, (_request, answer) => {
        void answer.code(201).send(reply);
      });
    await app.listen({ host: '127.0.0.1', port: 0 });
    return (app.server.address() as AddressInfo).port;
  },

  // The packages that Plumbline builds on, put together by hand for speed: a router per prefix, compiled validators, a
  // serializer, and koa-body for JSON alone.
  'koa-lean': async () => {
    const validateRequest = compile(requestSchema);
    const validateReply = compile(replySchema);
    const serialize = fastJson(replySchema as Schema); // the schema is written without the literal types of Schema
    const readBody = koaBody({ json: true, jsonLimit: 65_536, multipart: false, urlencoded: false, text: false });
    const app = new Koa();
    for (const { prefix, paths } of capabilities) {
      const router = new Router({ prefix });
      for (const path of paths) {
        router.post(path, readBody, (ctx) => {
          if (!validateRequest(ctx.request.body)) ctx.throw(422);
          if (!validateReply(reply)) ctx.throw(500);
          ctx.status = 201;
          ctx.type = 'application/json';
          ctx.body = serialize(reply);
        });
      }
      const routes = router.routes();
      app.use((ctx, next) => (ctx.path.startsWith(prefix) ? routes(ctx as never, next) : next()));
    }
    return listening(app);
  },

  // The same packages, put together as their documentation shows.
  koa: async () => {
    const validateRequest = compile(requestSchema);
    const validateReply = compile(replySchema);
    const app = new Koa();
    const router = new Router();
    for (const path of allPaths) {
      router.post(path, (ctx) => {
        if (!validateRequest(ctx.request.body)) ctx.throw(422);
        if (!validateReply(reply)) ctx.throw(500);
        ctx.status = 201;
        ctx.body = reply;
      });
    }
    app.use(koaBody()).use(router.routes()).use(router.allowedMethods());
    return listening(app);
  },
};

function listening(app: Koa): Promise<number> {
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function compile(schema: object): (value: unknown) => boolean {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  formats.default(ajv);
  return ajv.compile(schema);
}

const start = servers[process.argv[2] ?? ''];
if (start === undefined) throw new Error(`name one of ${Object.keys(servers).join(', ')}`);
process.stdout.write(`${await start()}\n`);
