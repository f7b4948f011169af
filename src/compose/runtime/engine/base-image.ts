/** Tells a build that failed for want of its base image from one that failed in a step of its own. */
import { RuntimeError, imageNotFound } from '../errors.js';

export interface BaseImageWatcher {
  /** Each line of the build's log. */
  see(line: string): void;
  /** imageNotFound with the base's name, if that is what failed. */
  missing(failure: string): RuntimeError | undefined;
}

/** `Step 1/3 : FROM name` (Docker), `STEP 1/3: FROM name` (Podman), each also with a stage in brackets. */
const fromStep = /^(?:\[[^\]]*\] )?step \d+(?:\/\d+)? ?: from (?:--platform=\S+ )?(\S+)/i;
const anyStep = /^(?:\[[^\]]*\] )?step \d+(?:\/\d+)? ?:/i;

export function baseImageWatcher(): BaseImageWatcher {
  let base: string | undefined;
  return {
    see(line) {
      const from = fromStep.exec(line);
      if (from !== null) base = from[1];
      else if (anyStep.test(line)) base = undefined;
    },
    missing(failure) {
      return base === undefined
        ? undefined
        : new RuntimeError(imageNotFound(base).failure, { cause: new Error(failure) });
    },
  };
}
