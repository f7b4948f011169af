import { header } from '../emit/header.js';
import type { GeneratedFiles } from '../generated-part.js';
import { emitSdkDocuments, emitSdkErrors } from './emit-sdk.js';
import { emitErrors, emitSchema } from './emit-server.js';
import { emitQueryTools } from './emit-tools.js';
import { emitTypes } from './emit-types.js';
import { readGraphqlContract } from './read-graphql-contract.js';

/**
 * Generates everything that is derived from `graphql/`: the types of resolvers and of the SDK's documents, the text of
 * the schema, the registry of persisted queries, and the errors.
 *
 * @throws Error naming the file of an invalid schema or document
 */
export async function generateGraphql(): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  const contract = await readGraphqlContract('graphql');
  for (const [path, text] of await emitTypes()) files.set(path, header('graphql/') + text);
  files.set('generated/graphql/schema.ts', emitSchema(contract));
  files.set('generated/graphql/tools.ts', emitQueryTools(contract));
  files.set('generated/graphql/errors.ts', emitErrors(contract));
  files.set('sdk/src/generated/analytics/documents.ts', emitSdkDocuments(contract));
  files.set('sdk/src/generated/analytics/errors.ts', emitSdkErrors(contract));
  return files;
}
