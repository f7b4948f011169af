import type { Problem } from '../read/contract-model.js';
import { camelCase, quote, withoutProblemSuffix } from '../derive/naming.js';
import { header } from './header.js';

/** Emits the types and constructors of the problems that the pipeline raises: the contract runtime needs no others. */
export function emitPipelineProblems(problems: readonly Problem[]): string {
  return [
    header('openapi/problems.yaml'),
    `import type { ProblemOptions, ProblemReply } from '@plumbline/contract/contract-types';\n`,
    `import type { components } from '../problem-schemas.js';\n\n`,
    `type Schemas = components['schemas'];\n\n`,
    ...problems.filter(isOfPipeline).map(emitProblem),
  ].join('');
}

/**
 * Emits the whole catalogue: the types and constructors of the problems that the pipeline does not raise, beside those
 * that it does, and the tables of all.
 */
export function emitProblems(problems: readonly Problem[]): string {
  return [
    header('openapi/problems.yaml'),
    `import type { ProblemForm, ProblemOptions, ProblemReply } from '@plumbline/contract/contract-types';\n`,
    `import type { components } from './problem-schemas.js';\n\n`,
    `export * from './contract/problems.js';\n\n`,
    `type Schemas = components['schemas'];\n\n`,
    ...problems.filter((problem) => isSent(problem) && !isOfPipeline(problem)).map(emitProblem),
    emitFailureProblems(problems.filter(isSent)),
    emitForms(problems.filter(isSent)),
    emitCatalogue(problems),
  ].join('');
}

function emitProblem(problem: Problem): string {
  const name = withoutProblemSuffix(problem.schemaName);
  const asked = askedOfCaller(problem);
  const type = `ProblemReply<Schemas[${quote(problem.schemaName)}]>`;
  const memberType = `Pick<Schemas[${quote(problem.schemaName)}], ${asked.map((each) => quote(each)).join(' | ')}>`;
  const parameters =
    asked.length === 0 ? 'options?: ProblemOptions' : `members: ${memberType}, options?: ProblemOptions`;
  const status = problem.statuses.length > 1 ? 'members.status' : String(problem.statuses[0]);
  const body = [
    `type: ${quote(`/problems/${problem.slug}`)}`,
    `title: ${quote(problem.title)}`,
    `status: ${status}`,
    `message: ${problem.message === null ? 'members.message' : quote(problem.message)}`,
    ...problem.members.map(({ name: member, required, constant }) => {
      if (constant !== undefined) return `${member}: ${quote(constant)}`;
      return required
        ? `${member}: members.${member}`
        : `...(members.${member} === undefined ? {} : { ${member}: members.${member} })`;
    }),
  ];
  return `
export type ${name} = ${type};

/** ${problem.statuses.join(' or ')} ${problem.title}. */
export function ${camelCase(name)}(${parameters}): ${name} {
  return {
    status: ${status},
    contentType: 'application/problem+json',
    body: { ${body.join(', ')} },
    ...options,
  };
}
`;
}

function askedOfCaller(problem: Problem): string[] {
  return [
    ...(problem.statuses.length > 1 ? ['status'] : []),
    ...(problem.message === null ? ['message'] : []),
    ...problem.members.filter(({ constant }) => constant === undefined).map(({ name }) => name),
  ];
}

function isOfPipeline({ raisedBy }: Problem): boolean {
  return raisedBy === 'pipeline' || raisedBy === 'both';
}

/** Whether a server can return it. */
function isSent({ raisedBy }: Problem): boolean {
  return raisedBy !== 'command-line';
}

/** Emits the constructors of the problems in the error catalogue, by error and case. */
function emitFailureProblems(problems: readonly Problem[]): string {
  const families = new Map<string, string[]>();
  for (const { failure, schemaName } of problems) {
    if (failure === null) continue;
    const entry = `${failure.case}: ${camelCase(withoutProblemSuffix(schemaName))}`;
    families.set(failure.error, [...(families.get(failure.error) ?? []), entry]);
  }
  if (families.size === 0) return '';
  const entries = [...families].map(([error, cases]) => `${error}: { ${cases.join(', ')} }`);
  return `
/** The problem of each entry of the error catalogue that a server can return, by error and case. */
export const failureProblems = { ${entries.join(', ')} } as const;
`;
}

function emitForms(problems: readonly Problem[]): string {
  const entries = problems
    .filter(({ headers, members }) => Object.keys(headers).length + members.length > 0)
    .map(({ slug, headers, members }) => {
      const forms = Object.fromEntries(members.map(({ name, form }) => [name, form]));
      return `${quote(slug)}: { headers: ${JSON.stringify(headers)}, members: ${JSON.stringify(forms)} }`;
    });
  return `
/** The problems with headers or members that not every problem has, by slug. */
export const problemForms: Readonly<Record<string, ProblemForm>> = { ${entries.join(', ')} };
`;
}

function emitCatalogue(problems: readonly Problem[]): string {
  const entries = problems.map(
    ({ slug, title, statuses, description }) =>
      `${quote(slug)}: { title: ${quote(title)}, statuses: ${JSON.stringify(statuses)}, description: ${quote(description.trim())} }`,
  );
  return `
/** The content of every problem's page, by slug. */
export const problemCatalogue = { ${entries.join(', ')} } as const;

export type ProblemSlug = keyof typeof problemCatalogue;
`;
}
