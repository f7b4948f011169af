import { createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import type { ApiContract } from '../contract-model.js';
import type { OpenApiDocument, SchemaObject } from '../openapi-document.js';
import { header } from './header.js';

/**
 * Emits the TypeScript types of a document's schemas and operations with openapi-typescript. A property with a default
 * stays optional: these types also serve callers, who may omit it.
 *
 * @param extraSchemas schemas outside the document's components, such as principals
 */
export async function emitOpenapiTypes(
  document: OpenApiDocument,
  source: string,
  extraSchemas: Readonly<Record<string, SchemaObject>> = {},
): Promise<string> {
  const schemas = { ...document.components?.schemas, ...extraSchemas };
  const complete = { paths: {}, ...document, components: { ...document.components, schemas } };
  // The library's own document type is stricter about the places of extensions.
  const input = structuredClone(complete) as unknown as Parameters<typeof openapiTS>[0];
  const redocly = await createConfig({}); // No rules: redocly lint has checked the document.
  const options = { defaultNonNullable: false, alphabetize: false, redocly };
  return header(source) + astToString(await openapiTS(input, options));
}

/** The principals of a contract's security schemes, by name. */
export function principalSchemas(contract: ApiContract): Record<string, SchemaObject> {
  const named = contract.securitySchemes.flatMap(({ principal, scopes }) => [
    principal,
    ...scopes.map((scope) => scope.principal),
  ]);
  return Object.fromEntries(named.map(({ name, schema }) => [name, schema]));
}
