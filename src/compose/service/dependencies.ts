/** What every handler of the compose API works with. */
import type { Clock } from '../runtime/clock.js';
import type { Backend } from '../runtime/runtime.js';
import type { ComposeMetrics } from './metrics.js';
import type { PageAccess } from './page/access.js';
import type { ProjectRegistry } from './projects/registry.js';
import type { Allowance } from './trust/allowances.js';
import type { Turns } from './turns.js';

export interface ComposeDependencies {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Of the product. */
  readonly version: string;
  readonly startedAt: Date;
  readonly projects: ProjectRegistry;
  /** What the operator allows callers and the projects that they send. */
  readonly allowances: ReadonlySet<Allowance>;
  readonly metrics: ComposeMetrics;
  /** Who may use the page for people; null: there is none. */
  readonly page: PageAccess | null;
  /** By project: two `up` of one project at the same time would make its containers twice. */
  readonly turns: Turns;
  /** Fires when the server stops: streams then end. */
  readonly stopping: AbortSignal;
}
