import path from 'node:path';
import { withFileVariables } from '../dotenv/env-files.js';
import { environmentFrom, isSwitchedOn, lookupIn, projectEnvFiles, withEnvFiles } from '../dotenv/environment.js';
import type { Environment } from '../dotenv/environment.js';
import { ComposeFailure } from '../errors.js';
import type { FileContent } from '../file-content.js';
import { localFiles } from './files.js';
import type { ComposeFiles } from './files.js';
import { findComposeFiles, STANDARD_INPUT } from './find.js';
import { interpolate } from '../interpolation/interpolate.js';
import { loadModel, readDocuments } from './model.js';
import type { ModelContext } from './model.js';
import { child, plain, textOf, withEntry, withoutEntry, scalar } from '../node.js';
import type { Json, MapNode } from '../node.js';
import { normalize, withoutDefaults } from '../normalize/normalize.js';
import { requestedProfiles, selectServices, withProfiles } from '../project/profiles.js';
import { projectName } from './project-name.js';
import type { Project } from '../project/project.js';
import { composeFile } from '../schema/compose-file.js';
import { reportUnsupported } from '../validate/support.js';
import type { SupportMode } from '../validate/support.js';
import { validate } from '../validate/validate.js';
import { WarningList } from '../warnings.js';
import type { Warning } from '../warnings.js';

/** Stages that `config` can leave out: absolute paths, names and defaults, checks of relations, files of variables. */
export type OmissibleStage = 'paths' | 'defaults' | 'checks' | 'variableFiles';

export interface LoadOptions {
  /** Compose files (`-f`), `-` for standard input. Empty: COMPOSE_FILE or the default names apply. */
  readonly files?: readonly string[];
  /** `--project-directory`; default: the directory of the first compose file. */
  readonly projectDirectory?: string;
  /** `--project-name`. */
  readonly projectName?: string;
  /** `--compatibility`; default: COMPOSE_COMPATIBILITY. */
  readonly compatibility?: boolean;
  /** `--profile`. Empty: COMPOSE_PROFILES applies. */
  readonly profiles?: readonly string[];
  /** `--env-file`. Empty: `.env` in the project directory. */
  readonly envFiles?: readonly string[];
  /** The caller's environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The absolute path to which relative file names are resolved. */
  readonly workingDirectory: string;
  /** Limits the project to these services and their dependencies. */
  readonly services?: readonly string[];
  /** How to report keys that have no effect; default: warn. */
  readonly support?: SupportMode;
  /** Whether the project is for a swarm, on which other keys have an effect. */
  readonly forSwarm?: boolean;
  /** Validates the merged model before files that it names are read; throws a ComposeFailure. */
  readonly check?: (model: MapNode) => void;
  /** Stages to leave out. The result is for printing only. */
  readonly without?: ReadonlySet<OmissibleStage>;
  /** Access to files; default: the real file system. */
  readonly fileAccess?: ComposeFiles;
  /** The content of secrets and configs with `environment:` whose variables are not set, as in `LoadedProject`. */
  readonly contents?: ReadonlyMap<string, FileContent>;
}

export interface LoadedProject {
  readonly project: Project;
  readonly warnings: readonly Warning[];
  /** Every file that was read, in reading order. */
  readonly sources: readonly string[];
  /**
   * The values of secrets and configs with `environment:`, by `secrets.<name>` and `configs.<name>`. A map, so that
   * printing a loaded project as JSON does not print secrets.
   */
  readonly contents: ReadonlyMap<string, FileContent>;
}

/** A model with unreplaced variables, for `config --no-interpolate` only. */
export interface LoadedModel {
  readonly model: Json;
  readonly warnings: readonly Warning[];
}

/**
 * Loads compose files into one normalized project: find, parse, interpolate, include, extend, merge, normalize,
 * select profiles, read environment files, validate.
 *
 * @throws ComposeFailure, with the location in the file if known
 */
export async function loadProject(options: LoadOptions): Promise<LoadedProject> {
  const prepared = await prepareLoad(options, true);
  const { context, scope, name } = prepared;
  const model = await loadModel(scope, context);
  options.check?.(model);
  reportObsolete(model, context.warnings);
  const { support = 'default', forSwarm = false } = options;
  reportUnsupported(model, { mode: support, forSwarm }, context.warnings);
  const lookup = lookupIn(scope.environment);
  const file = composeFile.read(model, []);
  const defaults = {
    name,
    workingDirectory: scope.directory,
    files: scope.paths,
    lookup,
    keepsPaths: context.keepsPaths,
  };
  const without = options.without ?? new Set();
  const compatibility = options.compatibility ?? isSwitchedOn(scope.environment.get('COMPOSE_COMPATIBILITY'));
  const normalized = {
    ...(without.has('defaults') ? withoutDefaults(file, defaults) : normalize(file, defaults)),
    ...(compatibility && { compatibility }),
  };
  const profiles = requestedProfiles(options.profiles ?? [], scope.environment.get('COMPOSE_PROFILES'));
  const active = withProfiles(normalized, profiles);
  const selected = selectServices(active, options.services ?? []);
  if (!without.has('checks')) validate(selected, model, { forSwarm });
  const project = without.has('variableFiles')
    ? selected
    : await withFileVariables(selected, model, lookup, context.files);
  warnUnsetContents(project, context);
  return {
    project,
    warnings: context.warnings.all(),
    sources: [...context.documents.keys()],
    contents: context.contents,
  };
}

