/** Emits the TypeScript types of the schema and of the persisted queries, with the plugins of graphql-codegen. */
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { buildSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import type { GraphqlContract } from './read-graphql-contract.js';

/** The same for all files, so that their types are compatible. */
const config = {
  strictScalars: true,
  scalars: { Date: 'string' },
  enumType: 'string-literal',
  enumsAsTypes: true,
  useTypeImports: true,
  immutableTypes: true,
  skipTypename: true,
  maybeValue: 'T | null',
  inputMaybeValue: 'T | null | undefined',
  emitLegacyCommonJSImports: false,
};

const sdkSchema = 'sdk/src/generated/analytics/schema.ts';

interface TypeFile {
  readonly path: string;
  /** Plugins by name, in the order of their output. */
  readonly plugins: Parameters<typeof codegen>[0]['pluginMap'];
  readonly config?: Readonly<Record<string, unknown>>;
}

const typeFiles: readonly TypeFile[] = [
  {
    path: 'generated/graphql/resolvers.ts',
    plugins: { typescript, resolvers },
    config: { avoidOptionals: { field: true } },
  },
  { path: sdkSchema, plugins: { typescript } },
  {
    path: 'sdk/src/generated/analytics/operations.ts',
    plugins: { operations },
    config: { importSchemaTypesFrom: `./${sdkSchema}` },
  },
];

/** @returns the unformatted text of each file by path, without its header */
export async function emitTypes(contract: GraphqlContract): Promise<ReadonlyMap<string, string>> {
  // Sorted, so that moving a type within the schema does not change the generated files.
  const schema = parse(printSchema(lexicographicSortSchema(buildSchema(contract.schemaText))));
  const documents = contract.persisted.map(({ id, text }) => ({
    location: `graphql/persisted/${id}.graphql`,
    document: parse(text),
  }));
  const texts = await Promise.all(
    typeFiles.map(({ path, plugins, config: more }) =>
      codegen({
        filename: path,
        schema,
        documents,
        config: { ...config, ...more },
        plugins: Object.keys(plugins).map((name) => ({ [name]: {} })),
        pluginMap: plugins,
      }),
    ),
  );
  return new Map(typeFiles.map(({ path }, index) => [path, texts[index] ?? '']));
}
