/** The packed tarball of an earlier commit, unpacked with the packages that it needs. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const migrations = 'src/database/migrations';

export interface EarlierRelease {
  readonly commit: string;
  /** The command of its tarball. */
  readonly command: string;
  /** Its newest migration. */
  readonly schemaVersion: number;
  remove(): Promise<void>;
}

/**
 * The earliest commit whose servers can work with today's schema: the one that introduced the rule for it, or the one
 * that added the last migration of the kind contract, whichever is later. Undefined where the history lacks it.
 */
export async function earliestCompatibleCommit(): Promise<string | undefined> {
  const introduced = await commitThatAdded('src/database/compatibility.ts');
  if (introduced === undefined) return undefined;
  const since = (await history('diff', '--name-only', '--diff-filter=A', introduced, 'HEAD', '--', migrations)).split(
    '\n',
  );
  let commit = introduced;
  for (const file of since.filter((name) => name !== '').sort()) {
    if (!(await readFile(file, 'utf8')).startsWith('-- compatibility: contract')) continue;
    commit = (await commitThatAdded(file)) ?? commit;
  }
  return commit;
}

async function commitThatAdded(file: string): Promise<string | undefined> {
  const commits = (await history('log', '--diff-filter=A', '--format=%H', 'HEAD', '--', file)).split('\n');
  const oldest = commits.filter((commit) => commit !== '').at(-1);
  // In a shallow clone its oldest commit adds every file.
  const parents = oldest === undefined ? '' : await history('rev-list', '--parents', '--max-count=1', oldest);
  return parents.split(' ').length > 1 ? oldest : undefined;
}

/** The releases that the changelog names and whose commits this clone has, newest first. */
export async function releases(): Promise<readonly { readonly version: string; readonly commit: string }[]> {
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const named = [...changelog.matchAll(/^## (?<version>\d\S*)\n\nRelease commit: (?<commit>[0-9a-f]{40})$/gmu)];
  const all = named.map(({ groups }) => ({ version: groups?.['version'] ?? '', commit: groups?.['commit'] ?? '' }));
  const types = await Promise.all(all.map(({ commit }) => history('cat-file', '-t', commit)));
  return all.filter((_, index) => types[index] === 'commit');
}

/** Nothing where this is not a clone, or git is missing. */
async function history(...args: readonly string[]): Promise<string> {
  return run('git', args).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}

/**
 * Builds and packs a commit as a release is, and unpacks the tarball. Its packages are those of this checkout where all
 * of them satisfy its manifest, else those of its lock file.
 */
export async function packRelease(commit: string): Promise<EarlierRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-release-'));
  const archive = join(folder, 'source.tar');
  await run('git', ['archive', `--output=${archive}`, commit]);
  await run('tar', ['-xf', archive, '-C', folder]);
  await linkPackages(folder);
  const areSatisfied = await run('npm', ['ls', '--omit=dev', '--depth=0'], { cwd: folder }).then(
    () => true,
    () => false,
  );
  if (!areSatisfied) {
    await rm(join(folder, 'node_modules'), { recursive: true });
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    await run('npm', ['ci', ...quiet], { cwd: folder });
  }
  // The script `prepare` builds.
  const { stdout } = await run('npm', ['pack', '--loglevel=error'], { cwd: folder });
  await run('tar', ['-xf', stdout.trim().split('\n').at(-1) ?? '', '-C', folder], { cwd: folder });
  const versions = (await readdir(join(folder, migrations))).map((file) => Number.parseInt(file, 10));
  // Unpacked as `package`, beside `node_modules`.
  const unpacked = join(folder, 'package');
  const { bin }: { bin: { plumbline: string } } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
  return {
    commit,
    command: join(unpacked, bin.plumbline),
    schemaVersion: Math.max(...versions),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Links all packages, except the SDK, which is part of the commit. */
async function linkPackages(folder: string): Promise<void> {
  const packages = join(process.cwd(), 'node_modules');
  const linked = join(folder, 'node_modules');
  await mkdir(join(linked, '@plumbline'), { recursive: true });
  await symlink('../../sdk', join(linked, '@plumbline/sdk'));
  for (const name of await readdir(packages)) {
    if (name !== '@plumbline') await symlink(join(packages, name), join(linked, name));
  }
}