/**
 * Loads compose files without replacing variables: found, parsed, included, extended and merged. Short syntax is
 * expanded where it does not depend on a variable. Of the stages to leave out, only `paths` is one of these.
 *
 * @throws ComposeFailure, with the location in the file if known
 */
export async function loadUninterpolated(options: LoadOptions): Promise<LoadedModel> {
  const { context, scope, name } = await prepareLoad(options, false);
  const model = withoutEntry(await loadModel(scope, context), 'version');
  return { model: plain(withEntry(model, 'name', scalar(name, model.place))), warnings: context.warnings.all() };
}

/**
 * The variables that interpolation uses, by name.
 *
 * @throws ComposeFailure, as `loadProject`
 */
export async function interpolationVariables(options: LoadOptions): Promise<Environment> {
  return (await prepareLoad(options, true)).scope.environment;
}

/**
 * The variables of the environment and of the environment files that are known before a compose file is found. A file
 * that cannot be read is left out: loading reports it.
 */
export async function variablesBeforeLoad(options: LoadOptions): Promise<Environment> {
  const { environment, fileAccess = localFiles } = options;
  try {
    return await variablesIn(directoryOf(options.files ?? [], options), options, fileAccess);
  } catch (error) {
    if (error instanceof ComposeFailure) return environmentFrom(environment);
    throw error;
  }
}

/** @param known variables that take precedence over those of the files; default: the environment's */
async function variablesIn(
  directory: string,
  options: LoadOptions,
  files: ComposeFiles,
  known = environmentFrom(options.environment),
): Promise<Environment> {
  const { environment, envFiles = [], workingDirectory } = options;
  const chosen = await projectEnvFiles(envFiles, environmentFrom(environment), workingDirectory, directory, files);
  return withEnvFiles(known, chosen, files);
}

interface PreparedLoad {
  readonly context: ModelContext;
  readonly scope: { paths: string[]; directory: string; environment: Environment; stack: string[] };
  readonly name: string;
}

async function prepareLoad(options: LoadOptions, interpolated: boolean): Promise<PreparedLoad> {
  const files = options.fileAccess ?? localFiles;
  const { workingDirectory } = options;
  const warnings = new WarningList();

  // The .env file of the searched directory may set COMPOSE_FILE, so read it first.
  const searchDirectory = directoryOf(options.files ?? [], options);
  const known = await variablesIn(searchDirectory, options, files);
  const paths = await findComposeFiles(
    {
      files: options.files ?? [],
      environment: known,
      workingDirectory,
      searchDirectory,
    },
    files,
    warnings,
  );
  const directory = directoryOf(paths, options);
  // Docker Compose does the same: an `.env` below the project's directory takes precedence for commands that run there.
  const environment = await variablesIn(directory, options, files, known);
  const context: ModelContext = {
    files,
    documents: new Map(),
    warnings,
    interpolate: interpolated,
    keepsPaths: options.without?.has('paths') === true,
    readsVariableFiles: interpolated && options.without?.has('variableFiles') !== true,
    home: options.environment['HOME'],
    contents: new Map(options.contents),
    included: new Map(),
  };
  const name = projectName({
    flag: options.projectName,
    environment: environment.get('COMPOSE_PROJECT_NAME'),
    file: await nameInFiles(paths, environment, context),
    directory: path.basename(directory),
  });
  const complete = new Map([...environment, ['COMPOSE_PROJECT_NAME', name]]);
  return { context, scope: { paths, directory, environment: complete, stack: [] }, name };
}

/** The project directory: the named one, otherwise that of the first file, otherwise the working directory. */
function directoryOf(files: readonly string[], options: LoadOptions): string {
  if (options.projectDirectory !== undefined) return path.resolve(options.workingDirectory, options.projectDirectory);
  const first = files.find((file) => file !== STANDARD_INPUT);
  return first === undefined ? options.workingDirectory : path.dirname(path.resolve(options.workingDirectory, first));
}

/** The `name:` of the last file that has one. */
async function nameInFiles(
  paths: readonly string[],
  environment: Environment,
  context: ModelContext,
): Promise<string | undefined> {
  let name: string | undefined;
  for (const file of paths) {
    for (const document of await readDocuments(file, context)) {
      const written = child(document, 'name');
      if (written !== undefined) name = textOf(interpolate(written, lookupIn(environment), () => undefined)) || name;
    }
  }
  return name;
}

function reportObsolete(model: MapNode, warnings: WarningList): void {
  const version = model.entries.get('version');
  if (version !== undefined)
    warnings.add('obsoleteVersion', "'version' is obsolete and has no effect; remove it.", version.place);
}

function warnUnsetContents(project: Project, context: ModelContext): void {
  for (const section of ['secrets', 'configs'] as const) {
    for (const [name, { environment }] of Object.entries(project[section])) {
      if (environment === undefined || context.contents.has(`${section}.${name}`)) continue;
      context.warnings.add(
        'unsetContent',
        `${section}.${name} takes its content from ${environment}, which is not set.`,
      );
    }
  }
}
