import { readEnvFile, readRawEnvFile } from './dotenv.js';
import { failure } from '../errors.js';
import type { ComposeFiles } from '../loader/files.js';
import { nearest, shown } from '../node.js';
import type { MapNode, Path } from '../node.js';
import type { Project } from '../project/project.js';
import { mapValues, own } from '../project/records.js';
import type { EnvFile, Service } from '../project/service.js';
import type { Lookup } from '../interpolation/template.js';

/**
 * Reads the `env_file` and `label_file` entries of the enabled services into `environment` and `labels`. Values set in
 * the service override its files, and a later file overrides an earlier one (Compose Specification, "env_file").
 *
 * @param model the merged model of the project; supplies the file names as written for errors
 * @param lookup the project's variables; they take precedence during interpolation of the files
 * @throws ComposeFailure of the EnvFileError family
 */
export async function withFileVariables(
  project: Project,
  model: MapNode,
  lookup: Lookup,
  files: ComposeFiles,
): Promise<Project> {
  const services: [string, Service][] = [];
  for (const [name, service] of Object.entries(project.services)) {
    const shownAs = (path: Path): string => shown(nearest(model, ['services', name, ...path]));
    services.push([name, await withLabels(await withEnvironment(service, lookup, shownAs, files), shownAs, files)]);
  }
  return { ...project, services: Object.fromEntries(services) };
}

async function withEnvironment(
  service: Service,
  lookup: Lookup,
  shownAs: (path: Path) => string,
  files: ComposeFiles,
): Promise<Service> {
  const { env_file: envFiles, ...rest } = service;
  const explicit = mapValues(service.environment ?? {}, (value, name) => value ?? lookup(name) ?? null);
  const variables = new Map(Object.entries(explicit).filter((entry): entry is [string, string] => entry[1] !== null));
  for (const [index, envFile] of (envFiles ?? []).entries()) {
    await readVariables(
      envFile,
      shownAs(['env_file', index, 'path']),
      variables,
      (name) => lookup(name) ?? own(explicit, name) ?? undefined,
      files,
    );
  }
  const environment = { ...Object.fromEntries(variables), ...explicit };
  return Object.keys(environment).length === 0 ? rest : { ...rest, environment };
}

async function withLabels(service: Service, shownAs: (path: Path) => string, files: ComposeFiles): Promise<Service> {
  if (service.label_file === undefined) return service;
  const labels = new Map<string, string>();
  for (const [index, path] of service.label_file.entries()) {
    await readVariables({ path, required: true }, shownAs(['label_file', index]), labels, () => undefined, files);
  }
  return { ...service, labels: { ...Object.fromEntries(labels), ...service.labels } };
}

async function readVariables(
  envFile: EnvFile,
  shownAs: string,
  variables: Map<string, string>,
  lookup: Lookup,
  files: ComposeFiles,
): Promise<void> {
  const text = await files.readText(envFile.path, shownAs);
  const read = envFile.format === 'raw' ? readRawEnvFile : readEnvFile;
  if (text !== undefined) read(text, envFile.path, variables, lookup);
  else if (envFile.required) throw failure('EnvFileError', 'notFound', { path: shownAs });
}
