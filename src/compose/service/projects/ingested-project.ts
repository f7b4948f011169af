/**
 * Compose files that were sent. Whoever sends one need not be allowed to read this machine's files, so nothing of them
 * gets in: the project's directory is empty, and no path may lead out of it; variables are not taken from the server.
 */
import path from 'node:path';
import { failure } from '../../model/errors.js';
import { confinedFiles, localFiles } from '../../model/files.js';
import { loadProject, type LoadedProject } from '../../model/load.js';
import { child } from '../../model/node.js';
import { parseYaml } from '../../model/parse.js';
import { ALL_PROFILES } from '../../model/profiles.js';
import type { Project } from '../../model/project.js';
import type { Service } from '../../model/service.js';

export interface IngestedProject {
  readonly name: string;
  /** The compose file. */
  readonly text: string;
  /** RFC 3339. */
  readonly ingestedAt: string;
  /** The project's directory: absolute, there, and empty. */
  readonly directory: string;
}

export interface IngestedSelection {
  readonly profiles?: readonly string[];
  /** Only these services, with what they depend on. */
  readonly services?: readonly string[];
}

/** More than this many containers of one service are a slip, or an attack. */
const mostReplicas = 1000;

const fileName = 'compose.yaml';

/** @throws ComposeFailure */
export function loadIngested(
  { name, text, directory }: Pick<IngestedProject, 'name' | 'text' | 'directory'>,
  { profiles = [], services = [] }: IngestedSelection = {},
): Promise<LoadedProject> {
  const file = path.join(directory, fileName);
  const files = {
    ...localFiles,
    readText: (wanted: string, shownAs?: string) =>
      wanted === file ? Promise.resolve(text) : localFiles.readText(wanted, shownAs),
    isFile: (wanted: string, shownAs?: string) =>
      wanted === file ? Promise.resolve(true) : localFiles.isFile(wanted, shownAs),
  };
  return loadProject({
    files: [file],
    projectName: name,
    profiles,
    services,
    environment: {},
    workingDirectory: directory,
    fileAccess: confinedFiles(files, directory),
  });
}

/** With the services of every profile. A project does not change once it was taken in: it is read once. */
export function loadWhole(project: Pick<IngestedProject, 'name' | 'text' | 'directory'>): Promise<LoadedProject> {
  const known = wholes.get(project);
  if (known !== undefined) return known;
  const loading = loadIngested(project, { profiles: [ALL_PROFILES] });
  wholes.set(project, loading);
  return loading;
}

const wholes = new WeakMap<object, Promise<LoadedProject>>();

/**
 * Checks a compose file that was sent.
 *
 * @returns the project with the services of every profile
 * @throws ComposeFailure
 */
export async function checkSent(sent: Pick<IngestedProject, 'name' | 'text' | 'directory'>): Promise<LoadedProject> {
  refuseIncludes(sent.text);
  const whole = await loadWhole(sent);
  // What holds with every profile need not hold without any.
  await loadIngested(sent);
  const services = Object.entries(whole.project.services);
  if (services.length === 0) throw failure('ComposeValidationError', 'emptyProject', {});
  for (const [name, service] of services) checkService(name, service, sent.directory);
  checkContents(whole.project);
  return whole;
}

function refuseIncludes(text: string): void {
  for (const document of parseYaml(text, fileName)) {
    const include = child(document, 'include');
    if (include === undefined) continue;
    const reason = 'a project that is sent is one file';
    throw failure('ComposeValidationError', 'unsupported', { path: ['include'], reason }, include.place);
  }
}

function checkService(name: string, service: Service, directory: string): void {
  if ((service.scale ?? service.deploy?.replicas ?? 1) > mostReplicas) {
    const at = service.scale === undefined ? ['deploy', 'replicas'] : ['scale'];
    const fields = { path: ['services', name, ...at], expected: `at most ${mostReplicas}` };
    throw failure('ComposeValidationError', 'invalidValue', fields);
  }
  for (const { type, source } of service.volumes ?? [])
    if (type === 'bind' && source !== undefined) requireInside(source, directory);
  const { build } = service;
  if (build === undefined) return;
  for (const context of [build.context, ...Object.values(build.additional_contexts ?? {})]) {
    // Addresses of other kinds are the engine's to fetch.
    if (context !== undefined && path.isAbsolute(context)) requireInside(context, directory);
  }
  if (build.ssh !== undefined) {
    const reason = 'the keys of the server are its own';
    throw failure('ComposeValidationError', 'unsupported', { path: ['services', name, 'build', 'ssh'], reason });
  }
}

function requireInside(source: string, directory: string): void {
  // What is not absolute by now is for somebody else to understand, such as a ~ without a home.
  const relative = path.isAbsolute(source) ? path.relative(directory, source) : '..';
  if (relative === '..' || relative.startsWith(`..${path.sep}`)) {
    throw failure('ComposeValidationError', 'pathOutsideProject', { path: source });
  }
}

function checkContents({ secrets, configs }: Project): void {
  for (const [section, entries] of Object.entries({ secrets, configs })) {
    const name = Object.keys(entries).find((each) => entries[each]?.file !== undefined);
    if (name === undefined) continue;
    const reason = 'a project that is sent has no files beside it';
    throw failure('ComposeValidationError', 'unsupported', { path: [section, name, 'file'], reason });
  }
}
