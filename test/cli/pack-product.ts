import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtCommand } from './built-command.js';

const run = promisify(execFile);
const root = process.cwd();

/**
 * Packs the product and the packages that it depends on, as they are built.
 *
 * @returns the tarballs; installed together, none of them is asked from a registry
 */
export async function packProduct(folder: string): Promise<readonly string[]> {
  await builtCommand();
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  const ours = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@plumbline/'));
  const sources = [root, ...ours.map((name) => join(root, name.replace('@plumbline/', 'src/')))];
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder, '--loglevel=error'];
  const { stdout } = await run('npm', ['pack', ...sources, ...options], { cwd: folder });
  const packed: { filename: string }[] = JSON.parse(stdout);
  return packed.map(({ filename }) => join(folder, filename));
}
