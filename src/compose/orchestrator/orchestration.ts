/** What every operation on a project works with: where, in what time, until when, and who hears of it. */
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { RunProvider } from './providers/providers.js';

export interface Orchestration {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Fires when the caller gives up; what was begun by then is finished by the next `up`. */
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
  /** How many images are pulled or built at the same time. */
  readonly parallel: number;
  /** Runs the programs of services with `provider`. Absent: such services are refused. */
  readonly runProvider?: RunProvider;
}

export type ResourceKind = 'Container' | 'Network' | 'Volume' | 'Image' | 'Provider';

export type Progress =
  | {
      readonly kind: 'status';
      readonly resource: ResourceKind;
      readonly name: string;
      /** One word: `Creating`, `Started`. */
      readonly status: string;
      /** Nothing more will come of this resource by this act. */
      readonly done: boolean;
    }
  /** A line of a build or a pull. */
  | { readonly kind: 'line'; readonly name: string; readonly text: string }
  | { readonly kind: 'warning'; readonly message: string };

export const DEFAULT_PARALLEL = 16;

/** Reports the begin of an act, acts, and reports its end; a failure is reported too, and thrown on. */
export async function reported<T>(
  { report, signal }: Orchestration,
  resource: ResourceKind,
  name: string,
  [during, after]: readonly [during: string, after: string],
  act: () => Promise<T>,
): Promise<T> {
  report({ kind: 'status', resource, name, status: during, done: false });
  try {
    const result = await act();
    report({ kind: 'status', resource, name, status: after, done: true });
    return result;
  } catch (error) {
    // The failure of something else ends this act, too: that is the reason of the signal then.
    const status = signal.aborted && error === signal.reason ? 'Interrupted' : 'Failed';
    report({ kind: 'status', resource, name, status, done: true });
    throw error;
  }
}
