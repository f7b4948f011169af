/**
 * Loads compose files sent by clients. They must not read files of the server: the project directory is empty, no other
 * file is read, and variables do not come from the server's environment. ../trust/ decides what else a project may use.
 * All of this runs in a worker thread, because it can take seconds.
 */
import path from 'node:path';
import { failure } from '../../model/errors.js';
import { localFiles, type ComposeFiles } from '../../model/loader/files.js';
import { loadProject, type LoadedProject } from '../../model/loader/load.js';
import { parseYaml } from '../../model/loader/parse.js';
import type { MapNode } from '../../model/node.js';
import { replicaCount } from '../../model/project/listings.js';
import type { Project } from '../../model/project/project.js';
import { ALL_PROFILES, allServices } from '../../model/project/profiles.js';
import type { Service } from '../../model/project/service.js';
import type { Allowance } from '../trust/allowances.js';
import { requireAllowed, requireReadable } from '../trust/trust.js';
import { requireBoundedExpansion } from './expansion.js';
import { contentKey } from './stored-contents.js';
import { requireUsableEscapes } from './unusable-escapes.js';

export interface SentProject {
  readonly name: string;
  /** The compose file. */
  readonly text: string;
  /** The project's directory: absolute, existing and empty. */
  readonly directory: string;
  /** Features that the server's operator allows. */
  readonly allowances: ReadonlySet<Allowance>;
  /** Whether the server runs projects on a swarm. */
  readonly forSwarm?: boolean;
  /** The content of secrets and configs, by `secrets.<name>` and `configs.<name>`. */
  readonly sent?: ReadonlyMap<string, Uint8Array>;
}

/** What the server keeps of a file, so that most requests need not load it. */
export interface CheckedProject {
  /** The services of every profile, by name, sorted. */
  readonly services: ReadonlyMap<string, CheckedService>;
  /** The secrets and configs whose content is sent: `secrets.<name>` and `configs.<name>`. */
  readonly contents: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

export interface CheckedService {
  readonly image: string | null;
  readonly replicas: number;
}

export interface IngestedSelection {
  readonly profiles?: readonly string[];
  /** Only these services and their dependencies. */
  readonly services?: readonly string[];
}

/** The services of every profile. */
export const WHOLE: IngestedSelection = { profiles: [ALL_PROFILES] };

/** More containers of one service are a mistake or an attack. */
const mostReplicas = 1000;

/** The name of a received compose file in messages. */
const fileName = 'compose.yaml';

/** @throws ComposeFailure */
export function loadIngested(
  { name, text, directory, allowances, sent, forSwarm = false }: SentProject,
  { profiles = [], services = [] }: IngestedSelection = {},
): Promise<LoadedProject> {
  const file = path.join(directory, fileName);
  return loadProject({
    files: [file],
    projectName: name,
    profiles,
    services,
    forSwarm,
    environment: {},
    workingDirectory: directory,
    fileAccess: filesOf(file, text, allowances),
    ...(sent && { contents: sent }),
    check: (model) => {
      requireAllowed(model, { allowances, directory });
    },
  });
}

/** Provides only the compose file, unless files of the server are allowed. */
function filesOf(file: string, text: string, allowances: ReadonlySet<Allowance>): ComposeFiles {
  const others: ComposeFiles = allowances.has('host-files') ? localFiles : noFiles;
  return {
    readText: (wanted, shownAs) => (wanted === file ? Promise.resolve(text) : others.readText(wanted, shownAs)),
    isFile: (wanted, shownAs) => (wanted === file ? Promise.resolve(true) : others.isFile(wanted, shownAs)),
    readStandardInput: noFiles.readStandardInput,
  };
}

const noFiles: ComposeFiles = {
  readText: () => Promise.resolve(undefined),
  isFile: () => Promise.resolve(false),
  readStandardInput: () => Promise.resolve(''),
};

/**
 * Validates a received compose file.
 *
 * @param mostServices the limit of services
 * @throws ComposeFailure
 * @throws UnusableEscape
 */
export async function checkSent(sent: SentProject, mostServices: number): Promise<CheckedProject> {
  const documents = parseYaml(sent.text, fileName);
  requireUsableEscapes(sent.text, documents);
  for (const document of documents) {
    requireReadable(document, sent);
    requireFewServices(document, mostServices);
  }
  requireBoundedExpansion(documents, sent.name);
  const whole = await loadIngested(sent, WHOLE);
  // A project can be valid with all profiles and invalid with none.
  await loadIngested(sent);
  const services = Object.entries(allServices(whole.project)).sort(([one], [other]) => (one < other ? -1 : 1));
  if (services.length === 0) throw failure('ComposeValidationError', 'emptyProject', {});
  if (services.length > mostServices) throw tooManyServices(mostServices);
  for (const [name, service] of services) checkReplicas(name, service);
  return {
    services: new Map(
      services.map(([name, service]) => [name, { image: service.image ?? null, replicas: replicaCount(service) }]),
    ),
    contents: new Set(contentsOf(whole.project)),
    // The content is sent after the file; `up` warns if it is missing.
    warnings: whole.warnings.filter(({ code }) => code !== 'unsetContent').map(({ message }) => message),
  };
}

function contentsOf(project: Project): string[] {
  return (['secrets', 'configs'] as const).flatMap((section) =>
    Object.entries(project[section]).flatMap(([name, { environment }]) =>
      environment === undefined ? [] : [contentKey(section, name)],
    ),
  );
}

/** Refuses most files early: each service costs much more than its text. */
function requireFewServices({ entries }: MapNode, most: number): void {
  const services = entries.get('services')?.value;
  if (services?.kind === 'map' && services.entries.size > most) throw tooManyServices(most);
}

function tooManyServices(maximum: number): Error {
  return failure('YamlError', 'limitExceeded', { limit: 'services', maximum });
}

function checkReplicas(name: string, service: Service): void {
  if (replicaCount(service) <= mostReplicas) return;
  const at = service.scale === undefined ? ['deploy', 'replicas'] : ['scale'];
  const fields = { path: ['services', name, ...at], expected: `at most ${mostReplicas}` };
  throw failure('ComposeValidationError', 'invalidValue', fields);
}
