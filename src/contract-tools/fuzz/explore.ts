import fc from 'fast-check';
import type { PlannedRequest } from './draft.js';
import type { Fault } from './judge-reply.js';

/** A fault with the smallest request that was found to show it. */
export interface Finding {
  readonly fault: Fault;
  readonly request: PlannedRequest;
  readonly status: number | null;
}

/** The outcome of one request. */
export interface Trial {
  readonly fault: Fault | null;
  readonly status: number | null;
}

/** Faults of different kinds that are looked for in one operation. */
const mostFindings = 8;
/** Requests to make one finding smaller. */
const mostShrinks = 100;
/** Attempts to make one request: not each value has the place where a rule can be broken. */
const attemptsPerRequest = 8;

/**
 * Tries `count` requests, and makes those that show a fault smaller. Each kind of fault is reported once; equal seeds try
 * equal requests.
 */
export async function explore(
  requests: fc.Arbitrary<PlannedRequest | null>,
  { seed, count }: { readonly seed: number; readonly count: number },
  attempt: (request: PlannedRequest) => Promise<Trial>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const progress = { left: count, runs: 0 };
  const mostRuns = count * attemptsPerRequest;
  while (progress.left > 0 && progress.runs < mostRuns && findings.length < mostFindings) {
    const known = new Set(findings.map(({ fault }) => fault.rule));
    const parameters = { seed, path: String(progress.runs), numRuns: mostRuns - progress.runs };
    const finding = await findOne(requests, parameters, progress, known, attempt);
    if (finding === null) break;
    findings.push(finding);
  }
  return findings;
}

/** Finds the next fault that is not known yet. */
async function findOne(
  requests: fc.Arbitrary<PlannedRequest | null>,
  parameters: fc.Parameters<[PlannedRequest | null]>,
  progress: { left: number; runs: number },
  known: ReadonlySet<string>,
  attempt: (request: PlannedRequest) => Promise<Trial>,
): Promise<Finding | null> {
  const state: { finding: Finding | null; shrinks: number } = { finding: null, shrinks: 0 };
  const property = fc.asyncProperty(requests, async (request) => {
    if (request === null) return true;
    if (state.finding === null) progress.left -= 1;
    else state.shrinks += 1;
    if (progress.left < 0 || state.shrinks > mostShrinks) return true;
    const { fault, status } = await attempt(request);
    const isNew = fault !== null && !known.has(fault.rule);
    if (!isNew || (state.finding !== null && state.finding.fault.rule !== fault.rule)) return true;
    state.finding = { fault, request, status };
    return false;
  });
  const { numRuns } = await fc.check(property, parameters);
  progress.runs += numRuns;
  return state.finding;
}
