/** The ingested projects. Each has a file in one directory, and an empty project directory there. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ComposeFailure } from '../../model/errors.js';
import type { LoadedProject } from '../../model/loader/load.js';
import type { Clock } from '../../runtime/clock.js';
import { alreadyExists, RuntimeError } from '../../runtime/errors.js';
import { removeDrafts, replaceFile } from '@plumbline/contract/system/replace-file';
import type { Allowance } from '../trust/allowances.js';
import type { CheckedProject, IngestedSelection, SentProject } from './ingested-project.js';
import { requireRoom, type ProjectLimits } from './limits.js';
import { createProjectLoader, type ProjectLoader } from './loader.js';
import { storedContents } from './stored-contents.js';

export interface IngestedProject extends SentProject, CheckedProject {
  /** RFC 3339. */
  readonly ingestedAt: string;
}

export interface Ingestion {
  readonly project: IngestedProject;
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
   * @throws UnusableEscape
   * @throws ServerBusy
   * @throws OrchestratorError.limitExceeded
   * @throws RuntimeError.alreadyExists, persistenceFailure
   */
  put(name: string, text: string, replace: boolean): Promise<Ingestion>;
  /**
   * Replaces the content of secrets and configs.
   *
   * @param contents in Base64, by `secrets.<name>` and `configs.<name>`
   * @throws RuntimeError.persistenceFailure
   */
  putContents(name: string, contents: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Loads the compose file of a project, with the content that was sent for it.
   *
   * @throws RuntimeError.persistenceFailure
   */
  load(project: IngestedProject, selection: IngestedSelection): Promise<LoadedProject>;
  /**
   * Notes the numbers of containers that a caller asks for instead of those of the file.
   *
   * @param isWhole whether they are for all services; else earlier numbers of other services stay
   * @throws OrchestratorError.limitExceeded
   */
  scale(project: IngestedProject, replicas: ReadonlyMap<string, number>, isWhole: boolean): void;
  /** @throws RuntimeError.persistenceFailure */
  forget(name: string): Promise<void>;
  /** Removes data kept only while the server runs. */
  close(): Promise<void>;
}

export interface RegistryOptions {
  /** The directory in which projects outlive the server; null: they do not. */
  readonly folder: string | null;
  readonly clock: Clock;
  /** Features that the operator allows projects to use. */
  readonly allowances: ReadonlySet<Allowance>;
  readonly limits: ProjectLimits;
  /** The built script of the threads that load compose files. */
  readonly loadingWorker: URL;
  /** Whether the projects are for a swarm. */
  readonly forSwarm?: boolean;
}

/**
 * @throws RuntimeError.persistenceFailure when the directory cannot be read, or contains a project that is no longer
 * allowed
 */
export async function openProjectRegistry(options: RegistryOptions): Promise<ProjectRegistry> {
  const { folder, clock, allowances, limits } = options;
  const root = folder ?? (await mkdtemp(path.join(tmpdir(), 'plumbline-projects-')));
  const loader = createProjectLoader(options.loadingWorker, limits, options.forSwarm === true);
  const contents = storedContents(root);
  const projects = new Map<string, IngestedProject>();
  /** By project, the numbers that differ from those of its file. */
  const scaled = new Map<string, ReadonlyMap<string, number>>();
  for (const project of await readProjects(root, allowances, loader)) projects.set(project.name, project);
  await durably('read', async () => {
    await removeDrafts(root);
    await contents.removeOthers(new Set(projects.keys()));
  });
  const directoryOf = (name: string): string => path.join(root, name);
  const fileOf = (name: string): string => path.join(root, `${name}.json`);

  const requireRoomFor = (name: string, { services }: CheckedProject, replicas: Replicas | undefined): void => {
    const before = projects.get(name);
    const others = [...projects.values()].filter((other) => other.name !== name);
    requireRoom(
      containersOf(services, replicas),
      before === undefined ? null : containersOf(before.services, scaled.get(name)),
      others.map((other) => containersOf(other.services, scaled.get(other.name))),
      limits,
    );
  };

  return {
    get: (name) => projects.get(name),
    list: () => [...projects.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    async put(name, text, replace) {
      const sent = { name, text, directory: directoryOf(name), allowances };
      // The name is validated here, before it becomes part of a file name.
      const checked = await loader.check(sent);
      const before = projects.get(name);
      if (before?.text === text) return { project: before, outcome: 'unchanged' };
      if (before !== undefined && !replace) throw alreadyExists(name);
      requireRoomFor(name, checked, scaled.get(name));
      const project = { ...sent, ...checked, ingestedAt: before?.ingestedAt ?? clock.now().toISOString() };
      // Takes the place at once: two projects must not take the last one.
      projects.set(name, project);
      try {
        await durably('written', async () => {
          await mkdir(project.directory, { recursive: true, mode: 0o700 });
          await contents.keep(name, checked.contents);
          await replaceFile(fileOf(name), JSON.stringify({ ingested_at: project.ingestedAt, text }));
        });
      } catch (error) {
        if (before === undefined) projects.delete(name);
        else projects.set(name, before);
        throw error;
      }
      return { project, outcome: before === undefined ? 'created' : 'replaced' };
    },
    putContents: (name, sent) => durably('written', () => contents.write(name, sent)),
    async load(project, selection) {
      const sent = await durably('read', () => contents.read(project.name));
      return loader.load({ ...project, sent }, selection);
    },
    scale(project, replicas, isWhole) {
      const { name } = project;
      const wanted = new Map(
        [...(isWhole ? [] : (scaled.get(name) ?? [])), ...replicas].filter(([service]) =>
          project.services.has(service),
        ),
      );
      requireRoomFor(name, project, wanted);
      scaled.set(name, wanted);
    },
    async forget(name) {
      if (!projects.has(name)) return;
      await durably('removed', async () => {
        await contents.remove(name);
        await rm(fileOf(name), { force: true });
        await rm(directoryOf(name), { recursive: true, force: true });
      });
      projects.delete(name);
      scaled.delete(name);
    },
    async close() {
      await loader.close();
      if (folder === null) await rm(root, { recursive: true, force: true });
    },
  };
}

type Replicas = ReadonlyMap<string, number>;

function containersOf(services: CheckedProject['services'], replicas: Replicas = new Map()): number {
  return [...services].reduce((sum, [name, service]) => sum + (replicas.get(name) ?? service.replicas), 0);
}

async function readProjects(
  root: string,
  allowances: ReadonlySet<Allowance>,
  loader: ProjectLoader,
): Promise<IngestedProject[]> {
  const stored = await durably('read', async () => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const names = (await readdir(root)).filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    return Promise.all(names.map((name) => readProject(root, name)));
  });
  const projects = [];
  for (const project of stored) {
    const sent = { ...project, allowances };
    projects.push({ ...sent, ...(await checkStored(sent, root, loader)) });
  }
  return projects;
}

/** The server may have been restarted with fewer allowances. */
async function checkStored(project: SentProject, root: string, loader: ProjectLoader): Promise<CheckedProject> {
  try {
    return await loader.check(project);
  } catch (cause) {
    if (!(cause instanceof ComposeFailure)) throw cause;
    const file = path.join(root, `${project.name}.json`);
    const message =
      cause.case === 'notAllowed'
        ? `${file} is not allowed: ${cause.message} Allow it, or remove the file.`
        : `${file} cannot be used: ${cause.message} Remove the file.`;
    throw new RuntimeError({ case: 'persistenceFailure', message }, { cause });
  }
}

async function readProject(
  root: string,
  name: string,
): Promise<Omit<IngestedProject, 'allowances' | keyof CheckedProject>> {
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
