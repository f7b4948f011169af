/**
 * Loads compose files sent by clients. They must not read files of the server: the project directory is empty, no other
 * file is read, and variables do not come from the server's environment. ../trust/ decides what else a project may use.
 */
import path from 'node:path';
import { failure } from '../../model/errors.js';
import { localFiles, type ComposeFiles } from '../../model/loader/files.js';
import { loadProject, type LoadedProject } from '../../model/loader/load.js';
import { parseYaml } from '../../model/loader/parse.js';
import { ALL_PROFILES } from '../../model/project/profiles.js';
import type { Service } from '../../model/project/service.js';
import type { Allowance } from '../trust/allowances.js';
import { requireAllowed, requireReadable } from '../trust/trust.js';
import { requireBoundedExpansion } from './expansion.js';

export interface IngestedProject {
  readonly name: string;
  /** The compose file. */
  readonly text: string;
  /** RFC 3339. */
  readonly ingestedAt: string;
  /** The project's directory: absolute, existing and empty. */
  readonly directory: string;
  /** Features that the server's operator allows. */
  readonly allowances: ReadonlySet<Allowance>;
}

type SentProject = Omit<IngestedProject, 'ingestedAt'>;

export interface IngestedSelection {
  readonly profiles?: readonly string[];
  /** Only these services and their dependencies. */
  readonly services?: readonly string[];
}

/** More containers of one service are a mistake or an attack. */
const mostReplicas = 1000;

/** The name of a received compose file in messages. */
export const fileName = 'compose.yaml';

/** @throws ComposeFailure */
export function loadIngested(
  { name, text, directory, allowances }: SentProject,
  { profiles = [], services = [] }: IngestedSelection = {},
): Promise<LoadedProject> {
  const file = path.join(directory, fileName);
  return loadProject({
    files: [file],
    projectName: name,
    profiles,
    services,
    environment: {},
    workingDirectory: directory,
    fileAccess: filesOf(file, text, allowances),
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

/** Includes the services of every profile. Cached, because an ingested project does not change. */
export function loadWhole(project: SentProject): Promise<LoadedProject> {
  const known = wholes.get(project);
  if (known !== undefined) return known;
  const loading = loadIngested(project, { profiles: [ALL_PROFILES] });
  wholes.set(project, loading);
  return loading;
}

const wholes = new WeakMap<object, Promise<LoadedProject>>();

/**
 * Validates a received compose file.
 *
 * @returns the project with the services of every profile
 * @throws ComposeFailure
 */
export async function checkSent(sent: SentProject): Promise<LoadedProject> {
  const documents = parseYaml(sent.text, fileName);
  for (const document of documents) requireReadable(document, sent);
  requireBoundedExpansion(documents, sent.name);
  const whole = await loadWhole(sent);
  // A project can be valid with all profiles and invalid with none.
  await loadIngested(sent);
  const services = Object.entries(whole.project.services);
  if (services.length === 0) throw failure('ComposeValidationError', 'emptyProject', {});
  for (const [name, service] of services) checkReplicas(name, service);
  return whole;
}

function checkReplicas(name: string, service: Service): void {
  if ((service.scale ?? service.deploy?.replicas ?? 1) <= mostReplicas) return;
  const at = service.scale === undefined ? ['deploy', 'replicas'] : ['scale'];
  const fields = { path: ['services', name, ...at], expected: `at most ${mostReplicas}` };
  throw failure('ComposeValidationError', 'invalidValue', fields);
}
