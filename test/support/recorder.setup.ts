import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { observationsFolder } from './recorder.js';

/** Forgets what an earlier run of the tests has seen. */
export default async function setup(): Promise<void> {
  await rm(fileURLToPath(new URL(`../../${observationsFolder}`, import.meta.url)), { recursive: true, force: true });
}
