/** The Compose Specification's schema, as tests walk it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The file that PLUMBLINE_COMPOSE_SCHEMA names, or what the reference implementation carries; else undefined. */
export function readSpecification(): Schema | undefined {
  const file = process.env['PLUMBLINE_COMPOSE_SCHEMA'];
  if (file !== undefined && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Schema;
  const oracle = process.env['PLUMBLINE_COMPOSE_ORACLE'];
  if (oracle !== undefined && existsSync(oracle))
    return JSON.parse(execFileSync(oracle, ['-schema'], { encoding: 'utf8' })) as Schema;
  return undefined;
}

/** To be added to the title of a test that is skipped without the schema. */
export function skipReason(schema: Schema | undefined): string {
  return schema === undefined
    ? ' (skipped: neither PLUMBLINE_COMPOSE_SCHEMA nor PLUMBLINE_COMPOSE_ORACLE names a file)'
    : '';
}

/** Keys of compose-go 2.16 that the published specification does not have. Hooks accept all keys of containers there. */
const UNPUBLISHED = [
  /^jobs\b/,
  /^services\.name\.umask$/,
  /\.use_service_name_alias$/,
  /^services\.name\.pre_start\.0\.(?!(?:command|image|user|privileged|working_dir|environment|per_replica)\b)/,
];

/** Every way to a key of the published specification, which the schema of the reference implementation is ahead of. */
export function publishedKeyPaths(schema: Schema): (string | number)[][] {
  return keyPaths(schema, schema).filter((path) => !UNPUBLISHED.some((pattern) => pattern.test(path.join('.'))));
}

/** Every way to a key that the schema has; names that authors choose are `name`, list items are 0. */
function keyPaths(
  schema: Schema,
  root: Schema,
  path: readonly (string | number)[] = [],
  depth = 0,
): (string | number)[][] {
  if (depth > 12) return [];
  const target = schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {});
  const own = Object.entries(target.properties ?? {}).flatMap(([key, value]) => [
    [...path, key],
    ...keyPaths(value, root, [...path, key], depth + 1),
  ]);
  const named = Object.entries(target.patternProperties ?? {})
    .filter(([pattern]) => pattern !== '^x-')
    .flatMap(([, value]) => keyPaths(value, root, [...path, 'name'], depth + 1));
  const items = target.items === undefined ? [] : keyPaths(target.items, root, [...path, 0], depth + 1);
  const parts = [...(target.oneOf ?? []), ...(target.allOf ?? [])];
  return [...own, ...named, ...items, ...parts.flatMap((each) => keyPaths(each, root, path, depth + 1))];
}
