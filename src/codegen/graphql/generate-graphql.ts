import { executeCodegen, loadContext } from '@graphql-codegen/cli';
import { existsSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { header } from '../emit/header.js';
import type { GeneratedFiles } from '../generate.js';
import { emitSdkDocuments, emitSdkErrors } from './emit-sdk.js';
import { emitErrors, emitSchema } from './emit-server.js';
import { readGraphqlContract } from './read-graphql-contract.js';

/**
 * Makes everything that comes from `graphql/`: what `codegen.yml` tells graphql-codegen to make (the types of resolvers
 * and of the SDK's documents), and beside it the text of the schema, the registry of persisted queries, and the errors.
 *
 * @returns nothing where there is no `graphql/`
 * @throws Error naming the file of a schema or document that is not valid
 */
export async function generateGraphql(): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  if (!existsSync('graphql/schema.graphql')) return files;
  const contract = await readGraphqlContract('graphql');
  const { result, error } = await executeCodegen(await loadContext('codegen.yml'));
  if (error !== null) throw error;
  for (const { filename, content } of result) files.set(filename, header('graphql/') + content);
  files.set('generated/graphql/schema.ts', emitSchema(contract));
  files.set('generated/graphql/errors.ts', emitErrors(contract));
  files.set('sdk/src/generated/analytics/documents.ts', emitSdkDocuments(contract));
  files.set('sdk/src/generated/analytics/errors.ts', emitSdkErrors(contract));
  const style = await resolveConfig('.prettierrc.json');
  for (const [path, text] of files) files.set(path, await format(text, { ...style, parser: 'typescript' }));
  return files;
}
