/** Images through the podman command. */
import { mergedLines } from '../merged-lines.js';
import { engineImage } from '../engine/image.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { pushedAfterBuild } from '../engine/push-after-build.js';
import { cannotBePulled, commandFailed, imageNotFound } from '../errors.js';
import { hasTransport, qualifyImage } from '../image-reference.js';
import { objectsOf } from '../json.js';
import type { PullProgress } from '../records.js';
import type { ImageOperations } from '../runtime.js';
import { buildImage } from './build.js';
import { podmanReason } from './failures.js';
import { labelArguments, option } from './options.js';
import type { RunningProgram } from '../program.js';
import type { Podman } from './podman.js';

export function nativeImages(podman: Podman): ImageOperations {
  // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown must reject
  const push: ImageOperations['push'] = async (reference, { signal } = {}) => {
    const whole = qualifyImage(operand(reference));
    const process = podman.start(['push', whole], { signal });
    return progress(process, (reason) =>
      /image not known/i.test(reason) ? imageNotFound(reference) : commandFailed(reason, undefined, podman.secrets),
    );
  };
  return {
    async list({ labels = {}, signal } = {}) {
      const args = ['images', '--format=json', ...labelArguments(labels)];
      return objectsOf(await lookDespiteEnd(() => podman.json(args, { signal }))).map(engineImage);
    },
    async inspect(reference, { signal } = {}) {
      const subject = { image: reference };
      const args = ['image', 'inspect', operand(reference)];
      const answer = await lookDespiteEnd(() => podman.json(args, { subject, signal }));
      const [image] = objectsOf(answer);
      if (image === undefined) throw imageNotFound(reference);
      return engineImage(image);
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown must reject
    async pull(reference, { platform, signal } = {}) {
      const args = ['pull', ...option('--platform', platform), qualifyImage(operand(reference))];
      return progress(podman.start(args, { signal }), (reason) => cannotBePulled(reference, reason, podman.secrets));
    },
    push,
    build: async (spec, { signal } = {}) =>
      pushedAfterBuild(await buildImage(podman, spec, signal), spec, push, signal),
    async remove(reference, { force = false, signal } = {}) {
      const args = ['rmi', ...(force ? ['--force'] : []), operand(reference)];
      await podman.run(args, { subject: { image: reference }, signal });
    },
  };
}

/** The last lines of the output that are kept, because the reason of a failure is among them. */
const KEPT_LINES = 50;

async function* progress(
  process: RunningProgram,
  failed: (reason: string) => Error,
): AsyncGenerator<PullProgress, void> {
  const last: string[] = [];
  for await (const line of mergedLines(process)) {
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    yield { message: line };
  }
  if ((await process.exit) !== 0) throw failed(podmanReason(last.join('\n')));
}

/** Ensures that a name from outside is not read as an option or a local file. */
function operand(reference: string): string {
  if (reference === '' || reference.startsWith('-') || hasTransport(reference)) throw imageNotFound(reference);
  return reference;
}
