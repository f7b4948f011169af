/** Emits the TypeScript types of the schema and of the persisted queries: GraphQL Code Generator with `codegen.yml`. */
import { executeCodegen, loadContext } from '@graphql-codegen/cli';

/**
 * Runs GraphQL Code Generator without writing its files.
 *
 * @returns the unformatted text of each file by path, without its header
 * @throws the error of GraphQL Code Generator, which names the file of an invalid schema or document
 */
export async function emitTypes(): Promise<ReadonlyMap<string, string>> {
  const { result, error } = await executeCodegen(await loadContext('codegen.yml'));
  if (error !== null) throw error;
  return new Map(result.map(({ filename, content }) => [filename, content]));
}
