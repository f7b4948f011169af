import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

/** A repository that has one small contract and nothing generated yet. */
export interface SmallProject {
  readonly root: string;
  /** Runs the generator as `npm run generate` does; rejects with its output when it fails. */
  generate(...flags: readonly string[]): Promise<{ stdout: string; stderr: string }>;
  /** Every generated file, by path. */
  generated(): Promise<Map<string, string>>;
  remove(): Promise<void>;
}

/** Sets up a project whose contract is the example contract `workshop`. */
export async function createSmallProject(): Promise<SmallProject> {
  const root = await mkdtemp(join(tmpdir(), 'plumbline-project-'));
  const here = process.cwd();
  await mkdir(join(root, 'openapi'));
  await cp('openapi/shared', join(root, 'openapi/shared'), { recursive: true });
  await cp('.prettierrc.json', join(root, '.prettierrc.json'));
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await symlink(join(here, 'node_modules'), join(root, 'node_modules'));
  const own = await fixture('problems');
  await writeFile(join(root, 'openapi/problems.yaml'), `${await readFile('openapi/problems.yaml', 'utf8')}\n${own}`);
  await writeFile(join(root, 'openapi/workshop.yaml'), await fixture('workshop'));
  const command = join(here, 'src/codegen/start.js');
  return {
    root,
    generate: (...flags) => promisify(execFile)(process.execPath, [command, ...flags], { cwd: root }),
    generated: async () => new Map([...(await filesIn(root, 'generated')), ...(await filesIn(root, 'sdk'))]),
    remove: () => rm(root, { recursive: true }),
  };
}

/** An example contract, with its references as they are from `openapi/`. */
async function fixture(name: string): Promise<string> {
  return (await readFile(`test/contract/fixtures/${name}.yaml`, 'utf8')).replaceAll('../../../openapi/', '');
}

async function filesIn(root: string, folder: string): Promise<Map<string, string>> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = paths
    .sort()
    .map(async (path): Promise<[string, string]> => [relative(root, path), await readFile(path, 'utf8')]);
  return new Map(await Promise.all(read));
}
