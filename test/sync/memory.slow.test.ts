import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plumbline } from '../cli/plumbline.js';
import { temporaryDirectory } from './harness.js';

const printsPeak = `import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(2, '\\npeak ' + process.resourceUsage().maxRSS + ' kB\\n'));`;

test('The memory of a sync does not grow with the history: 20,000 and 100,000 commits', async () => {
  const folder = temporaryDirectory();
  const hook = join(folder, 'peak.mjs');
  await writeFile(hook, printsPeak);
  const peakOf = async (commits: number): Promise<number> => {
    const options = ['--provider', 'synthetic', '--max-commits-per-repo', String(commits)];
    const { exitCode, stderr } = await plumbline(
      ['sync', 'git', ...options, '--db', `sqlite:///${join(folder, `${commits}.db`)}`],
      { environment: { NODE_OPTIONS: `--import=${hook}` } },
    );
    expect(exitCode, stderr).toBe(0);
    return Number(/^peak (\d+) kB$/m.exec(stderr)?.[1]);
  };
  const small = await peakOf(20_000);
  const large = await peakOf(100_000);
  // The aim is 1.1. Release 0.1.0 had 1.5.
  expect(large / small).toBeLessThan(1.15);
}, 300_000);
