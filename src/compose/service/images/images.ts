/** Lists and pulls images. */
import type { ListImagesHandler, PullImageHandler, Schemas } from '../../../../generated/compose/operations.js';
import type { RequestContext } from '@plumbline/contract/contract-types';
import { imageNotFound } from '../../runtime/errors.js';
import type { ImageRecord, PullProgress } from '../../runtime/records.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { failedFrame } from '../failed-frame.js';
import { listMatching } from '../label-filter.js';
import { byTime, replyWithPage } from '../paging.js';
import { shownText } from '../shown-text.js';
import { streamOf, streamSignal } from '../streams.js';
import { isImageOfServer } from '../trust/values.js';

type Frame = Schemas['PullProgress'] | Schemas['PullDone'] | Schemas['FailedFrame'];

export const listImages: ListImagesHandler<ComposeDependencies> = async ({ query, context }, { backend }) => {
  const images = await listMatching(query.label, (filter) =>
    backend.images.list({ signal: context.signal, ...filter }),
  );
  return replyWithPage(query, images, { positionOf: byTime, itemOf: imageBody });
};

function imageBody({ id, tags, createdAt, sizeBytes, labels }: ImageRecord): Schemas['Image'] {
  return { id, tags: [...tags], created_at: createdAt, size_bytes: sizeBytes, labels: { ...labels } };
}

export const pullImage: PullImageHandler<ComposeDependencies> = ({ body, context }, dependencies) =>
  answering(['RuntimeError.imageNotFound'], async () => {
    const { reference, platform } = body;
    // Podman would read such an image from a file of the server.
    if (isImageOfServer(reference) && !dependencies.allowances.has('host-files')) throw imageNotFound(reference);
    const signal = streamSignal(context, dependencies);
    const options = { signal, ...(platform !== undefined && { platform }) };
    const release = dependencies.imageWork.take();
    // A stream whose reader leaves before the first line never runs.
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
    let frames: AsyncGenerator<Frame, void>;
    try {
      const progress = await dependencies.backend.images.pull(reference, options);
      // A failure before the first item becomes a status; a later one can only be a line.
      const steps = progress[Symbol.asyncIterator]();
      frames = pullFrames({ first: await steps.next(), steps, release }, reference, context, signal);
    } catch (error) {
      release();
      throw error;
    }
    return { status: 200, body: streamOf(frames, (frame) => frame, signal, dependencies) };
  });

interface StartedPull {
  readonly first: IteratorResult<PullProgress>;
  readonly steps: AsyncIterator<PullProgress>;
  /** Called when the pull has ended. */
  readonly release: () => void;
}

async function* pullFrames(
  { first, steps, release }: StartedPull,
  reference: string,
  context: RequestContext,
  signal: AbortSignal,
): AsyncGenerator<Frame, void> {
  try {
    for (let step = first; step.done !== true; step = await steps.next()) yield stepFrame(step.value);
    yield { type: 'done', reference };
  } catch (error) {
    if (signal.aborted) return;
    yield failedFrame(error, context);
  } finally {
    release();
    await steps.return?.();
  }
}

function stepFrame({ layer, message, currentBytes, totalBytes }: PullProgress): Schemas['PullProgress'] {
  return {
    type: 'progress',
    layer: layer ?? null,
    message: shownText(message),
    current_bytes: currentBytes ?? null,
    total_bytes: totalBytes ?? null,
  };
}
