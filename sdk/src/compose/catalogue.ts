import type { Problem } from '../generated/compose/problems.js';

/** The problems of the error catalogue: `error` names the family, `case` the case within it. */
export type CatalogueProblem = Extract<Problem, { readonly error: string }>;

export type ErrorFamily = CatalogueProblem['error'];
export type ErrorCase<Family extends ErrorFamily> = Extract<CatalogueProblem, { readonly error: Family }>['case'];

/**
 * Whether a problem is this entry of the error catalogue; narrows its fields. Accepts a `problem` of any result, and
 * what `unwrap` throws.
 */
export function isCase<Family extends ErrorFamily, Case extends ErrorCase<Family>>(
  problem: object,
  family: Family,
  name: Case,
): problem is Extract<CatalogueProblem, { readonly error: Family; readonly case: Case }> {
  return 'error' in problem && problem.error === family && 'case' in problem && problem.case === name;
}
