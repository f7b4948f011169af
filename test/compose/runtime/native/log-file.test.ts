import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/compose/runtime/clock.js';
import { LONGEST_LOG_LINE } from '../../../../src/compose/runtime/engine/log-line.js';
import { logFileLines } from '../../../../src/compose/runtime/native/log-file.js';
import { all } from '../conformance.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plt-log-'));
  path = join(directory, 'ctr.log');
});
afterEach(() => rm(directory, { recursive: true }));

const entry = (second: number, rest: string): string => `2026-01-02T03:04:0${second}.5+00:00 ${rest}\n`;

/** Each sleep of the reader does the next of these instead; after the last the container has ended. */
function script(...steps: (() => Promise<void>)[]): { clock: Clock; untilEnded: () => Promise<void> } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const clock: Clock = {
    now: () => new Date(0),
    async sleep() {
      await steps.shift()?.();
      if (steps.length === 0) end();
    },
  };
  return { clock, untilEnded: () => ended };
}

const still = script();

describe('a log file', () => {
  it('yields whole lines of both streams in order, with the time of their first part', async () => {
    await writeFile(
      path,
      entry(1, 'stdout F one') +
        entry(2, 'stdout P begin') +
        entry(3, 'stderr F between') +
        entry(4, 'stdout P , middle') +
        entry(5, 'stdout F , end') +
        entry(6, 'stdout F '),
    );
    const lines = await all(logFileLines(path, still, {}));
    expect(lines.map(({ stream, line, time }) => [stream, line, time.slice(17, 21)])).toEqual([
      ['stdout', 'one', '01.5'],
      ['stderr', 'between', '03.5'],
      ['stdout', 'begin, middle, end', '02.5'],
      ['stdout', '', '06.5'],
    ]);
  });

  it('yields a line of great length in parts, with the times of the parts', async () => {
    const piece = 'x'.repeat(LONGEST_LOG_LINE / 2);
    await writeFile(path, [1, 2, 3].map((second) => entry(second, `stdout P ${piece}`)).join(''));
    const lines = await all(logFileLines(path, still, {}));
    expect(lines.map(({ line, time }) => [line.length, time.slice(17, 19)])).toEqual([
      [LONGEST_LOG_LINE, '01'],
      [LONGEST_LOG_LINE / 2, '03'],
    ]);
  });

  it('yields an unterminated last line, and skips malformed entries', async () => {
    await writeFile(path, `not an entry\n${entry(1, 'stderr P unfinished')}`);
    expect((await all(logFileLines(path, still, {}))).map(({ line }) => line)).toEqual(['unfinished']);
  });

  it('is followed across a partial write and a rotation, until the container ends', async () => {
    await writeFile(path, entry(1, 'stdout F one'));
    const steps = script(
      () => appendFile(path, entry(2, 'stdout F two').slice(0, 20)),
      () => appendFile(path, entry(2, 'stdout F two').slice(20)),
      async () => {
        await writeFile(`${path}.new`, entry(3, 'stdout F three'));
        await rename(`${path}.new`, path);
      },
      () => appendFile(path, entry(4, 'stdout F four')),
    );
    const lines = await all(logFileLines(path, steps, { follow: true }));
    expect(lines.map(({ line }) => line)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('with a tail yields the newest lines, then new ones', async () => {
    await writeFile(path, entry(1, 'stdout F one') + entry(2, 'stdout F two'));
    const steps = script(() => appendFile(path, entry(3, 'stdout F three')));
    const lines = await all(logFileLines(path, steps, { follow: true, tail: 1 }));
    expect(lines.map(({ line }) => line)).toEqual(['two', 'three']);
  });
});
