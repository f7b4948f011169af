/**
 * Keeps the git program inside a folder. Otherwise a user with write access below SYNC_LOCAL_ROOT could make a
 * repository refer to objects, refs or settings outside that folder, and read them as commits of an organization.
 */
import { realpath } from 'node:fs/promises';
import { devNull } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { assertNothingLeadsOut, inside, leadsOut, readInside, refused } from './enclosed-files.js';
import { findGitDirectories } from './git-directories.js';
import type { Git } from './git.js';
import { runGit } from './git.js';

/** The maximum length of a chain of alternates (repositories that borrow objects); git follows five. */
const ALTERNATES_DEPTH = 5;

/** Settings of a repository that name files or directories for git to read. */
const PATH_SETTINGS = /^(?:core\.(?:worktree|attributesfile|excludesfile)|mailmap\.file|blame\.ignorerevsfile)$/;
const INCLUDES = /^include(?:if\..*)?\.path$/s;

/**
 * Variables for git in an enclosed repository: no search above the root, no fetches from a promisor remote, and no
 * transport.
 */
export function enclosedEnvironment(root: string): Record<string, string> {
  return {
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

/**
 * Checks that all paths which git would follow in the repository at `git.path` are below `root`: the `.git` file or
 * link, the common directory of a worktree, alternates, symbolic links among objects and refs, and the paths in its
 * settings. No git command runs in the repository before the check, because every command reads the settings. The check
 * does not detect changes during the sync.
 *
 * @param root absolute, without symbolic links
 * @returns git for the checked directories. It runs inside the git directory; in the work tree it would read attributes
 * and name maps through links that lead out.
 * @throws SyncError (`repository_unreadable`) naming the path that leads out
 */
export async function enclosed(git: Git, root: string): Promise<Git> {
  const { top, own, common } = await findGitDirectories(git.path, root);
  const seen = new Set<string>();
  for (const directory of new Set([own, common])) {
    await assertNothingLeadsOut(directory, root, seen);
    for (const file of ['config', 'config.worktree']) await assertSettings(git, directory, file, root);
  }
  // Git resolves relative alternates from the resolved `objects` directory.
  const objects = await inside(join(common, 'objects'), root, 'the object directory');
  await assertAlternates(objects, root, ALTERNATES_DEPTH, seen);
  const ceiling = { GIT_CEILING_DIRECTORIES: dirname(top) };
  await assertFound({ ...git, confinement: { ...git.confinement, ...ceiling } }, own, common);
  const mailmap = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'mailmap.blob', GIT_CONFIG_VALUE_0: 'HEAD:.mailmap' };
  return { ...git, path: own, confinement: { ...git.confinement, ...mailmap, GIT_DIR: own } };
}

/** Checks that git uses the checked directories. It also checks their owner (`safe.directory`), here only. */
async function assertFound(git: Git, own: string, common: string): Promise<void> {
  // One answer at a time: a path may contain a newline.
  const found = async (option: string): Promise<string> => {
    const path = (await runGit(git, ['rev-parse', option])).toString('utf8').replace(/\n$/, '');
    return realpath(isAbsolute(path) ? path : resolve(git.path, path));
  };
  const [foundOwn, foundCommon] = await Promise.all([found('--absolute-git-dir'), found('--git-common-dir')]);
  if (foundOwn !== own || foundCommon !== common) throw refused('git finds another repository');
}

async function assertAlternates(objects: string, root: string, depth: number, seen: Set<string>): Promise<void> {
  const what = 'the list of borrowed objects';
  const text = (await readInside(join(objects, 'info', 'alternates'), root, what)) ?? '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    // Git unquotes such a line; no clone writes one.
    if (line.startsWith('"') || depth === 0) throw refused('its list of borrowed objects cannot be checked');
    const borrowed = await inside(isAbsolute(line) ? line : resolve(objects, line), root, what);
    await assertNothingLeadsOut(borrowed, root, seen);
    await assertAlternates(borrowed, root, depth - 1, seen);
  }
}

async function assertSettings(git: Git, directory: string, file: string, root: string): Promise<void> {
  const text = await readInside(join(directory, file), root, `the file ${file}`);
  if (text === undefined) return;
  for (const { name, value } of await settingsIn(git, text)) {
    if (INCLUDES.test(name)) throw refused(`its file ${file} includes other files`);
    if (!PATH_SETTINGS.test(name) || value === '') continue;
    // Git resolves some paths from the work tree, others from the .git directory.
    if (value.startsWith('~') || value.split('/').includes('..')) throw leadsOut(`the setting ${name}`);
    await inside(isAbsolute(value) ? value : resolve(directory, value), root, `the setting ${name}`);
  }
}

/** Git parses the text outside of any repository; inside one, it would read the settings of the repository first. */
async function settingsIn(git: Git, text: string): Promise<{ readonly name: string; readonly value: string }[]> {
  const nowhere = { ...git, path: '/', confinement: { ...git.confinement, GIT_DIR: devNull } };
  const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
  const listed = (await runGit(nowhere, args, { input: text })).toString('utf8');
  return listed.split('\0').flatMap((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [] : [{ name: entry.slice(0, end), value: entry.slice(end + 1) }];
  });
}
