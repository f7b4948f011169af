import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option, type Command } from 'commander';
import {
  listImages,
  listProfiles,
  listServices,
  listVolumes,
  withoutUnusedResources,
} from '../../model/project/listings.js';
import { interpolationVariables, loadUninterpolated, type OmissibleStage } from '../../model/loader/load.js';
import { configurationHashes } from '../../orchestrator/creation.js';
import { renderConfig, renderModel, type ConfigFormat } from '../../model/project/render.js';
import type { Json } from '../../model/node.js';
import { objectOf } from '../../runtime/json.js';
import type { Project } from '../../model/project/project.js';
import { mapValues } from '../../model/project/records.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { define } from '../command.js';
import { imagesOnly, pinnedServices, withPinnedImages } from '../pinned-images.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import { variablesText } from '../print/variables.js';
import type { Session } from '../session.js';

interface ConfigFlags {
  readonly format: ConfigFormat;
  readonly services?: boolean;
  readonly volumes?: boolean;
  readonly networks?: boolean;
  readonly models?: boolean;
  readonly profiles?: boolean;
  readonly images?: boolean;
  readonly hash?: string;
  readonly environment?: boolean;
  readonly variables?: boolean;
  // commander turns each `--no-` into false.
  readonly interpolate?: boolean;
  readonly pathResolution?: boolean;
  readonly normalize?: boolean;
  readonly consistency?: boolean;
  readonly envResolution?: boolean;
  readonly resolveImageDigests?: boolean;
  readonly lockImageDigests?: boolean;
  readonly output?: string;
  readonly quiet?: boolean;
}

export function configCommand(compose: Command, io: Io): void {
  define<ConfigFlags>(compose, io, {
    usage: 'config [services...]',
    aliases: ['convert'],
    description: 'validate the compose file and print the resolved project',
    remote: 'here',
    options: (command) =>
      command
        .addOption(new Option('--format <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
        .option('--services', 'print service names only')
        .option('--volumes', 'print volume names only')
        .option('--networks', 'print network names only')
        .option('--models', 'print model names only')
        .option('--profiles', 'print profile names only')
        .option('--images', 'print image names only')
        .option('--hash <services>', 'print configuration hashes: comma-separated services, or * for all')
        .option('--environment', 'print the variables that can be used, with their values')
        .option('--variables', 'print the variables of the file with their defaults')
        .option(
          '--no-interpolate',
          'do not replace variables; implies --no-normalize, --no-consistency, --no-env-resolution',
        )
        .option('--no-path-resolution', 'keep relative paths')
        .option('--no-normalize', 'omit default names, networks and dependencies')
        .option('--no-consistency', 'do not check references between services and resources')
        .option('--no-env-resolution', 'do not read the env_file and label_file of services')
        .option('--resolve-image-digests', 'pin images to the digests that their registries have for the tags')
        .option('--lock-image-digests', 'print an override file with nothing but the pinned images')
        .option('-o, --output <file>', 'write to a file')
        .option('-q, --quiet', 'check only'),
    run: async (session, services, flags) => {
      const text = await configText(session, services, flags);
      if (flags.quiet === true) return 0;
      if (flags.output === undefined) await session.print(text);
      else if (!session.isDryRun) await save(path.resolve(session.io.workingDirectory, flags.output), text);
      return 0;
    },
  });
}

async function configText(session: Session, services: readonly string[], flags: ConfigFlags): Promise<string> {
  if (flags.environment === true) {
    const variables = [...(await interpolationVariables(session.loadOptions()))];
    return variables
      .map(([name, value]) => `${name}=${value}\n`)
      .sort()
      .join('');
  }
  if (flags.variables === true) {
    return variablesText((await loadUninterpolated(session.loadOptions(services))).model, flags.format);
  }
  if (flags.interpolate === false) {
    const { model, warnings } = await loadUninterpolated({
      ...session.loadOptions(services),
      without: omitted(flags),
    });
    await session.warn(warnings);
    return renderModel(await pinnedModel(session, model, flags), flags.format);
  }
  const { project, contents } = await session.load(services, omitted(flags));
  const lines = (entries: readonly string[]): string => entries.map((entry) => `${entry}\n`).join('');
  if (flags.services === true) return lines(listServices(project));
  if (flags.volumes === true) return lines(listVolumes(project));
  const used = session.options.allResources === true ? project : withoutUnusedResources(project);
  if (flags.networks === true) return lines(Object.keys(used.networks).sort());
  if (flags.models === true) return lines(Object.keys(used.models).sort());
  if (flags.profiles === true) return lines(listProfiles(project));
  if (flags.images === true) return lines(listImages(project));
  if (flags.hash !== undefined) {
    const wanted = flags.hash === '*' ? listServices(project) : flags.hash.split(',').sort();
    const hashes = await configurationHashes(project, contents);
    return lines(wanted.map((service) => `${service} ${hashOf(hashes, project, service)}`));
  }
  const pinned = pins(flags) ? await withPinnedImages(session, project) : project;
  if (flags.lockImageDigests === true) return renderModel(imagesOnly(pinned.services), flags.format);
  const printed = flags.envResolution === false ? pinned : withoutLabelFiles(pinned);
  return renderConfig(printed, flags.format, { allResources: session.options.allResources === true });
}

function pins({ resolveImageDigests, lockImageDigests }: ConfigFlags): boolean {
  return resolveImageDigests === true || lockImageDigests === true;
}

async function pinnedModel(session: Session, model: Json, flags: ConfigFlags): Promise<unknown> {
  if (!pins(flags)) return model;
  const services = await pinnedServices(session, objectOf(objectOf(model)['services']));
  return flags.lockImageDigests === true ? imagesOnly(services) : { ...objectOf(model), services };
}

/** Without the files whose labels are among those of the services. The hashes of services include them. */
function withoutLabelFiles(project: Project): Project {
  return { ...project, services: mapValues(project.services, ({ label_file: _read, ...service }) => service) };
}

function omitted(flags: ConfigFlags): ReadonlySet<OmissibleStage> {
  const stages: readonly (readonly [boolean | undefined, OmissibleStage])[] = [
    [flags.pathResolution, 'paths'],
    [flags.normalize, 'defaults'],
    [flags.consistency, 'checks'],
    [flags.envResolution, 'variableFiles'],
  ];
  return new Set(stages.flatMap(([isWanted, stage]) => (isWanted === false ? [stage] : [])));
}

function hashOf(hashes: ReadonlyMap<string, string>, project: Project, service: string): string {
  const hash = hashes.get(service);
  if (hash === undefined) throw new OrchestratorError({ case: 'serviceNotFound', project: project.name, service });
  return hash;
}

async function save(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new UsageError(`Cannot write '${file}': ${error instanceof Error ? error.message : String(error)}`);
  });
}
