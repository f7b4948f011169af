/**
 * Figures about how groups work: DORA's keys, work in progress, reviews and phases. Nobody is ranked by them, so they are
 * not answered for single authors. Other figures are, because a person may look at what a unit says about their work.
 * A filter of bots is accepted: it names no author.
 */
import type { AnalyticsBatch } from '../analytics.js';
import { PHASE_MEASURES, type DistributionMeasure } from '../vocabulary.js';
import { invalid } from './refusal.js';

const REASON = "DORA's keys, work in progress, reviews and phases are figures of groups and not answered by author.";

/** @throws Refusal VALIDATION_ERROR if a batch asks for such a figure by author */
export function refuseAuthors(batch: AnalyticsBatch): void {
  const { distributions = [], scope, filters = {} } = batch;
  const ranked = distributions.findIndex(({ dimension, measure }) => dimension === 'AUTHOR' && isPhase(measure));
  if (ranked !== -1) throw invalid(`batch.distributions[${ranked}].dimension`, REASON);
  if (!hasGroupFigures(batch)) return;
  if (filters.AUTHOR !== undefined) throw invalid('batch.filters.authors', REASON);
  if (scope.level === 'AUTHOR' && scope.ids.length > 0) throw invalid('batch.filters.scope.level', REASON);
}

function hasGroupFigures({ distributions = [], dora, workInProgress, reviews }: AnalyticsBatch): boolean {
  const parts = [dora, workInProgress, reviews];
  return parts.some((part) => part != null) || distributions.some(({ measure }) => isPhase(measure));
}

function isPhase(measure: DistributionMeasure): boolean {
  return PHASE_MEASURES.some((each) => each === measure);
}
