import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work in small steps. It yields after each step, so that it can be interrupted. */
export type Steps<Result> = Generator<void, Result, void>;

/** Runs all steps without a pause, for commands that have nothing else to do. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A delay of this length is not noticeable to other requests. */
const sliceMs = 10;

/** Runs the steps in slices of about 10 ms. Between two slices the process serves other requests. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (let begun = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - begun < sliceMs) continue;
    await nextTurn();
    begun = performance.now();
  }
}
