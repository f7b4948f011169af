/** Builds an image with the engine's classic builder. */
import type { Readable } from 'node:stream';
import { baseImageWatcher } from '../../engine/base-image.js';
import { backendFailure, imageNotFound, isRuntimeError, notSupported } from '../../errors.js';
import { objectOf, parseJson, textOf } from '../../json.js';
import { lineCutter, linesOf } from '../../lines.js';
import type { BuildProgress } from '../../records.js';
import type { BuildSpec } from '../../spec.js';
import { buildContext } from './context.js';
import { buildKitSyntax } from './dockerfile-syntax.js';
import { chunksOf, secretsOf, type EngineClient } from '../client.js';
import { inspectImage } from '../inspect-image.js';
import type { EngineRequest } from '../requests.js';

/**
 * @param advice what to do when the build needs BuildKit
 * @throws RuntimeError.notSupported for a key that needs BuildKit, imageNotFound for a missing Dockerfile
 */
export async function buildWithEngine(
  client: EngineClient,
  spec: BuildSpec,
  advice: string,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<BuildProgress>> {
  const refused = NEEDS_BUILDKIT.find(([, isUsed]) => isUsed(spec))?.[0];
  if (refused !== undefined) throw notSupported(refused, 'bridge');
  const context = await buildContext(spec.context, spec.dockerfile ?? 'Dockerfile', spec.dockerfileInline);
  if (context === undefined) throw imageNotFound(spec.tags[0] ?? spec.dockerfile ?? 'Dockerfile');
  const about = client.knowing(secretsOf(spec.buildArguments));
  const hint = (await client.isPodman(signal)) ? '' : hintFor(context.text, advice);
  const query = buildQuery(spec, context.dockerfile);
  const stream = await about
    .stream({}, { method: 'POST', path: '/build', query, body: context.archive, signal })
    .catch((error: unknown) => {
      // A Dockerfile that cannot be parsed is refused at once.
      throw isRuntimeError(error, 'backendFailure') ? backendFailure(`${error.message}${hint}`, error) : error;
    });
  return progress(about, spec, stream, hint, signal);
}

type Rule = readonly [key: string, isUsed: (spec: BuildSpec) => boolean];

const NEEDS_BUILDKIT: readonly Rule[] = [
  ['build --check', ({ check }) => check === true],
  ['build --builder', ({ builder }) => builder !== undefined],
  ['build.secrets', ({ secrets = [] }) => secrets.length > 0],
  ['build.ssh', ({ ssh = [] }) => ssh.length > 0],
  ['build.additional_contexts', ({ additionalContexts = {} }) => Object.keys(additionalContexts).length > 0],
  ['build.platforms', ({ platforms = [] }) => platforms.length > 1],
  ['build.privileged', ({ privileged }) => privileged === true],
  ['build.entitlements', ({ entitlements = [] }) => entitlements.length > 0],
];

/** The image is the same without these. */
const HAS_NO_EFFECT: readonly Rule[] = [
  ['build.cache_to', ({ cacheTo = [] }) => cacheTo.length > 0],
  ['build.no_cache_filter', ({ noCacheFilter = [] }) => noCacheFilter.length > 0],
  ['build.provenance', ({ provenance = 'false' }) => provenance !== 'false'],
  ['build.sbom', ({ sbom = 'false' }) => sbom !== 'false'],
];

/** The parts of a Dockerfile that a failure of the classic builder may come from. */
function hintFor(dockerfile: string, advice: string): string {
  const used = buildKitSyntax(dockerfile);
  return used.length === 0 ? '' : ` The Dockerfile has ${used.join(' and ')}, which needs BuildKit. ${advice}`;
}

function buildQuery(spec: BuildSpec, dockerfile: string): NonNullable<EngineRequest['query']> {
  return {
    dockerfile,
    t: [...spec.tags],
    rm: true,
    forcerm: true,
    nocache: spec.noCache ?? false,
    ...(spec.pull && { pull: true }),
    ...(spec.target !== undefined && { target: spec.target }),
    ...(spec.platforms?.[0] !== undefined && { platform: spec.platforms[0] }),
    ...(spec.buildArguments && { buildargs: JSON.stringify(spec.buildArguments) }),
    ...(spec.labels && { labels: JSON.stringify(spec.labels) }),
    ...(spec.cacheFrom && { cachefrom: JSON.stringify(spec.cacheFrom) }),
    ...(spec.network !== undefined && { networkmode: spec.network }),
    ...(spec.shmSizeBytes !== undefined && { shmsize: spec.shmSizeBytes }),
    ...(spec.memoryBytes !== undefined && { memory: spec.memoryBytes }),
    ...(spec.ulimits && { ulimits: JSON.stringify(ulimitsOf(spec.ulimits)) }),
    ...(spec.extraHosts && { extrahosts: spec.extraHosts.map(({ host, address }) => `${host}:${address}`).join(',') }),
  };
}

function ulimitsOf(ulimits: NonNullable<BuildSpec['ulimits']>): { Name: string; Soft: number; Hard: number }[] {
  return Object.entries(ulimits).map(([name, { soft, hard }]) => ({ Name: name, Soft: soft, Hard: hard }));
}

async function* progress(
  client: EngineClient,
  spec: BuildSpec,
  stream: Readable,
  hint: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  for (const [key, isUsed] of HAS_NO_EFFECT) {
    if (isUsed(spec)) yield { type: 'log', line: `warning: '${key}' has no effect without BuildKit.` };
  }
  const cutter = lineCutter();
  const base = baseImageWatcher();
  let imageId = '';
  for await (const line of linesOf(chunksOf(client, stream, signal))) {
    const item = objectOf(parseJson(line));
    const failure = textOf(item.error) || textOf(objectOf(item.errorDetail).message);
    if (failure !== '') {
      throw (
        base.missing(failure, client.secrets) ??
        backendFailure(`Build failed: ${failure}${hint}`, undefined, client.secrets)
      );
    }
    imageId = textOf(objectOf(item.aux).ID) || imageId;
    for (const text of cutter.push(textOf(item.stream) || statusLine(textOf(item.status)))) {
      base.see(text);
      yield { type: 'log', line: text };
    }
  }
  for (const text of cutter.rest()) yield { type: 'log', line: text };
  yield { type: 'done', imageId: imageId.replace(/^sha256:/, '') || (await idOfTag(client, spec, signal)) };
}

/** Podman's socket reports the image only by its tag. */
async function idOfTag(client: EngineClient, spec: BuildSpec, signal: AbortSignal | undefined): Promise<string> {
  const [tag] = spec.tags;
  if (tag === undefined) return '';
  const image = objectOf(await inspectImage(client, tag, signal));
  return textOf(image.Id).replace(/^sha256:/, '');
}

function statusLine(status: string): string {
  return status === '' ? '' : `${status}\n`;
}
