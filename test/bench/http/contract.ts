import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import type { Route } from '../../../generated/contract.js';
import { emitRoutes } from '../../../src/codegen/emit/routes.js';
import { emitSerializers } from '../../../src/codegen/emit/serializers.js';
import { emitValidators } from '../../../src/codegen/emit/validators.js';
import type { OpenApiDocument } from '../../../src/codegen/openapi-document.js';
import { readContract } from '../../../src/codegen/read-contract.js';

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

/** Forty paths; the middle one is measured. */
export const paths: readonly string[] = Array.from({ length: 40 }, (_, index) => `/api/v1/resource-${index}/items`);
export const measuredPath = '/api/v1/resource-20/items';

/** The route table of a contract with these paths, made by the product's own generator. */
export async function generateRoutes(): Promise<readonly Route[]> {
  const contract = readContract('bench', document());
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-bench-'));
  try {
    const validators = await emitValidators(contract);
    const serializers = await emitSerializers(contract);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'validators.js'), validators);
    await writeFile(join(folder, 'serializers.js'), serializers);
    const { code } = await transform(emitRoutes(contract), { loader: 'ts' });
    await writeFile(join(folder, 'routes.js'), code);
    const loaded: unknown = await import(pathToFileURL(join(folder, 'routes.js')).href);
    return (loaded as { routes: readonly Route[] }).routes; // what emitRoutes exports
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function document(): OpenApiDocument {
  const content = (schema: object) => ({ 'application/json': { schema: { ...schema } } });
  const operation = (index: number) => ({
    post: {
      operationId: `createItem${index}`,
      summary: 'Create an item',
      security: [],
      requestBody: { required: true, content: content(requestSchema) },
      responses: { '201': { description: 'Created.', content: content(replySchema) } },
    },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Bench', version: '1' },
    paths: Object.fromEntries(paths.map((path, index) => [path, operation(index)])),
  };
}
