import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadProject } from '../../../src/compose/model/loader/load.js';
import { renderConfig } from '../../../src/compose/model/project/render.js';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const ORACLE = process.env['PLUMBLINE_COMPOSE_ORACLE'] ?? '';
const isMissing = !existsSync(ORACLE);
const REASON = isMissing
  ? ' (skipped: PLUMBLINE_COMPOSE_ORACLE names no program; build test/compose/oracle for it)'
  : '';

interface Case {
  readonly files?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

function readCase(name: string): Required<Case> {
  const file = path.join(FIXTURES, name, 'case.json');
  const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Case) : {};
  return { files: ['compose.yaml'], profiles: [], environment: {}, ...written };
}

function askOracle(name: string, { files, profiles, environment }: Required<Case>, format: string): unknown {
  const named = [...files.flatMap((file) => ['-f', file]), ...profiles.flatMap((profile) => ['-profile', profile])];
  const env = { HOME: '/home/someone', ...environment };
  return parse(
    execFileSync(ORACLE, [...named, '-format', format], { cwd: path.join(FIXTURES, name), env, encoding: 'utf8' }),
  );
}

/**
 * What both sides mean alike but print differently: the reference implementation leaves out what is false, has an empty
 * `placement` in every `deploy` and no extensions inside services when it prints JSON.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => inner !== false && !isEmptyPlacement(key, inner) && !key.startsWith('x-'),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
}

function isEmptyPlacement(key: string, value: unknown): boolean {
  return key === 'placement' && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** As JSON the reference implementation gives the devices of `blkio_config` other key names than it reads. */
const NOT_AS_JSON = ['full-service'];
const CASES = readdirSync(FIXTURES).flatMap((name) => {
  const formats = NOT_AS_JSON.includes(name) ? (['yaml'] as const) : (['yaml', 'json'] as const);
  return formats.map((format) => [name, format] as const);
});

describe.skipIf(isMissing)(`the reference implementation and Plumbline agree${REASON}`, () => {
  it.each(CASES)('on %s as %s', async (name, format) => {
    const chosen = readCase(name);
    const { project } = await loadProject({
      files: chosen.files,
      profiles: chosen.profiles,
      environment: { HOME: '/home/someone', ...chosen.environment },
      workingDirectory: path.join(FIXTURES, name),
    });
    const ours: unknown = parse(renderConfig(project, format).replaceAll('$$', '$'));
    expect(comparable(ours)).toEqual(comparable(askOracle(name, chosen, format)));
  });
});
