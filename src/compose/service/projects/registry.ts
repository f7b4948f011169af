/** The ingested projects. Each has a file in one directory, and an empty project directory there. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ComposeFailure } from '../../model/errors.js';
import type { LoadedProject } from '../../model/loader/load.js';
import type { Clock } from '../../runtime/clock.js';
import { alreadyExists, RuntimeError } from '../../runtime/errors.js';
import { replaceFile } from '../../runtime/state.js';
import type { Allowance } from '../trust/allowances.js';
import { checkSent, type IngestedProject } from './ingested-project.js';

export interface Ingestion {
  readonly project: IngestedProject;
  readonly loaded: LoadedProject;
  readonly outcome: 'created' | 'unchanged' | 'replaced';
}

export interface ProjectRegistry {
  get(name: string): IngestedProject | undefined;
  /** By name. */
  list(): readonly IngestedProject[];
  /**
   * Ingests a compose file.
   *
   * @param replace whether it may replace an existing project
   * @throws ComposeFailure for a file that cannot be used here
   * @throws RuntimeError.alreadyExists, persistenceFailure
   */
  put(name: string, text: string, replace: boolean): Promise<Ingestion>;
  /** @throws RuntimeError.persistenceFailure */
  forget(name: string): Promise<void>;
  /** Removes data kept only while the server runs. */
  close(): Promise<void>;
}

/**
 * @param folder the directory in which projects outlive the server; null: they do not
 * @param allowances features that the operator allows projects to use
 * @throws RuntimeError.persistenceFailure when the directory cannot be read, or contains a project that is no longer
 * allowed
 */
export async function openProjectRegistry(
  folder: string | null,
  clock: Clock,
  allowances: ReadonlySet<Allowance> = new Set(),
): Promise<ProjectRegistry> {
  const root = folder ?? (await mkdtemp(path.join(tmpdir(), 'plumbline-projects-')));
  const projects = new Map<string, IngestedProject>();
  for (const project of await readProjects(root, allowances)) projects.set(project.name, project);
  const directoryOf = (name: string): string => path.join(root, name);
  const fileOf = (name: string): string => path.join(root, `${name}.json`);

  return {
    get: (name) => projects.get(name),
    list: () => [...projects.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    async put(name, text, replace) {
      // The name is validated here, before it becomes part of a file name.
      const loaded = await checkSent({ name, text, directory: directoryOf(name), allowances });
      const before = projects.get(name);
      if (before?.text === text) return { project: before, loaded, outcome: 'unchanged' };
      if (before !== undefined && !replace) throw alreadyExists(name);
      const ingestedAt = before?.ingestedAt ?? clock.now().toISOString();
      const project = { name, text, ingestedAt, directory: directoryOf(name), allowances };
      await durably('written', async () => {
        await mkdir(project.directory, { recursive: true, mode: 0o700 });
        await replaceFile(fileOf(name), JSON.stringify({ ingested_at: ingestedAt, text }));
      });
      projects.set(name, project);
      return { project, loaded, outcome: before === undefined ? 'created' : 'replaced' };
    },
    async forget(name) {
      if (!projects.has(name)) return;
      await durably('removed', async () => {
        await rm(fileOf(name), { force: true });
        await rm(directoryOf(name), { recursive: true, force: true });
      });
      projects.delete(name);
    },
    async close() {
      if (folder === null) await rm(root, { recursive: true, force: true });
    },
  };
}

async function readProjects(root: string, allowances: ReadonlySet<Allowance>): Promise<IngestedProject[]> {
  const stored = await durably('read', async () => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const names = (await readdir(root)).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    return Promise.all(names.map((name) => readProject(root, name)));
  });
  const projects = stored.map((project) => ({ ...project, allowances }));
  for (const project of projects) await requireStillAllowed(project, root);
  return projects;
}

/** The server may have been restarted with fewer allowances. */
async function requireStillAllowed(project: IngestedProject, root: string): Promise<void> {
  try {
    await checkSent(project);
  } catch (cause) {
    if (!(cause instanceof ComposeFailure) || cause.case !== 'notAllowed') throw cause;
    const message = `${path.join(root, project.name)}.json is not allowed: ${cause.message} Allow it, or remove the file.`;
    throw new RuntimeError({ case: 'persistenceFailure', message }, { cause });
  }
}

async function readProject(root: string, name: string): Promise<Omit<IngestedProject, 'allowances'>> {
  const stored: unknown = JSON.parse(await readFile(path.join(root, `${name}.json`), 'utf8'));
  const fields: { ingested_at?: unknown; text?: unknown } = typeof stored === 'object' && stored !== null ? stored : {};
  const { ingested_at: ingestedAt, text } = fields;
  if (typeof ingestedAt !== 'string' || typeof text !== 'string')
    throw new Error(`${name}.json does not contain a project`);
  const directory = path.join(root, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return { name, text, ingestedAt, directory };
}

async function durably<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    const message = `The received compose files could not be ${what}${code}.`;
    throw new RuntimeError({ case: 'persistenceFailure', message }, { cause });
  }
}
