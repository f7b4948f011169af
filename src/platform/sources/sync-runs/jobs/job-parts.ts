import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { faultOfBaseUrl } from '../../integrations/base-url.js';
import { matchesPattern, splitSelection } from '../../../../sync/batch.js';
import { SyncError, type SyncFailure } from '../../../../sync/failures.js';
import type { SyncOptions } from '../../../../sync/options.js';
import { demoRepositories } from '../../../figures/demo/demo-content.js';
import type { SyncJob } from './sync-job.js';

/** One repository, or a pattern that the provider resolves: the argument of one `plumbline sync` call. */
export interface JobPart {
  readonly selected: string;
  /** Whether it may match any number of repositories. */
  readonly isPattern: boolean;
  /** All options except the target. */
  readonly options: SyncOptions;
  /** Why the part cannot be synced; null: it can. */
  readonly error: SyncFailure | null;
}

/**
 * Splits a job into parts. Patterns of `local` and `synthetic` are resolved here; the code host resolves its own.
 * Repositories that the provider cannot have become parts with an error. Patterns with `!` before them leave out what they
 * match of the others.
 */
export async function partsOf(job: SyncJob): Promise<JobPart[]> {
  const parts = new Map<string, JobPart>();
  const { included, excepted } = splitSelection(job.repositories);
  for (const selected of included) {
    for (const part of await partsOrFault(selected, job)) {
      const isExcepted = !part.isPattern && excepted.some((pattern) => matchesPattern(pattern, part.selected));
      if (!isExcepted && !parts.has(part.selected)) parts.set(part.selected, withExceptions(part, excepted));
    }
  }
  return [...parts.values()];
}

/** The code host resolves the pattern, and compares each name with the exceptions. */
function withExceptions(part: JobPart, excepted: readonly string[]): JobPart {
  const { search } = part.options;
  if (search === undefined || excepted.length === 0) return part;
  return { ...part, options: { ...part.options, search: [search, ...excepted.map((each) => `!${each}`)].join(' ') } };
}

async function partsOrFault(selected: string, job: SyncJob): Promise<JobPart[]> {
  try {
    const common: SyncOptions = {
      provider: job.provider,
      db: job.store,
      org: job.orgId,
      ...(job.rulesFile === null ? {} : { rules: job.rulesFile }),
      ...accessOf(job),
    };
    const parts = await partsFor(selected, job);
    return parts.map((part) => ({ ...part, options: { ...common, ...part.options }, error: null }));
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    return [{ selected, isPattern: false, options: {}, error: { code: error.code, message: error.message } }];
  }
}

type Part = Omit<JobPart, 'error'>;

async function partsFor(selected: string, { provider, localRoot }: SyncJob): Promise<Part[]> {
  switch (provider) {
    case 'host_a':
      return [hostAPart(selected)];
    case 'host_b':
      return [hostBPart(selected)];
    case 'local':
      return (await directoriesFor(selected, localRoot)).map(({ name, path }) => single(name, { repoPath: path }));
    case 'synthetic':
      return namesFor(selected).map((repoName) => single(repoName, { repoName }));
  }
}

/** @throws SyncError (`not_found`) for an address where no code host is allowed */
function accessOf({ provider, credential, integrationNetworks }: SyncJob): SyncOptions {
  if (credential === null) return {};
  const { token, baseUrl } = credential;
  if (baseUrl === null) return { auth: token };
  const fault = faultOfBaseUrl(baseUrl, integrationNetworks);
  if (fault !== null) throw new SyncError('not_found', `The address of the code host cannot be used: it ${fault}.`);
  const url = baseUrl.replace(/\/+$/, '');
  // Users copy the address from a browser or from the API's documentation; the client appends the API's path itself.
  return provider === 'host_a'
    ? { auth: token, hostAUrl: url }
    : { auth: token, hostBUrl: url.replace(/\/api\/v4$/, '') };
}

function hostAPart(selected: string): Part {
  const [owner, repo, ...rest] = selected.split('/');
  if (owner === undefined || owner === '' || isPattern(owner) || repo === undefined || repo === '' || rest.length > 0) {
    throw refused(selected, 'is neither owner/name nor a pattern such as owner/*');
  }
  return isPattern(repo) ? pattern(selected, owner) : single(selected, { owner, repo });
}

/** A project is given by its number, or by its path, for which its group is listed. */
function hostBPart(selected: string): Part {
  if (/^[1-9]\d*$/.test(selected)) return single(selected, { projectId: selected });
  const group = selected.slice(0, Math.max(0, selected.lastIndexOf('/')));
  if (group === '' || isPattern(group)) {
    throw refused(selected, 'is neither the number of a project, nor group/name, nor a pattern such as group/*');
  }
  return pattern(selected, group);
}

function single(selected: string, options: SyncOptions): Part {
  return { selected, isPattern: false, options };
}

function pattern(selected: string, group: string): Part {
  return { selected, isPattern: true, options: { search: selected, group } };
}

function isPattern(text: string): boolean {
  return /[*?[\]]/.test(text);
}

/** The fictional repositories that match a pattern. A name without a pattern is used as it is. */
function namesFor(selected: string): readonly string[] {
  if (!isPattern(selected)) return [selected];
  const found = demoRepositories.filter((name) => matchesPattern(selected, name));
  if (found.length === 0)
    throw refused(selected, `matches none of the synthetic repositories: ${demoRepositories.join(', ')}`);
  return found;
}

/**
 * The directories that a path or pattern matches below the root that the operator has opened to the organization.
 * Links are resolved first, so that none leads outside.
 */
async function directoriesFor(selected: string, root: string | null): Promise<{ name: string; path: string }[]> {
  if (root === null) {
    const setting = 'SYNC_LOCAL_ROOT, SYNC_LOCAL_ORGANIZATIONS';
    throw refused(selected, `is on the server, which does not share a directory with this organization (${setting})`);
  }
  const top = await realpath(root).catch(() => {
    throw new SyncError('repository_unreadable', 'The directory of SYNC_LOCAL_ROOT does not exist.');
  });
  const wanted = isAbsolute(selected) ? relative(top, resolve(selected)) : selected;
  const segments = wanted.split(/[/\\]/).filter((each) => each !== '' && each !== '.');
  // Otherwise a pattern that leaves the root and returns would reveal which directories exist outside.
  if (segments.includes('..')) throw refused(selected, 'is not a directory below SYNC_LOCAL_ROOT');
  const found: { name: string; path: string }[] = [];
  for (const name of await expand(top, segments)) {
    const path = await realpath(join(top, name)).catch(() => null);
    if (path !== null && (path === top || path.startsWith(top + sep)))
      found.push({ name: name === '' ? '.' : name, path });
  }
  if (found.length === 0) throw refused(selected, 'is not a directory below SYNC_LOCAL_ROOT');
  return found;
}

/** The relative paths that match segments with patterns. */
async function expand(top: string, segments: readonly string[]): Promise<string[]> {
  let paths = [''];
  for (const segment of segments) {
    if (!isPattern(segment)) {
      paths = paths.map((path) => join(path, segment));
      continue;
    }
    const lists = await Promise.all(
      paths.map(async (path) => {
        const entries = await readdir(join(top, path), { withFileTypes: true }).catch(() => []);
        const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
        return names.filter(({ name }) => matchesPattern(segment, name)).map(({ name }) => join(path, name));
      }),
    );
    paths = lists.flat().sort();
  }
  return paths;
}

function refused(selected: string, why: string): SyncError {
  return new SyncError('not_found', `${selected} ${why}.`);
}
