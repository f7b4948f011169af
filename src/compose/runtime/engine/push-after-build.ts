/** Pushes the tags of an image that was built, where the builder cannot do it itself. */
import type { BuildProgress } from '../records.js';
import type { ImageOperations } from '../runtime.js';
import type { BuildSpec } from '../spec.js';

export async function* pushedAfterBuild(
  build: AsyncIterable<BuildProgress>,
  spec: BuildSpec,
  push: ImageOperations['push'],
  signal: AbortSignal | undefined,
): AsyncGenerator<BuildProgress, void> {
  let done: BuildProgress | undefined;
  for await (const progress of build) {
    if (progress.type === 'done') done = progress;
    else yield progress;
  }
  for (const tag of spec.push === true ? spec.tags : []) {
    for await (const { layer, message } of await push(tag, signal && { signal })) {
      yield { type: 'log', line: layer === undefined ? message : `${layer}: ${message}` };
    }
  }
  if (done !== undefined) yield done;
}
