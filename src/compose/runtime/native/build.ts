/** Builds an image with podman's builder, which supports BuildKit features: secrets, ssh, additional contexts. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseImageWatcher } from '../engine/base-image.js';
import { commandFailed, imageNotFound, notSupported } from '../errors.js';
import { secretTexts, withSecretFiles } from '../build-secrets.js';
import type { BuildProgress } from '../records.js';
import type { BuildSpec } from '../spec.js';
import { cacheArguments } from './build-caches.js';
import { interruptBuild } from './interrupt-build.js';
import { each, option, pairs, variableArguments } from './options.js';
import { mergedLines } from '../merged-lines.js';
import type { RunningProgram } from '../program.js';
import { podmanReason } from './failures.js';
import type { Podman } from './podman.js';

/** @throws RuntimeError.notSupported for what Podman 4 does not have, imageNotFound for a missing Dockerfile */
export async function buildImage(
  podman: Podman,
  spec: BuildSpec,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<BuildProgress>> {
  const refused = NOT_SUPPORTED.find(([, isUsed]) => isUsed(spec))?.[0];
  if (refused !== undefined) throw notSupported(refused, 'native');
  if (spec.dockerfileInline === undefined) {
    await access(resolve(spec.context, spec.dockerfile ?? 'Dockerfile')).catch(() => {
      throw imageNotFound(spec.tags[0] ?? spec.dockerfile ?? 'Dockerfile');
    });
  }
  return buildWithFiles(podman, spec, signal);
}

const NOT_SUPPORTED: readonly (readonly [key: string, isUsed: (spec: BuildSpec) => boolean])[] = [
  ['build --check', ({ check }) => check === true],
  ['build --builder', ({ builder }) => builder !== undefined],
  ['build.platforms', ({ platforms = [] }) => platforms.length > 1],
  ['build.entitlements', ({ entitlements = [] }) => entitlements.length > 0],
  ['build.no_cache_filter', ({ noCacheFilter = [] }) => noCacheFilter.length > 0],
  ['build.provenance', ({ provenance = 'false' }) => provenance !== 'false'],
  ['build.sbom', ({ sbom = 'false' }) => sbom !== 'false'],
];

/**
 * Writes an inline Dockerfile to a file, because podman cannot open a standard input that is a socket, which Node uses
 * for child processes.
 */
async function* buildWithFiles(
  podman: Podman,
  spec: BuildSpec,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-build-'));
  try {
    const inline = join(directory, 'Dockerfile');
    if (spec.dockerfileInline !== undefined) await writeFile(inline, spec.dockerfileInline, { mode: 0o600 });
    const dockerfile =
      spec.dockerfileInline === undefined ? resolve(spec.context, spec.dockerfile ?? 'Dockerfile') : inline;
    const process = start(podman, await withSecretFiles(spec, directory), dockerfile, signal);
    yield* progress(process, secretsOf(podman, spec));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Values of build arguments do not appear among the arguments, where every local user can read them. */
function start(podman: Podman, spec: BuildSpec, dockerfile: string, signal: AbortSignal | undefined): RunningProgram {
  const { args, environment } = variableArguments(spec.buildArguments ?? {}, '--build-arg');
  for (const secret of spec.secrets ?? [])
    if ('path' in secret) args.push(`--secret=id=${secret.id},src=${secret.path}`);
  return podman.start(buildArguments(spec, dockerfile, args), { environment, signal, interrupt: interruptBuild });
}

function secretsOf(podman: Podman, spec: BuildSpec): readonly string[] {
  return [...podman.secrets, ...Object.values(spec.buildArguments ?? {}), ...secretTexts(spec)];
}

function buildArguments(spec: BuildSpec, dockerfile: string, given: readonly string[]): string[] {
  return [
    'build',
    `--file=${dockerfile}`,
    ...each('--tag', spec.tags),
    ...option('--target', spec.target),
    ...option('--platform', spec.platforms?.[0]),
    ...given,
    ...pairs('--label', spec.labels),
    ...cacheArguments(spec),
    ...(spec.noCache ? ['--no-cache'] : []),
    ...(spec.pull ? ['--pull-always'] : []),
    ...option('--network', spec.network),
    // Podman 4.3 hands the value to the kernel, which knows no 'b'.
    ...option('--shm-size', spec.shmSizeBytes),
    ...(spec.extraHosts ?? []).map(({ host, address }) => `--add-host=${host}:${address}`),
    ...option('--memory', spec.memoryBytes === undefined ? undefined : `${spec.memoryBytes}b`),
    ...Object.entries(spec.ulimits ?? {}).map(([name, { soft, hard }]) => `--ulimit=${name}=${soft}:${hard}`),
    ...(spec.privileged === true ? ['--cap-add=all', '--security-opt=label=disable'] : []),
    ...each('--ssh', spec.ssh),
    ...pairs('--build-context', contextsOf(spec)),
    spec.context,
  ];
}

/** @throws RuntimeError.notSupported for a name with '=', which podman would read as part of the context */
function contextsOf({ additionalContexts = {} }: BuildSpec): Readonly<Record<string, string>> {
  if (Object.keys(additionalContexts).some((name) => name.includes('='))) {
    throw notSupported("a build context whose name has '='", 'native');
  }
  return additionalContexts;
}

async function* progress(process: RunningProgram, secrets: readonly string[]): AsyncGenerator<BuildProgress, void> {
  const base = baseImageWatcher();
  let imageId = '';
  let reason = '';
  for await (const line of mergedLines(process)) {
    base.see(line);
    // The last line that consists of an id is the image's id.
    if (/^[0-9a-f]{64}$/.test(line)) imageId = line;
    if (/^error:/i.test(line)) reason = podmanReason(line);
    yield { type: 'log', line };
  }
  if ((await process.exit) !== 0) {
    throw base.missing(reason, secrets) ?? commandFailed(`Build failed: ${reason}`, undefined, secrets);
  }
  yield { type: 'done', imageId };
}
