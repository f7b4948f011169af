import openapiTS, { astToString } from 'openapi-typescript';
import type { ApiContract } from '../read/contract-model.js';
import { componentName, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';
import { header } from './header.js';

/**
 * Emits the TypeScript types of a document's schemas and operations with openapi-typescript. A property with a default
 * stays optional: these types also serve callers, who may omit it.
 */
export async function emitOpenapiTypes(document: OpenApiDocument, source: string): Promise<string> {
  const complete = { paths: {}, ...document };
  // The library's own document type is stricter about the places of extensions.
  const input = structuredClone(complete) as unknown as Parameters<typeof openapiTS>[0];
  const options = { defaultNonNullable: false, alphabetize: false, silent: true };
  return header(source) + astToString(await openapiTS(input, options));
}

/**
 * Emits the types of the principals of a contract's security schemes. Only servers know them; all other types are those
 * of the SDK.
 */
export async function emitPrincipals({ document, name, securitySchemes }: ApiContract): Promise<string> {
  const named = securitySchemes.flatMap(({ principal, scopes }) => [
    principal,
    ...scopes.map((scope) => scope.principal),
  ]);
  const schemas = Object.fromEntries(named.map((principal) => [principal.name, inlined(principal.schema, document)]));
  const { openapi, info } = document;
  return emitOpenapiTypes({ openapi, info, paths: {}, components: { schemas } }, `openapi/${name}.yaml`);
}

/** A schema with the schemas that it refers to. */
function inlined(schema: SchemaObject, { components }: OpenApiDocument): SchemaObject {
  const text = JSON.stringify(schema, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value;
    return components?.schemas?.[componentName(String(value.$ref))];
  });
  return JSON.parse(text) as SchemaObject; // the text of a schema
}
