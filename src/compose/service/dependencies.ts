/** The dependencies of every handler of the compose API. */
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { ComposeMetrics } from './metrics.js';
import type { PageAccess } from './page/access.js';
import type { ProjectRegistry } from './projects/registry.js';
import type { Allowance } from './trust/allowances.js';
import type { KeyedMutex } from './keyed-mutex.js';
import type { Slots } from './slots.js';

export interface ComposeDependencies {
  readonly backend: Backend;
  readonly clock: Clock;
  /** The product version. */
  readonly version: string;
  readonly startedAt: Date;
  readonly projects: ProjectRegistry;
  /** Features that the operator allows callers and received projects to use. */
  readonly allowances: ReadonlySet<Allowance>;
  readonly metrics: ComposeMetrics;
  /** Controls access to the web page; null: the page is not served. */
  readonly page: PageAccess | null;
  /** Serializes operations on a project: two concurrent `up` would create its containers twice. */
  readonly projectLocks: KeyedMutex;
  /** Builds and pulls in progress, which keep the engine busy. */
  readonly imageWork: Slots;
  /** Fires when the server stops, which ends streams. */
  readonly stopping: AbortSignal;
}
