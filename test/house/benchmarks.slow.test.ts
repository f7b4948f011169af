import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benchmarks } from '../bench/benchmarks.js';
import { recordRatios } from '../bench/record-ratios.js';
import { builtCommand } from '../cli/built-command.js';
import { browser, withoutBrowser } from '../support/browser.js';

const run = promisify(execFile);

describe('A benchmark', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    await builtCommand(); // which several of them start
  });

  for (const name of Object.keys(benchmarks)) {
    const isLeftOut = name === 'console' && browser === undefined;
    test.skipIf(isLeftOut)(`${name} runs and prints figures${isLeftOut ? withoutBrowser : ''}`, async () => {
      const { stdout } = await run('node_modules/.bin/tsx', ['test/bench/main.ts', name, '--brief'], {
        maxBuffer: 64 * 1024 * 1024,
      });
      // Where an engine is missing, the benchmark says so instead.
      expect(stdout).toMatch(/│ +'?-?\d|left out/);
    });
  }
});

describe('The table of ratios', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-ratios-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('gets a row for each ratio, with the release and the machine', async () => {
    const file = join(folder, 'RATIOS.md');
    await writeFile(file, '| release |\n');
    await recordRatios('9.9.9', [{ table: 'POST', what: 'lean koa', ratio: '1.15' }], file);
    expect(await readFile(file, 'utf8')).toMatch(
      /^\| release \|\n\| 9\.9\.9 \| POST \| lean koa \| 1\.15 \| \d+ cores, .*\|\n$/,
    );
  });
});
