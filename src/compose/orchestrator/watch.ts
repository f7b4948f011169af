/** `develop.watch`: applies file changes to running services. */
import { imageOf } from '../model/project/listings.js';
import { lstat, readdir, readFile, watch as watchFiles } from 'node:fs/promises';
import path from 'node:path';
import { failure } from '../model/errors.js';
import type { Service } from '../model/project/service.js';
import type { WatchRule } from '../model/project/workload.js';
import { ignoreRule } from '../runtime/ignore-file.js';
import { channel } from '../runtime/channel.js';
import { notSupported } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import type { FileToPut } from '../runtime/spec.js';
import { runHooks } from './hooks.js';
import { imageId, removeReplaced } from './images.js';
import { restartProject } from './lifecycle.js';
import { observeProject, type Member } from './actual-state.js';
import type { Orchestration } from './orchestration.js';
import { up, type Loaded } from './up.js';

/** Yields the absolute paths of changed files below a file or directory. */
export type ChangeSource = (root: string, signal: AbortSignal) => AsyncIterable<string>;

/** A changed file and the rule that matched it. */
export interface Change {
  readonly service: string;
  readonly rule: WatchRule;
  /** Absolute, on the host. */
  readonly file: string;
}

/** Editors write a file in several steps. Changes within this time form one batch. */
const SETTLE_MS = 200;

/** The services that have rules. */
export function watchedServices({ project }: Loaded): string[] {
  return Object.keys(project.services).filter((name) => rulesOf(project.services[name]).length > 0);
}

/**
 * Checks that all watched paths exist, before anything is started.
 *
 * @throws ComposeFailure ComposeValidationError.invalidValue with the rule whose path is missing
 */
export async function requireWatchedPaths(loaded: Loaded): Promise<void> {
  for (const service of watchedServices(loaded)) {
    for (const [index, rule] of rulesOf(loaded.project.services[service]).entries()) {
      const found = await lstat(rule.path).catch(() => undefined);
      if (found !== undefined) continue;
      const at = ['services', service, 'develop', 'watch', index, 'path'];
      throw failure('ComposeValidationError', 'invalidValue', {
        path: at,
        expected: 'a file or directory that exists',
      });
    }
  }
}

/** Receives the outcome of changes. */
export interface WatchObserver {
  /** Called with a line for the user. */
  readonly applied: (text: string) => void;
  /**
   * Changes of this service could not be applied, as after an error in a Dockerfile. The watch continues, and applies
   * them with the next change.
   */
  readonly failed: (service: string, error: unknown) => void;
}

export interface WatchOptions {
  /** False: keep images that a rebuild replaces. */
  readonly prune?: boolean;
  /** Called with true when the application of changes begins, and with false when all are applied. */
  readonly onApplying?: (isUnderWay: boolean) => void;
}

/**
 * Applies changes until the signal fires. Resolves then.
 *
 * @throws when files cannot be watched
 */
export async function watchProject(
  orchestration: Orchestration,
  loaded: Loaded,
  observer: WatchObserver,
  { source = fileChanges, ...options }: WatchOptions & { readonly source?: ChangeSource } = {},
): Promise<void> {
  const { backend, clock, signal } = orchestration;
  if (backend.cluster !== undefined) throw notSupported('watch', backend.conformer);
  await requireWatchedPaths(loaded);
  const changes = channel<Change>({ capacity: Infinity });
  for (const service of watchedServices(loaded)) {
    for (const rule of rulesOf(loaded.project.services[service])) {
      const push = filtered(rule, (file) => changes.push({ service, rule, file }));
      if (rule.initial_sync === true) for (const file of await filesBelow(rule.path)) await push(file);
      pump(source(rule.path, signal), push).catch((error: unknown) => {
        if (signal.aborted) changes.end();
        else changes.fail(error);
      });
    }
  }
  signal.addEventListener(
    'abort',
    () => {
      changes.end();
    },
    { once: true },
  );
  const waiting: Change[] = [];
  let failed: readonly Change[] = [];
  let isApplying = false;
  const applyWaiting = async (): Promise<void> => {
    if (isApplying) return;
    isApplying = true;
    try {
      while (waiting.length > 0) {
        await clock.sleep(SETTLE_MS, signal);
        options.onApplying?.(true);
        failed = await applyChanges(orchestration, loaded, [...waiting.splice(0), ...failed], observer, options);
        options.onApplying?.(failed.length > 0);
      }
    } finally {
      isApplying = false; // synchronously after the last look at `waiting`, so that no change is missed
    }
  };
  for await (const change of changes) {
    waiting.push(change);
    applyWaiting().catch((error: unknown) => {
      if (signal.aborted) changes.end();
      else changes.fail(error);
    });
  }
}

async function pump(paths: AsyncIterable<string>, push: (file: string) => Promise<void>): Promise<void> {
  for await (const file of paths) await push(file);
}

