import type { CodeHealth, CodeHealthInput } from '../../../generated/graphql/resolvers.js';
import type { CodeHealthRequest } from '../code-health.js';
import { checkDates, checkTopN, countSubRequests, type RangeRules } from './check-batch.js';
import type { GraphqlContext } from './context.js';
import { invalid } from './refusal.js';

const deepest = 10;
/** It reads the commits of a year and their files. */
const subRequests = 5;

/** Resolves `codeHealth`. */
export async function readCodeHealth(input: CodeHealthInput, context: GraphqlContext): Promise<CodeHealth> {
  const request = checkCodeHealth(input, context);
  countSubRequests(context.asked, subRequests);
  const found = await context.unitRecords.codeHealth(context.orgId, request, context.signal);
  return { ...found, directories: [...found.directories], hotspots: [...found.hotspots] };
}

function checkCodeHealth({ repo, depth = 1, topN, ...input }: CodeHealthInput, rules: RangeRules): CodeHealthRequest {
  const dateRange = checkDates(input.dateRange, 'input', rules);
  if (depth < 1 || depth > deepest) throw invalid('input.depth', `It must be from 1 to ${deepest}.`);
  return { repo, dateRange, depth, topN: checkTopN(topN, 'input') };
}
