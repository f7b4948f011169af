/** Builds an image with the engine's classic builder. */
import type { Readable } from 'node:stream';
import { baseImageWatcher } from '../engine/base-image.js';
import { backendFailure, imageNotFound, notSupported } from '../errors.js';
import { objectOf, parseJson, textOf } from '../json.js';
import { lineCutter, linesOf } from '../lines.js';
import type { BuildProgress } from '../records.js';
import { scrub } from '../scrub.js';
import type { BuildSpec } from '../spec.js';
import { buildContext } from './build-context.js';
import { chunksOf, secretsOf, type EngineClient } from './client.js';
import { inspectImage } from './inspect-image.js';
import type { EngineRequest } from './requests.js';

export async function buildImage(
  client: EngineClient,
  spec: BuildSpec,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<BuildProgress>> {
  refuseBuildKitParts(spec);
  const context = await buildContext(spec.context, spec.dockerfile ?? 'Dockerfile', spec.dockerfileInline);
  if (context === undefined) throw imageNotFound(spec.tags[0] ?? spec.dockerfile ?? 'Dockerfile');
  const about = client.knowing(secretsOf(spec.buildArguments));
  const stream = await about.stream(
    {},
    { method: 'POST', path: '/build', query: buildQuery(spec, context.dockerfile), body: context.archive, signal },
  );
  return progress(about, spec, stream, signal);
}

/** The classic builder has no BuildKit session, which these features require. */
function refuseBuildKitParts(spec: BuildSpec): void {
  if (spec.secrets?.length) throw notSupported('build.secrets', 'bridge');
  if (spec.ssh?.length) throw notSupported('build.ssh', 'bridge');
  if (Object.keys(spec.additionalContexts ?? {}).length > 0) {
    throw notSupported('build.additional_contexts', 'bridge');
  }
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
    ...(spec.platform !== undefined && { platform: spec.platform }),
    ...(spec.buildArguments && { buildargs: JSON.stringify(spec.buildArguments) }),
    ...(spec.labels && { labels: JSON.stringify(spec.labels) }),
    ...(spec.cacheFrom && { cachefrom: JSON.stringify(spec.cacheFrom) }),
    ...(spec.network !== undefined && { networkmode: spec.network }),
    ...(spec.shmSizeBytes !== undefined && { shmsize: spec.shmSizeBytes }),
    ...(spec.extraHosts && { extrahosts: spec.extraHosts.map(({ host, address }) => `${host}:${address}`).join(',') }),
  };
}

async function* progress(
  client: EngineClient,
  spec: BuildSpec,
  stream: Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  const cutter = lineCutter();
  const base = baseImageWatcher();
  let imageId = '';
  for await (const line of linesOf(chunksOf(client, stream, signal))) {
    const item = objectOf(parseJson(line));
    const failure = textOf(item.error) || textOf(objectOf(item.errorDetail).message);
    if (failure !== '')
      throw base.missing(failure) ?? backendFailure(scrub(`Build failed: ${failure}`, client.secrets));
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
