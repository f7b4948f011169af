import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { noteRun } from '../contract/gate/last-run.js';
import { observationsFolder } from './recorder.js';

/** Forgets what an earlier run of the tests has seen, and notes which tests run now. */
export default async function setup(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  await rm(`${root}/${observationsFolder}`, { recursive: true, force: true });
  noteRun(root, process.argv.slice(2));
}
