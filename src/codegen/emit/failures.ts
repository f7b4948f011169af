import type { Problem, ProblemFailure } from '../read/contract-model.js';
import type { SchemaObject } from '../read/openapi-document.js';
import { quote, unionOf } from '../derive/naming.js';
import { header } from './header.js';

/**
 * Emits the error catalogue: per error and case the type of its fields, its message, the statuses of a server's reply
 * and the exit code of a command line. Programs and servers share it.
 */
export function emitFailures(problems: readonly Problem[]): string {
  const families = new Map<string, Entry[]>();
  for (const problem of problems) {
    if (problem.failure === null) continue;
    const { failure } = problem;
    families.set(failure.error, [...(families.get(failure.error) ?? []), { problem, failure }]);
  }
  const all = [...families];
  const types = all.map(([error, cases]) => `readonly ${error}: { ${cases.map(fieldsOf).join('; ')} };`);
  const entries = all.map(([error, cases]) => `${error}: { ${cases.map(entryOf).join(', ')} },`);
  const text = entries.join('\n');
  return [
    header('openapi/problems.yaml'),
    `/** The fields of every case of every error. */\n`,
    `export interface FailureFields {\n${types.join('\n')}\n}\n\n`,
    `export type FailureFamily = keyof FailureFields;\n`,
    `export type FailureCase<Family extends FailureFamily> = keyof FailureFields[Family] & string;\n\n`,
    `/** One case of an error. */\n`,
    `export interface FailureEntry<Fields> {\n`,
    `  /** The page that explains it: \`/problems/<slug>\`. */\n  readonly slug: string;\n`,
    `  /** The statuses of a server's reply; empty if only a command line raises it. */\n  readonly statuses: readonly number[];\n`,
    `  /** The exit code of a command line. */\n  readonly exitCode: number;\n`,
    `  readonly message: (fields: Fields) => string;\n}\n\n`,
    `/** Every case of every error. */\n`,
    `export const failureCatalogue: { readonly [Family in FailureFamily]: { readonly [Case in FailureCase<Family>]: FailureEntry<FailureFields[Family][Case]> } } = {\n${text}\n};\n`,
    messageFunction,
    text.includes('placeText(') ? placeText : '',
  ].join('');
}

interface Entry {
  readonly problem: Problem;
  readonly failure: ProblemFailure;
}

const messageFunction = `
/** The message of a case. */
export function failureMessage<Family extends FailureFamily, Case extends FailureCase<Family>>(
  family: Family,
  failureCase: Case,
  fields: FailureFields[Family][Case],
): string {
  return failureCatalogue[family][failureCase].message(fields);
}
`;

const placeText = `
/** A path in a file, for people: \`services.web.ports[0]\`. */
export function placeText(place: readonly (string | number)[]): string {
  return place.reduce<string>((text, part) => {
    if (typeof part === 'number') return \`\${text}[\${part}]\`;
    return text === '' ? part : \`\${text}.\${part}\`;
  }, '');
}
`;

function fieldsOf({ failure }: Entry): string {
  if (failure.fields.length === 0) return `readonly ${failure.case}: Readonly<Record<string, never>>`;
  const fields = failure.fields.map(({ name, schema }) => `readonly ${name}: ${typeOf(name, schema)}`);
  return `readonly ${failure.case}: { ${fields.join('; ')} }`;
}

function entryOf({ problem, failure }: Entry): string {
  const { case: name, exitCode } = failure;
  const parameter = failure.fields.length === 0 ? '' : 'f';
  return `${name}: { slug: ${quote(problem.slug)}, statuses: ${JSON.stringify(problem.statuses)}, exitCode: ${exitCode}, message: (${parameter}) => ${messageOf(failure)} }`;
}

/** Compiles the message template to an expression. */
function messageOf({ message, fields }: ProblemFailure): string {
  const expressionOf = (name: string): string => {
    const schema = fields.find((field) => field.name === name)?.schema ?? {};
    if (schema['type'] !== 'array') return `f.${name}`;
    return typeOf(name, schema).includes('number') ? `placeText(f.${name})` : `f.${name}.join(' -> ')`;
  };
  const literal = (text: string): string =>
    text
      .split(/(\{\w+\})/)
      .map((part) => {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        return name === undefined ? part.replaceAll(/[`\\]|\$(?=\{)/g, '\\$&') : `\${${expressionOf(name)}}`;
      })
      .join('');
  const parts = message.split(/(\[[^\]]*\])/).map((part) => {
    if (!part.startsWith('[')) return literal(part);
    const inner = part.slice(1, -1);
    const empty = [...inner.matchAll(/\{(\w+)\}/g)].map(([, name]) => `f.${name ?? ''}.length === 0`);
    return `\${${empty.join(' || ')} ? '' : \`${literal(inner)}\`}`;
  });
  return `\`${parts.join('')}\``;
}

/** The TypeScript type of a field: errors carry only texts, numbers, and lists of them. */
function typeOf(name: string, schema: SchemaObject): string {
  const { type, enum: values, items } = schema;
  if (Array.isArray(values)) return unionOf(values.map(String));
  const types = (Array.isArray(type) ? type : [type]).map((each) => {
    if (each === 'string') return 'string';
    if (each === 'integer' || each === 'number') return 'number';
    if (each !== 'array' || typeof items !== 'object' || items === null) {
      throw new Error(`The field ${name} of an error has the unsupported type ${String(each)}`);
    }
    return `readonly (${typeOf(name, { ...items })})[]`;
  });
  return types.join(' | ');
}