/** Forwards the files that match the rule. */
function filtered(rule: WatchRule, push: (file: string) => Promise<void>): (file: string) => Promise<void> {
  const isIgnored = ignoreRule((rule.ignore ?? []).join('\n'));
  const isIncluded = rule.include === undefined ? () => true : ignoreRule(rule.include.join('\n'));
  return async (file) => {
    const relative = path.relative(rule.path, file).split(path.sep).join('/');
    if (relative === '' || (!isIgnored(relative) && isIncluded(relative))) await push(file);
  };
}

async function filesBelow(root: string): Promise<string[]> {
  if (!(await lstat(root)).isDirectory()) return [root];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function* fileChanges(root: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const isDirectory = (await lstat(root)).isDirectory();
  for await (const { filename } of watchFiles(root, { recursive: isDirectory, signal })) {
    yield isDirectory && filename !== null ? path.join(root, filename) : root;
  }
}

/**
 * Applies one batch. A failure of one service does not stop the others.
 *
 * @returns the changes of the services that failed
 */
export async function applyChanges(
  orchestration: Orchestration,
  loaded: Loaded,
  changes: readonly Change[],
  { applied, failed }: WatchObserver,
  options: WatchOptions = {},
): Promise<readonly Change[]> {
  const left: Change[] = [];
  for (const service of new Set(changes.map((change) => change.service))) {
    const own = changes.filter((change) => change.service === service);
    try {
      await applyToService(orchestration, loaded, service, own, applied, options);
    } catch (error) {
      if (orchestration.signal.aborted) throw error;
      left.push(...own);
      failed(service, error);
    }
  }
  return left;
}

/** A rebuild makes the other actions unnecessary; otherwise copies files, then restarts. */
async function applyToService(
  orchestration: Orchestration,
  loaded: Loaded,
  service: string,
  changes: readonly Change[],
  applied: (text: string) => void,
  options: WatchOptions,
): Promise<void> {
  if (changes.some(({ rule }) => rule.action === 'rebuild')) {
    await rebuild(orchestration, loaded, service, options);
    applied(`${service}: rebuilt`);
    return;
  }
  const members = await runningMembers(orchestration, loaded, service);
  const synced = changes.filter(({ rule }) => rule.action.startsWith('sync'));
  const files = new Map(synced.map((change) => [change.file, change]));
  for (const change of files.values()) await sync(orchestration, members, change);
  if (files.size > 0) applied(`${service}: ${files.size} ${files.size === 1 ? 'file' : 'files'} copied`);
  for (const rule of new Set(synced.map((change) => change.rule))) {
    if (rule.action !== 'sync+exec' || rule.exec === undefined) continue;
    for (const { container } of members) await runHooks(orchestration, container, [rule.exec]);
  }
  if (!changes.some(({ rule }) => rule.action.endsWith('restart'))) return;
  await restartProject(orchestration, { name: loaded.project.name, services: [service], project: loaded.project });
  applied(`${service}: restarted`);
}

async function rebuild(
  orchestration: Orchestration,
  { project, contents }: Loaded,
  service: string,
  { prune = true }: WatchOptions,
): Promise<void> {
  const image = imageOf(project, service);
  const replaced = prune ? await imageId(orchestration, image) : undefined;
  const alone = {
    ...project,
    services: { [service]: project.services[service] ?? {} },
    disabledServices: { ...project.disabledServices, ...project.services },
  };
  await up(orchestration, { project: alone, contents }, { build: 'always' });
  if (replaced !== undefined && replaced !== (await imageId(orchestration, image))) {
    await removeReplaced(orchestration, replaced);
  }
}

async function runningMembers(orchestration: Orchestration, { project }: Loaded, service: string): Promise<Member[]> {
  const members = await observeProject(orchestration, project.name);
  return members.filter((each) => each.service === service && !each.oneOff && !hasEnded(each.container.status));
}

/** Copies existing files and directories, and removes deleted ones. */
async function sync(
  { backend, signal }: Orchestration,
  members: readonly Member[],
  { rule, file }: Change,
): Promise<void> {
  const relative = path.relative(rule.path, file).split(path.sep).join('/');
  const target = path.posix.join(rule.target ?? '/', relative);
  const found = await lstat(file).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  for (const { container } of members) {
    if (found === undefined) {
      const removal = await backend.containers.exec(container.id, { command: ['rm', '-rf', '--', target] }, { signal });
      for await (const _chunk of removal.output) continue;
      await removal.exitCode;
    } else {
      const copy: FileToPut = { path: target, content: await readFile(file), mode: found.mode & 0o777 };
      await backend.containers.putFiles(container.id, [copy], { signal });
    }
  }
}

function rulesOf(service: Service | undefined): readonly WatchRule[] {
  return service?.develop?.watch ?? [];
}
