/** Describes the problems of a file, or of the same content in JSON, for a reply. */
import type { ValidationFailed } from '../../../../generated/problems.js';
import { validationProblem } from '@plumbline/contract/violations';
import { MOST_PROBLEMS, type FileProblem } from '../../../sync/work-units/file-check.js';

/** Maximum number of problems in the reply. Its message contains only the first few. */
const mostListed = 100;
const mostNamed = 3;

/** The message and the list of problems of a reply about a file, in the order of the lines. */
export function describeFileProblems(found: readonly FileProblem[]): {
  readonly message: string;
  readonly problems: { line: number | null; place: string | null; message: string }[];
} {
  const lastLine = Infinity;
  const sorted = found.toSorted((a, b) => (a.line ?? lastLine) - (b.line ?? lastLine));
  const named = sorted.slice(0, mostNamed).map(({ line, place, text }) => {
    return `${line === null ? '' : `line ${line}: `}${place === null ? '' : `${place} `}${text}`;
  });
  const least = found.length === MOST_PROBLEMS ? 'at least ' : '';
  const count = found.length === 1 ? '1 problem' : `${least}${found.length} problems`;
  const more = found.length > mostNamed ? ` (and ${found.length - mostNamed} more)` : '';
  return {
    message: `The file has ${count}: ${named.join('; ')}${more}.`,
    problems: sorted.slice(0, mostListed).map(({ line, place, text }) => ({ line, place, message: text })),
  };
}

/**
 * The refusal of a body that breaks the rules of a file, which are stricter than the schema.
 *
 * @param rule the name of the rules
 * @param found with places that begin with `body`
 */
export function refuseBody(rule: string, found: readonly FileProblem[]): ValidationFailed {
  return validationProblem(
    found.slice(0, mostListed).map(({ place, text }) => {
      const path = `/${(place ?? '').replaceAll(/[.[]/g, '/').replaceAll(']', '')}`;
      return { path, rule, message: text };
    }),
  );
}
