import type { WorkUnitStore } from '../../analytics/work-unit.js';
import type { Derivation } from './derivation/database/records.js';
import type { Sink } from '../sinks/sink.js';
import type { SyncDependencies } from '../dependencies.js';
import type { Classifier } from './classify/classifier.js';

/** What a derivation of work units works with. */
export interface WorkUnitDeriver {
  readonly orgId: string;
  readonly sink: Sink;
  readonly records: Derivation;
  readonly store: WorkUnitStore;
  readonly classifier: Classifier;
  readonly dependencies: Pick<SyncDependencies, 'now' | 'sleep' | 'signal'>;
}
