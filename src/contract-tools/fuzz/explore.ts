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

export interface Exploration {
  readonly seed: number;
  readonly count: number;
  /** The rules of the faults that need no finding. */
  readonly known?: ReadonlySet<string>;
}

/** Faults of different kinds after which no more are looked for. */
const mostFindings = 8;
/** Requests to make one finding smaller. */
const mostShrinks = 100;
/** Attempts to make one request: not each value has the place where a rule can be broken. */
const attemptsPerRequest = 8;
/** Attempts to make few requests. */
const leastAttempts = 50;

/**
 * Tries `count` requests, and makes those that show a fault smaller. Each kind of fault that any of them shows is a
 * finding, once, unless it is `known`; equal seeds try equal requests.
 */
export async function explore(
  requests: fc.Arbitrary<PlannedRequest | null>,
  { seed, count, known = new Set() }: Exploration,
  attempt: (request: PlannedRequest) => Promise<Trial>,
): Promise<readonly Finding[]> {
  const findings = new Map<string, Finding>();
  const progress = { left: count, runs: 0 };
  const mostRuns = Math.max(leastAttempts, count * attemptsPerRequest);
  while (progress.left > 0 && progress.runs < mostRuns && findings.size < mostFindings) {
    const parameters = { seed, path: String(progress.runs), numRuns: mostRuns - progress.runs };
    if (!(await findMore(requests, parameters, progress, { known, findings }, attempt))) break;
  }
  return [...findings.values()];
}

/**
 * Looks for a fault that is not among the findings, and makes its request smaller. The smaller requests can show other
 * faults: these become findings as well, with the last request that shows them, which is the smallest.
 *
 * @returns whether there was one
 */
async function findMore(
  requests: fc.Arbitrary<PlannedRequest | null>,
  parameters: fc.Parameters<[PlannedRequest | null]>,
  progress: { left: number; runs: number },
  { known: before, findings }: { known: ReadonlySet<string>; findings: Map<string, Finding> },
  attempt: (request: PlannedRequest) => Promise<Trial>,
): Promise<boolean> {
  const known = new Set([...before, ...findings.keys()]);
  const state: { shrunk: string | null; shrinks: number } = { shrunk: null, shrinks: 0 };
  const property = fc.asyncProperty(requests, async (request) => {
    if (request === null) return true;
    if (state.shrunk === null) progress.left -= 1;
    else state.shrinks += 1;
    if (progress.left < 0 || state.shrinks > mostShrinks) return true;
    const { fault, status } = await attempt(request);
    if (fault === null || known.has(fault.rule)) return true;
    findings.set(fault.rule, { fault, request, status });
    state.shrunk ??= fault.rule;
    return state.shrunk !== fault.rule;
  });
  const { numRuns } = await fc.check(property, parameters);
  progress.runs += numRuns;
  return state.shrunk !== null;
}
