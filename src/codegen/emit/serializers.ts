import fastJsonStringify, { type AnySchema, type ObjectSchema, type Options } from 'fast-json-stringify';
import type { ApiContract, Operation, SuccessReply } from '../read/contract-model.js';
import { componentName, isReference, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';
import { header } from './header.js';
import { contractId, standaloneModule, withAbsolutePointers } from './standalone-module.js';

/** Names the function that serializes a reply's body; null if the body is text or missing. */
export function serializerName(operation: Operation, reply: SuccessReply): string | null {
  const { schema, mediaType } = reply;
  if (schema === null || mediaType === null || isText(mediaType)) return null;
  return isReference(schema) ? `write${componentName(schema.$ref)}` : `${operation.id}_${reply.status}`;
}

/** The data of events are JSON. */
function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') && mediaType !== 'text/event-stream';
}

/**
 * Compiles a serializer per reply schema. It writes only documented properties, so that other fields of a handler's
 * value never leave the server, even if replies are not validated.
 */
export async function emitSerializers(contract: ApiContract): Promise<string> {
  const schemas = schemasOf(contract);
  const entry = [...schemas.keys()].map((name) => `export { default as ${name} } from 'compiled:${name}';`).join('\n');
  const code = await standaloneModule(entry, compileAll(contract.document, schemas));
  return header(`openapi/${contract.name}.yaml`) + code;
}

/** The declarations of the module. */
export function declareSerializers(contract: ApiContract): string {
  const names = [...schemasOf(contract).keys()];
  const declarations = names.map((name) => `export declare const ${name}: (body: unknown) => string;\n`).join('');
  return `${header(`openapi/${contract.name}.yaml`)}${declarations}export {};\n`;
}

function schemasOf(contract: ApiContract): ReadonlyMap<string, SchemaObject> {
  const schemas = new Map<string, SchemaObject>();
  for (const operation of contract.operations) {
    for (const reply of operation.replies) {
      if (reply.kind !== 'success') continue;
      const name = serializerName(operation, reply);
      if (name !== null && reply.schema !== null) schemas.set(name, reply.schema);
    }
  }
  return schemas;
}

function compileAll(document: OpenApiDocument, schemas: ReadonlyMap<string, SchemaObject>): Map<string, string> {
  const contract = withAbsolutePointers({ components: { schemas: document.components?.schemas ?? {} } });
  const options: Options & { mode: 'standalone' } = {
    schema: { [contractId]: { $id: contractId, ...contract } as ObjectSchema }, // checked by redocly lint
    mode: 'standalone',
    // Validators, also compiled ahead of time, choose between alternatives (oneOf).
    inlineValidators: true,
  };
  return new Map([...schemas].map(([name, schema]) => [name, compile(schema, options)]));
}

function compile(schema: SchemaObject, options: Options & { mode: 'standalone' }): string {
  const anySchema: AnySchema = withAbsolutePointers(schema);
  return fastJsonStringify(anySchema, options);
}
