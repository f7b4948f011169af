/** Images through the Engine API. */
import type { Readable } from 'node:stream';
import { engineFilters } from '../engine/labels.js';
import { engineImage } from '../engine/image.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { backendFailure, cannotBePulled, type RuntimeError } from '../errors.js';
import { nameAndTag, qualifyImage } from '../image-reference.js';
import { numberOf, objectOf, objectsOf, parseJson, textOf } from '../json.js';
import { linesOf } from '../lines.js';
import type { PullProgress } from '../records.js';
import type { ImageOperations } from '../runtime.js';
import { imageBuilder, type Builders } from './build/build.js';
import { chunksOf, type EngineClient } from './client.js';
import { inspectImage } from './inspect-image.js';
import { registryAuth } from './registry-auth.js';
import { imageSegment } from './requests.js';

export function bridgeImages(
  client: EngineClient,
  environment: NodeJS.ProcessEnv,
  { address, mayRunBuildx }: Pick<Builders, 'address' | 'mayRunBuildx'>,
): ImageOperations {
  const pushImage: ImageOperations['push'] = (reference, { signal } = {}) =>
    push(client, environment, reference, signal);
  return {
    async list({ labels = {}, signal } = {}) {
      const query = { filters: JSON.stringify(engineFilters(labels)) };
      const request = { method: 'GET', path: '/images/json', query, signal } as const;
      return objectsOf(await lookDespiteEnd(() => client.call({}, request))).map(engineImage);
    },
    async inspect(reference, { signal } = {}) {
      return engineImage(objectOf(await inspectImage(client, reference, signal)));
    },
    pull: (reference, { platform, signal } = {}) => pull(client, environment, reference, platform, signal),
    push: pushImage,
    build: imageBuilder({ client, address, environment, mayRunBuildx, push: pushImage }),
    async remove(reference, { force = false, signal } = {}) {
      const path = `/images/${imageSegment(reference)}`;
      await client.call({ image: reference }, { method: 'DELETE', path, query: { force }, signal });
    },
  };
}

async function pull(
  client: EngineClient,
  environment: NodeJS.ProcessEnv,
  reference: string,
  platform: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<PullProgress>> {
  const whole = qualifyImage(reference);
  const auth = await registryAuth(whole, environment);
  const query = { fromImage: whole, ...(platform !== undefined && { platform }) };
  const request = { method: 'POST' as const, path: '/images/create', query, auth, signal };
  const reply = await client.stream({ pulled: reference }, request);
  return progress(client, reply, (reason) => cannotBePulled(reference, reason, client.secrets), signal);
}

async function push(
  client: EngineClient,
  environment: NodeJS.ProcessEnv,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<PullProgress>> {
  // Engines report a missing image in different ways, and only while they push.
  await inspectImage(client, reference, signal);
  const whole = qualifyImage(reference);
  const auth = await registryAuth(whole, environment);
  const [name = whole, tag] = nameAndTag(whole);
  const request = {
    method: 'POST' as const,
    path: `/images/${imageSegment(name)}/push`,
    query: { ...(tag !== undefined && { tag }) },
    // Docker rejects a push without credentials even if the registry requires none.
    auth: auth ?? { serveraddress: '' },
    signal,
  };
  const reply = await client.stream({ image: reference }, request);
  return progress(client, reply, (reason) => backendFailure(reason, undefined, client.secrets), signal);
}

async function* progress(
  client: EngineClient,
  stream: Readable,
  failed: (reason: string) => RuntimeError,
  signal: AbortSignal | undefined,
): AsyncGenerator<PullProgress, void> {
  for await (const line of linesOf(chunksOf(client, stream, signal))) {
    const item = objectOf(parseJson(line));
    // The status line is sent before the registry replies, so a failure arrives as an item.
    if (item.error !== undefined || item.errorDetail !== undefined) throw failed(textOf(item.error));
    const detail = objectOf(item.progressDetail);
    const message = textOf(item.status) || textOf(item.stream).trim();
    if (message === '') continue;
    yield {
      message,
      ...(textOf(item.id) !== '' && { layer: textOf(item.id) }),
      ...(numberOf(detail.total) > 0 && {
        currentBytes: numberOf(detail.current),
        totalBytes: numberOf(detail.total),
      }),
    };
  }
}
