/** Looks up a variable: its value, or undefined if it is not set. */
export type Lookup = (variable: string) => string | undefined;

/** An invalid template. `variable` and `reason` are set for `requiredVariable`. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly problem: 'invalidTemplate' | 'requiredVariable' | 'nestedTooDeeply';
  readonly variable: string;
  readonly reason: string;

  constructor(problem: TemplateError['problem'], variable = '', reason = '') {
    super(problem);
    this.problem = problem;
    this.variable = variable;
    this.reason = reason;
  }
}

/** Deeper nested expressions are rejected, because each level is scanned again for its closing brace. */
export const MAX_TEMPLATE_DEPTH = 32;

/**
 * Replaces variables in a string (Compose Specification, "Interpolation"): `$NAME`, `${NAME}`, and with the operators
 * `:-` `-` (default), `:?` `?` (required) and `:+` `+` (replacement), whose operands are templates, too. `$$` is a
 * dollar sign. A dollar sign before anything else is literal.
 *
 * @param onUnset called with the name of each unset variable without a default; it becomes empty
 * @throws TemplateError for a malformed expression or a required variable without a value. Its reason is the operand as
 * written, because an expanded one could contain another variable's secret.
 */
export function expandTemplate(
  template: string,
  lookup: Lookup,
  onUnset: (variable: string) => void = () => undefined,
): string {
  return expand(template, { lookup, onUnset }, 0);
}

interface Expansion {
  readonly lookup: Lookup;
  readonly onUnset: (variable: string) => void;
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const OPERATOR = /:?[-?+]/y;

/** A variable as a template has it. */
export interface TemplateVariable {
  readonly name: string;
  /** `:-`, `-`, `:?`, `?`, `:+` or `+`; empty if there is none. */
  readonly operator: string;
  readonly operand: string;
}

/**
 * The variables of a template, including those of operands.
 *
 * @throws TemplateError for a malformed expression
 */
export function templateVariables(template: string, depth = 0): TemplateVariable[] {
  return [...partsOf(template, depth)].flatMap((part) =>
    typeof part === 'string' ? [] : [part, ...templateVariables(part.operand, depth + 1)],
  );
}

function expand(template: string, run: Expansion, depth: number): string {
  let result = '';
  for (const part of partsOf(template, depth)) result += typeof part === 'string' ? part : evaluate(part, run, depth);
  return result;
}

/** Literal texts and variables. */
function* partsOf(template: string, depth: number): Generator<string | TemplateVariable, void> {
  if (depth > MAX_TEMPLATE_DEPTH) throw new TemplateError('nestedTooDeeply');
  let index = 0;
  for (;;) {
    const dollar = template.indexOf('$', index);
    if (dollar === -1) {
      yield template.slice(index);
      return;
    }
    yield template.slice(index, dollar);
    const next = template.charAt(dollar + 1);
    if (next === '$') {
      yield '$';
      index = dollar + 2;
    } else if (next === '{') {
      const end = closingBrace(template, dollar + 1);
      yield variableOf(template.slice(dollar + 2, end));
      index = end + 1;
    } else {
      const name = matchAt(NAME, template, dollar + 1);
      yield name === undefined ? '$' : { name, operator: '', operand: '' };
      index = dollar + 1 + (name?.length ?? 0);
    }
  }
}

/** Braces inside an operand are matched, with or without a preceding dollar sign. */
function closingBrace(template: string, open: number): number {
  let depth = 0;
  for (let index = open; index < template.length; index += 1) {
    const char = template.charAt(index);
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (depth === 0) return index;
  }
  throw new TemplateError('invalidTemplate');
}

function variableOf(expression: string): TemplateVariable {
  const name = matchAt(NAME, expression, 0);
  if (name === undefined) throw new TemplateError('invalidTemplate');
  if (name.length === expression.length) return { name, operator: '', operand: '' };
  const operator = matchAt(OPERATOR, expression, name.length);
  if (operator === undefined) throw new TemplateError('invalidTemplate');
  return { name, operator, operand: expression.slice(name.length + operator.length) };
}

function evaluate({ name, operator, operand }: TemplateVariable, run: Expansion, depth: number): string {
  if (operator === '') return plainValue(name, run);
  const value = run.lookup(name);
  const present = value !== undefined && !(operator.startsWith(':') && value === '');
  const action = operator.at(-1);
  if (action === '+') return present ? expand(operand, run, depth + 1) : '';
  if (present) return value;
  if (action === '?') throw new TemplateError('requiredVariable', name, operand);
  return expand(operand, run, depth + 1);
}

function plainValue(name: string, run: Expansion): string {
  const value = run.lookup(name);
  if (value === undefined) run.onUnset(name);
  return value ?? '';
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}
