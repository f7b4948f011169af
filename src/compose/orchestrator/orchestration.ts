/** The context of every operation on a project: backend, clock, cancellation and progress reports. */
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { RunProvider } from './providers/run-provider.js';

export interface Orchestration {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Fires when the caller cancels. The next `up` completes unfinished work. */
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
  /** Maximum number of concurrent pulls and builds. */
  readonly parallel: number;
  /** Labels for every created container, network and volume, in addition to those of the project. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels that a container must not inherit from its image. Absent: it inherits all. */
  readonly withholds?: (label: string) => boolean;
  /** Also create networks and volumes that no service uses. */
  readonly allResources?: boolean;
  /** Runs the programs of services with `provider`. Absent: such services are rejected. */
  readonly runProvider?: RunProvider;
}

export type ResourceKind = 'Container' | 'Network' | 'Volume' | 'Image' | 'Provider' | 'Service' | 'Secret' | 'Config';

export type Progress =
  | {
      readonly kind: 'status';
      readonly resource: ResourceKind;
      readonly name: string;
      /** One word: `Creating`, `Started`. */
      readonly status: string;
      /** This operation will report nothing more about the resource. */
      readonly done: boolean;
    }
  /** A line of a build, a pull or a push. */
  | { readonly kind: 'line'; readonly name: string; readonly text: string; readonly about?: 'build' | 'pull' }
  | { readonly kind: 'warning'; readonly message: string };

export const DEFAULT_PARALLEL = 16;

/** Reports the start of an operation, runs it, and reports its end. A failure is reported and rethrown. */
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
    // Another failure also cancels this operation; then the error is the signal's reason.
    const status = signal.aborted && error === signal.reason ? 'Interrupted' : 'Failed';
    report({ kind: 'status', resource, name, status, done: true });
    throw error;
  }
}
