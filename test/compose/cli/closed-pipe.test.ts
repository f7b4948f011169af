/** A command ends when the reader of its output has ended. `test/compose/engines` proves it for followed output. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { startMain } from '../../cli/main-process.js';
import { folderWith } from '../model/project-folder.js';

test('config ends with 141 if its reader stops before the end', async () => {
  // More than a pipe takes without a reader.
  const configs = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`c${index}`, { content: 'x'.repeat(100_000) }]),
  );
  const file = { services: { web: { image: 'web', configs: Object.keys(configs) } }, configs };
  const folder = await folderWith({ 'compose.yaml': JSON.stringify(file) });

  const child = startMain(['compose', '--project-directory', folder, 'config']);
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'exit')).toEqual([141, null]);
});
