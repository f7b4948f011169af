/** What to build for a service, from its `build` section and the options of the command. */
import path from 'node:path';
import type { FileContent } from '../model/file-content.js';
import { imageOf } from '../model/project/listings.js';
import type { Project } from '../model/project/project.js';
import type { Build } from '../model/project/workload.js';
import { notSupported, type Conformer } from '../runtime/errors.js';
import type { BuildSecret, BuildSpec } from '../runtime/spec.js';
import { memoryBytes, ulimits } from './container/limits.js';
import { optionalField } from './container/optional-field.js';
import { LABELS } from './labels.js';

export interface BuildOptions {
  readonly contents: ReadonlyMap<string, FileContent>;
  readonly noCache?: boolean;
  readonly pull?: boolean;
  /** `--build-arg`; overrides those of the file. */
  readonly buildArguments?: Readonly<Record<string, string>>;
  /** `--ssh`: added to those of the file. */
  readonly ssh?: string;
  readonly builder?: string;
  readonly memoryBytes?: number;
  /** `--provenance`, `--sbom`: override those of the file. */
  readonly provenance?: string;
  readonly sbom?: string;
  /** Push images of services that have an image name. */
  readonly push?: boolean;
  readonly check?: boolean;
  /** Build for all `platforms` of the file, not only for the one that the service runs on. */
  readonly allPlatforms?: boolean;
}

/**
 * @param ofService the additional context that stands for another service; default: its image, which is built before
 * @throws RuntimeError.notSupported for a context that is not a directory
 */
export function buildSpec(
  conformer: Conformer,
  project: Project,
  name: string,
  options: BuildOptions,
  ofService = (service: string): string => `docker-image://${imageOf(project, service)}`,
): BuildSpec {
  const { build = {}, image, platform } = project.services[name] ?? {};
  const context = build.context ?? project.workingDirectory;
  if (!path.isAbsolute(context)) throw notSupported(`build from ${context.split(':', 1)[0] ?? ''}`, conformer);
  return {
    context,
    ...optionalField('dockerfile', build.dockerfile),
    ...optionalField('dockerfileInline', build.dockerfile_inline),
    tags: [imageOf(project, name), ...(build.tags ?? [])],
    labels: { ...build.labels, [LABELS.project]: project.name, [LABELS.service]: name },
    buildArguments: { ...strings(build.args), ...options.buildArguments },
    ...optionalField('target', build.target),
    ...optionalField('platforms', platformsOf(build, platform, options)),
    ...optionalField('cacheFrom', build.cache_from),
    ...optionalField('cacheTo', build.cache_to),
    ...optionalField('noCache', options.noCache ?? build.no_cache),
    ...optionalField('noCacheFilter', build.no_cache_filter),
    ...optionalField('pull', options.pull ?? build.pull),
    ...optionalField('network', build.network),
    ...optionalField('shmSizeBytes', build.shm_size === undefined ? undefined : memoryBytes(build.shm_size)),
    ...optionalField('memoryBytes', options.memoryBytes),
    ...optionalField('ulimits', build.ulimits && ulimits(build.ulimits)),
    ...optionalField('extraHosts', build.extra_hosts && hostsOf(build.extra_hosts)),
    ...optionalField('secrets', secretsOf(project, build, options)),
    ...optionalField('ssh', agentsOf(build, options)),
    ...optionalField(
      'additionalContexts',
      build.additional_contexts && contextsOf(build.additional_contexts, ofService),
    ),
    ...optionalField('privileged', build.privileged),
    ...optionalField('entitlements', build.entitlements),
    ...optionalField('provenance', options.provenance ?? build.provenance),
    ...optionalField('sbom', options.sbom ?? build.sbom),
    ...optionalField('push', options.push === true && image !== undefined ? true : undefined),
    ...optionalField('builder', options.builder),
    ...optionalField('check', options.check),
  };
}

function strings(args: Readonly<Record<string, string | null>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(args).filter((entry): entry is [string, string] => entry[1] !== null));
}

function platformsOf(
  { platforms = [] }: Build,
  platform: string | undefined,
  { allPlatforms = false }: BuildOptions,
): readonly string[] | undefined {
  if (allPlatforms && platforms.length > 0) return platforms;
  if (platform !== undefined) return [platform];
  // With several, the engine's platform is the one that the service runs on.
  return platforms.length === 1 ? platforms : undefined;
}

function hostsOf(hosts: NonNullable<Build['extra_hosts']>): NonNullable<BuildSpec['extraHosts']> {
  return Object.entries(hosts).flatMap(([host, all]) => all.map((address) => ({ host, address })));
}

function secretsOf(
  project: Project,
  { secrets = [] }: Build,
  { contents }: BuildOptions,
): readonly BuildSecret[] | undefined {
  if (secrets.length === 0) return undefined;
  return secrets.map(({ source, target }) => {
    const id = path.basename(target ?? source);
    const { file, environment = '' } = project.secrets[source] ?? {};
    return file === undefined
      ? { id, value: contents.get(`secrets.${source}`) ?? '', variable: environment }
      : { id, path: file };
  });
}

function agentsOf({ ssh = {} }: Build, options: BuildOptions): readonly string[] | undefined {
  const agents = Object.entries(ssh).map(([id, socket]) => (socket === null ? id : `${id}=${socket}`));
  const all = options.ssh === undefined ? agents : [...agents, options.ssh];
  return all.length === 0 ? undefined : [...new Set(all)];
}

function contextsOf(
  contexts: Readonly<Record<string, string>>,
  ofService: (service: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(contexts).map(([key, value]) => [
      key,
      value.startsWith('service:') ? ofService(value.slice('service:'.length)) : value,
    ]),
  );
}
