import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Router from '@koa/router';
import { transform } from 'esbuild';
import type { Middleware } from 'koa';
import type { Route } from '../../../src/contract/contract-types.js';
import { emitRouter } from '../../../src/codegen/emit/router.js';
import { emitRoutes } from '../../../src/codegen/emit/routes.js';
import { emitSerializers } from '../../../src/codegen/emit/serializers.js';
import { emitValidators } from '../../../src/codegen/emit/validators.js';
import type { OpenApiDocument } from '../../../src/codegen/read/openapi-document.js';
import { readContract } from '../../../src/codegen/read/read-contract.js';

/** What is sent and what comes back, as JSON Schema: the same for every server under measurement. */
export const requestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['email', 'password', 'full_name', 'tags', 'address'],
  properties: {
    email: { type: 'string', format: 'email', maxLength: 254 },
    password: { type: 'string', minLength: 12, maxLength: 72 },
    full_name: { type: ['string', 'null'], maxLength: 100 },
    tags: { type: 'array', maxItems: 10, items: { type: 'string', minLength: 1, maxLength: 20 } },
    address: {
      type: 'object',
      additionalProperties: false,
      required: ['street', 'city', 'zip'],
      properties: {
        street: { type: 'string', maxLength: 100 },
        city: { type: 'string', maxLength: 100 },
        zip: { type: 'string', pattern: '^\\d{5}$' },
      },
    },
  },
};

export const replySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'email', 'full_name', 'created_at', 'tags'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    email: { type: 'string', format: 'email' },
    full_name: { type: ['string', 'null'] },
    created_at: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

export const requestBody = JSON.stringify({
  email: 'robin@example.com',
  password: 'seven quiet rivers 7',
  full_name: 'Robin Example',
  tags: ['first', 'second', 'third'],
  address: { street: 'Long Lane 1', city: 'Sampletown', zip: '12345' },
});

export const reply = {
  id: '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01',
  email: 'robin@example.com',
  full_name: 'Robin Example',
  created_at: '2026-03-02T09:15:00.000Z',
  tags: ['first', 'second', 'third'],
};

/** Eight capabilities with five paths each; one in the middle is measured. */
export const capabilities: readonly { readonly prefix: string; readonly paths: readonly string[] }[] = Array.from(
  { length: 8 },
  (_, index) => ({
    prefix: `/api/v1/capability-${index}`,
    paths: Array.from({ length: 5 }, (_path, number) => `/resource-${number}`),
  }),
);
export const measuredPath = '/api/v1/capability-4/resource-2';

export interface GeneratedApi {
  readonly routes: readonly Route[];
  readonly createRouters: (operation: (id: string) => Middleware) => readonly Router[];
}

/** The routes and routers of a contract with these paths, from the product's generator. */
export async function generateApi(): Promise<GeneratedApi> {
  const contract = readContract('bench', document());
  // In the checkout, so that the router finds its packages.
  await mkdir('.cache', { recursive: true });
  const folder = await mkdtemp(resolve('.cache', 'bench-'));
  const load = async (file: string, source: string): Promise<unknown> => {
    await writeFile(join(folder, file), (await transform(source, { loader: 'ts' })).code);
    return import(pathToFileURL(join(folder, file)).href);
  };
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'validators.js'), await emitValidators(contract));
    await writeFile(join(folder, 'serializers.js'), await emitSerializers(contract));
    // What the emitters export.
    const { routes } = (await load('routes.js', emitRoutes(contract))) as Pick<GeneratedApi, 'routes'>;
    const { createRouters } = (await load('router.js', emitRouter(contract))) as Pick<GeneratedApi, 'createRouters'>;
    return { routes, createRouters };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function document(): OpenApiDocument {
  const content = (schema: object, example: unknown) => ({
    'application/json': { schema: { ...schema }, example },
  });
  const operation = (id: string, tag: string) => ({
    post: {
      operationId: id,
      tags: [tag],
      summary: 'Create an item',
      security: [],
      requestBody: { required: true, content: content(requestSchema, JSON.parse(requestBody)) },
      responses: { '201': { description: 'Created.', content: content(replySchema, reply) } },
    },
  });
  const operations = capabilities.flatMap(({ prefix, paths }, index) =>
    paths.map((path, number) => [prefix + path, operation(`createItem${index}${number}`, `capability ${index}`)]),
  );
  return { openapi: '3.1.0', info: { title: 'Bench', version: '1' }, paths: Object.fromEntries(operations) };
}
