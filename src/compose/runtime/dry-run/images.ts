/** Images of a dry run: nothing is pulled, pushed or built. */
import { randomBytes } from 'node:crypto';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import type { Clock } from '../clock.js';
import { backendFailure, imageNotFound, isRuntimeError } from '../errors.js';
import { qualifyImage } from '../image-reference.js';
import type { ImageRecord } from '../records.js';
import type { ImageOperations } from '../runtime.js';
import type { Remaining } from './resources.js';

export interface DryRunImages extends ImageOperations {
  /** Plans an image. Returns its id. */
  add(tags: readonly string[], labels: Readonly<Record<string, string>> | undefined): string;
}

export function dryRunImages(real: ImageOperations, remaining: Remaining, clock: Clock): DryRunImages {
  const planned = new Map<string, ImageRecord>();
  const removed = new Set<string>();

  const inspect: ImageOperations['inspect'] = async (reference, options) => {
    const found = planned.get(qualifyImage(reference)) ?? [...planned.values()].find(({ id }) => id === reference);
    if (found !== undefined) return found;
    if (removed.has(qualifyImage(reference))) throw imageNotFound(reference);
    return real.inspect(reference, options);
  };

  const add: DryRunImages['add'] = (tags, labels = {}) => {
    const image = {
      id: randomBytes(32).toString('hex'),
      tags: tags.map((tag) => qualifyImage(tag)),
      createdAt: clock.now().toISOString(),
      sizeBytes: 0,
      labels,
    };
    for (const tag of image.tags) {
      planned.set(tag, image);
      removed.delete(tag);
    }
    return image.id;
  };

  return {
    add,
    inspect,
    async list(options) {
      const kept = (await real.list(options)).filter(({ tags }) => !tags.some((tag) => removed.has(qualifyImage(tag))));
      return [...kept, ...new Set(planned.values())];
    },
    async pull(reference, options) {
      try {
        await inspect(reference, options);
      } catch (error) {
        if (!isRuntimeError(error, 'imageNotFound')) throw error;
        add([reference], {});
      }
      return toAsyncIterable([]);
    },
    async push(reference, options) {
      await inspect(reference, options);
      return toAsyncIterable([]);
    },
    build: ({ tags, labels }) => Promise.resolve(toAsyncIterable([{ type: 'done', imageId: add(tags, labels) }])),
    async remove(reference, options) {
      const { id, tags } = await inspect(reference, options);
      const isUsed = tags.length < 2 && (await remaining(options?.signal)).some(({ imageId }) => imageId === id);
      if (isUsed && options?.force !== true) throw backendFailure(`Image '${reference}' is in use.`);
      planned.delete(qualifyImage(reference));
      removed.add(qualifyImage(reference));
    },
  };
}
