import { record } from '../documents.js';
import type { Change } from './change.js';
import { compareDocuments } from './compare-documents.js';
import { compareSchemaTexts } from './compare-graphql.js';
import { comparePersisted } from './compare-persisted.js';
import type { Files } from './revision.js';
import type { ContractChanges } from './versions.js';

/**
 * Compares all contracts of two versions of this repository: the bundled REST contracts, and GraphQL with its errors
 * and persisted queries.
 *
 * @throws Error when a contract cannot be read
 */
export async function compareContracts(before: Files, after: Files): Promise<ContractChanges[]> {
  const contracts: ContractChanges[] = [];
  for (const name of ['platform', 'compose']) {
    const [old, now] = await Promise.all([before, after].map(async (files) => documentOf(files, name)));
    contracts.push({ name, before: versionOf(old), after: versionOf(now), changes: compareDocuments(old, now) });
  }
  return [...contracts, await compareGraphql(before, after)];
}

async function documentOf(files: Files, name: string): Promise<unknown> {
  const path = `generated/${name}/openapi.json`;
  const text = await files.read(path);
  if (text === null) throw new Error(`${path} is missing in one of the versions`);
  return JSON.parse(text);
}

function versionOf(document: unknown): string {
  return String(record(record(document)['info'])['version']);
}

async function compareGraphql(before: Files, after: Files): Promise<ContractChanges> {
  const [old, now] = await Promise.all([readGraphql(before), readGraphql(after)]);
  const inReplies = (change: Change): Change => ({ ...change, side: 'reply' });
  const changes = [
    ...compareSchemaTexts(old.schema, now.schema),
    ...compareSchemaTexts(old.errors, now.errors).map(inReplies),
    ...comparePersisted(old.persisted, now.persisted),
  ];
  return { name: 'graphql', before: old.version, after: now.version, changes };
}

interface GraphqlContract {
  readonly version: string;
  readonly schema: string;
  readonly errors: string;
  /** The persisted queries by their ids. */
  readonly persisted: ReadonlyMap<string, string>;
}

async function readGraphql(files: Files): Promise<GraphqlContract> {
  const [schema, errors] = await Promise.all(['schema', 'errors'].map((name) => files.read(`graphql/${name}.graphql`)));
  if (typeof schema !== 'string' || typeof errors !== 'string') {
    throw new Error('graphql/schema.graphql or graphql/errors.graphql is missing in one of the versions');
  }
  const persisted = new Map<string, string>();
  for (const file of await files.list('graphql/persisted')) {
    const text = await files.read(`graphql/persisted/${file}`);
    if (file.endsWith('.graphql') && text !== null) persisted.set(file.slice(0, -'.graphql'.length), text);
  }
  return {
    // Release 0.1.0 did not state a version.
    version: /^# Version: (\S+)$/m.exec(schema)?.[1] ?? '1.0.0',
    schema,
    errors: `type Query { none: Boolean }\n${errors}`,
    persisted,
  };
}
