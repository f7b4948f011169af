/** Builds an image with podman's builder, which supports BuildKit features: secrets, ssh, additional contexts. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseImageWatcher } from '../engine/base-image.js';
import { commandFailed, imageNotFound, notSupported } from '../errors.js';
import type { BuildProgress } from '../records.js';
import { scrub } from '../scrub.js';
import type { BuildSpec } from '../spec.js';
import { each, option, pairs } from './options.js';
import { mergedLines } from './merged-lines.js';
import type { Podman, PodmanProcess } from './podman.js';

export async function buildImage(
  podman: Podman,
  spec: BuildSpec,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<BuildProgress>> {
  if (spec.dockerfileInline !== undefined) return buildInline(podman, spec, spec.dockerfileInline, signal);
  const dockerfile = resolve(spec.context, spec.dockerfile ?? 'Dockerfile');
  await access(dockerfile).catch(() => {
    throw imageNotFound(spec.tags[0] ?? spec.dockerfile ?? 'Dockerfile');
  });
  return progress(podman.start(buildArguments(spec, dockerfile), { signal }), secretsOf(podman, spec));
}

/**
 * Writes the Dockerfile to a file, because podman cannot open a standard input that is a socket, which Node uses for
 * child processes.
 */
async function* buildInline(
  podman: Podman,
  spec: BuildSpec,
  dockerfile: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-build-'));
  try {
    const path = join(directory, 'Dockerfile');
    await writeFile(path, dockerfile, { mode: 0o600 });
    yield* progress(podman.start(buildArguments(spec, path), { signal }), secretsOf(podman, spec));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function secretsOf(podman: Podman, spec: BuildSpec): readonly string[] {
  return [...podman.secrets, ...Object.values(spec.buildArguments ?? {})];
}

function buildArguments(spec: BuildSpec, dockerfile: string): string[] {
  return [
    'build',
    `--file=${dockerfile}`,
    ...each('--tag', spec.tags),
    ...option('--target', spec.target),
    ...option('--platform', spec.platform),
    ...pairs('--build-arg', spec.buildArguments),
    ...pairs('--label', spec.labels),
    ...each('--cache-from', spec.cacheFrom),
    ...(spec.noCache ? ['--no-cache'] : []),
    ...(spec.pull ? ['--pull-always'] : []),
    ...option('--network', spec.network),
    ...option('--shm-size', spec.shmSizeBytes === undefined ? undefined : `${spec.shmSizeBytes}b`),
    ...(spec.extraHosts ?? []).map(({ host, address }) => `--add-host=${host}:${address}`),
    ...(spec.secrets ?? []).map(({ id, path }) => `--secret=id=${id},src=${path}`),
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

async function* progress(process: PodmanProcess, secrets: readonly string[]): AsyncGenerator<BuildProgress, void> {
  const base = baseImageWatcher();
  let imageId = '';
  let reason = '';
  for await (const line of mergedLines(process)) {
    base.see(line);
    // The last line that consists of an id is the image's id.
    if (/^[0-9a-f]{64}$/.test(line)) imageId = line;
    if (/^error:/i.test(line)) reason = line;
    yield { type: 'log', line };
  }
  if ((await process.exit) !== 0) {
    throw base.missing(reason) ?? commandFailed(scrub(`Build failed: ${reason.replace(/^error:\s*/i, '')}`, secrets));
  }
  yield { type: 'done', imageId };
}
