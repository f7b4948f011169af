import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enclosed, enclosedEnvironment } from '../../../src/sync/providers/local/enclosure.js';
import { openGit, type Git } from '../../../src/sync/providers/local/git.js';
import { reachOf } from '../../../src/sync/providers/local/reachable.js';
import { readBoundary } from '../../../src/sync/providers/local/shallow.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { temporaryDirectory } from '../harness.js';

function repository(path: string): string {
  initRepository(path);
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'root');
  return path;
}

function opened(path: string): Promise<Git> {
  return openGit(path, GIT_TEST_ENVIRONMENT, new AbortController().signal);
}

/** The hash of a commit with this message. */
function commitTree(path: string, message: string, ...parents: string[]): string {
  const args = ['-C', path, 'commit-tree', 'HEAD^{tree}', ...parents.flatMap((parent) => ['-p', parent])];
  return execFileSync('git', args, { input: message, encoding: 'utf8', env: GIT_TEST_ENVIRONMENT }).trim();
}

it('knows the parents at the boundary of a shallow clone, whatever the messages there look like', async () => {
  const path = repository(join(temporaryDirectory(), 'whole'));
  const root = git(path, 'rev-parse', 'HEAD').trim();
  const fake = `parent ${root}\n\n\n${root} commit 3\nabc\nparent ${root}\n`;
  const merge = commitTree(path, fake, root, commitTree(path, 'side', root));
  const single = commitTree(path, fake, root);
  git(path, 'update-ref', 'refs/heads/main', commitTree(path, 'tip', merge, single));
  const shallow = join(temporaryDirectory(), 'shallow');
  git(path, 'clone', '--quiet', '--depth=2', `file://${path}`, shallow);
  const { parents } = await readBoundary(await opened(shallow), join(shallow, '.git'));
  expect(parents).toEqual(
    new Map([
      [merge, 2],
      [single, 1],
    ]),
  );
});

it('knows the commits of a clone beside hashes of a host that are not hashes', async () => {
  const path = repository(join(temporaryDirectory(), 'project'));
  const head = git(path, 'rev-parse', 'HEAD').trim();
  const reach = await reachOf(await opened(path), join(path, '.git'));
  if ('partial' in reach) throw new Error(reach.partial);
  expect(await reach.known?.(['no\nhash', '', `${head} commit`, head, 'HEAD', '\u0001'])).toEqual(new Set([head]));
});

it('encloses a repository in a directory whose name has a newline', async () => {
  const root = temporaryDirectory();
  const path = join(root, 'new\nline');
  mkdirSync(path);
  repository(path);
  const unchecked = { ...(await opened(path)), confinement: enclosedEnvironment(root) };
  expect((await enclosed(unchecked, root)).path).toBe(join(path, '.git'));
});
