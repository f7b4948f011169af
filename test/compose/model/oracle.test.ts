import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { askOracle, askPlumbline, ORACLE } from '../oracle/comparison.js';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
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

/** As JSON the reference implementation gives the devices of `blkio_config` other key names than it reads. */
const NOT_AS_JSON = ['full-service'];
const CASES = readdirSync(FIXTURES).flatMap((name) => {
  const formats = NOT_AS_JSON.includes(name) ? (['yaml'] as const) : (['yaml', 'json'] as const);
  return formats.map((format) => [name, format] as const);
});

describe.skipIf(isMissing)(`the reference implementation and Plumbline agree${REASON}`, () => {
  it.each(CASES)('on %s as %s', async (name, format) => {
    const chosen = readCase(name);
    const question = {
      ...chosen,
      environment: { HOME: '/home/someone', ...chosen.environment },
      workingDirectory: path.join(FIXTURES, name),
      format,
    };
    expect(await askPlumbline(question)).toEqual(await askOracle(question));
  });
});
