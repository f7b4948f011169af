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
 * @returns the tarballs by the names of their packages; npm asks no registry for any of them if they are installed together
 */
export async function packProduct(folder: string): Promise<Readonly<Record<string, string>>> {
  await builtCommand();
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  const ours = Object.keys(manifest.dependencies).filter((name) => name.startsWith('@plumbline/'));
  const sources = [root, ...ours.map((name) => join(root, name.replace('@plumbline/', 'src/')))];
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder, '--loglevel=error'];
  const { stdout } = await run('npm', ['pack', ...sources, ...options], { cwd: folder });
  const packed: { name: string; filename: string }[] = JSON.parse(stdout);
  return Object.fromEntries(packed.map(({ name, filename }) => [name, join(folder, filename)]));
}
