/** Distinguishes a build that failed because its base image is missing from one that failed in a step. */
import { cannotBePulled, type RuntimeError } from '../errors.js';

export interface BaseImageWatcher {
  /** Called for each line of the build log. */
  see(line: string): void;
  /** Returns imageNotFound with the base image's name, if a missing base caused the failure. See `FailureOptions`. */
  missing(reason: string, secrets: readonly string[]): RuntimeError | undefined;
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
    missing(reason, secrets) {
      return base === undefined ? undefined : cannotBePulled(base, reason, secrets);
    },
  };
}
