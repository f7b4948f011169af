/** What the reference implementation and Plumbline print for the same compose files, made comparable. */
import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { parse } from 'yaml';
import { loadProject } from '../../../src/compose/model/loader/load.js';
import { renderConfig } from '../../../src/compose/model/project/render.js';
import type { ConfigFormat } from '../../../src/compose/model/project/render.js';

/** The reference implementation: the program that is built from this folder. */
export const ORACLE = process.env['PLUMBLINE_COMPOSE_ORACLE'] ?? '';

export interface Question {
  readonly workingDirectory: string;
  readonly files: readonly string[];
  readonly profiles: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly format: ConfigFormat;
}

/** What the reference implementation prints. Fails with its message when it refuses the files. */
export async function askOracle({
  workingDirectory,
  files,
  profiles,
  environment,
  format,
}: Question): Promise<unknown> {
  const named = [...files.flatMap((file) => ['-f', file]), ...profiles.flatMap((profile) => ['-profile', profile])];
  const { stdout } = await promisify(execFile)(ORACLE, [...named, '-format', format], {
    cwd: workingDirectory,
    env: environment,
    maxBuffer: 2 ** 28,
  });
  return comparable(parse(stdout, { maxAliasCount: -1 }));
}

/** What Plumbline prints. Fails with a ComposeFailure when it refuses the files. */
export async function askPlumbline({ format, ...options }: Question): Promise<unknown> {
  const { project } = await loadProject(options);
  return comparable(parse(renderConfig(project, format).replaceAll('$$', '$'), { maxAliasCount: -1 }));
}

/**
 * What both sides mean alike but print differently: the reference implementation leaves out what is false, and when
 * it prints JSON, it has empty objects for keys that are not set, and no extensions inside services. Since 2.16 it also
 * copies what a `pre_start` hook inherits from its service into the hook.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      inner !== false && !isEmptyStruct(key, inner) && !key.startsWith('x-') && key !== 'create_host_path',
  );
  const compared = Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
  const { pre_start: hooks } = compared;
  return Array.isArray(hooks)
    ? { ...compared, pre_start: hooks.map((hook) => withoutInherited(hook, compared)) }
    : compared;
}

/** Keys that the reference implementation prints without a value in them when they are not set. */
const EMPTY_STRUCTS = ['placement', 'resources', 'exec'];

function isEmptyStruct(key: string, value: unknown): boolean {
  return EMPTY_STRUCTS.includes(key) && isObject(value) && Object.values(value).every((field) => field === null);
}

function withoutInherited(hook: unknown, service: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(hook)) return hook;
  return Object.fromEntries(Object.entries(hook).filter(([key, value]) => !isDeepStrictEqual(value, service[key])));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
