import type { RequestContext } from '@plumbline/contract/contract-types';
import { DEFAULT_PARALLEL, type Orchestration } from '../../orchestrator/orchestration.js';
import { shownText } from '../shown-text.js';
import { SENT_LABELS } from '../trust/ownership.js';
import { isReservedLabel } from '../trust/values.js';
import type { ComposeDependencies } from '../dependencies.js';

/** The orchestration of one request on a project, and the warnings that it reports. */
export function orchestrationOf(
  { signal }: RequestContext,
  { backend, clock }: ComposeDependencies,
): { orchestration: Orchestration; warnings: string[] } {
  const warnings: string[] = [];
  const report: Orchestration['report'] = (progress) => {
    if (progress.kind === 'warning') warnings.push(shownText(progress.message));
  };
  return {
    orchestration: {
      backend,
      clock,
      signal,
      report,
      parallel: DEFAULT_PARALLEL,
      labels: SENT_LABELS,
      withholds: isReservedLabel,
    },
    warnings,
  };
}
