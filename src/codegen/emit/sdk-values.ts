import type { ApiContract } from '../read/contract-model.js';
import { camelCase, kebabCase, quote, withoutProblemSuffix } from '../derive/naming.js';
import { header } from './header.js';

/** Emits the problems of one API as a closed union that narrows on `type`, and their types as values. */
export function emitSdkProblems(contract: ApiContract): string {
  const names = schemasOf(contract).flatMap(([name]) => (name.endsWith('Problem') ? [name] : []));
  const types = names.map((name) => quote(`/problems/${kebabCase(withoutProblemSuffix(name))}`));
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { components } from './openapi.js';\n\n`,
    `type Schemas = components['schemas'];\n\n`,
    `/** Every problem that this API can return; narrow it on \`type\`. */\n`,
    `export type Problem = ${names.map((name) => `Schemas[${quote(name)}]`).join(' | ')};\n\n`,
    `export type ProblemType = Problem['type'];\n\n`,
    `/** The \`type\` of every problem. */\n`,
    `export const problemTypes = [${types.join(', ')}] as const satisfies readonly ProblemType[];\n\n`,
    `/** Whether this version of the SDK knows the problem, so that it can be narrowed on \`type\`. */\n`,
    `export function isProblem(problem: { readonly type: string }): problem is Problem {\n`,
    `  return problemTypes.some((type) => type === problem.type);\n}\n`,
  ].join('');
}

/** Emits the values of every named enumeration, for menus and checks: `Role` gives `roleValues`. */
export function emitSdkValues(contract: ApiContract): string {
  const lists = schemasOf(contract).flatMap(([name, schema]) => {
    const { enum: values, type } = schema;
    if (!Array.isArray(values) || type !== 'string') return [];
    const list = values.map((value) => quote(String(value))).join(', ');
    return [
      `/** Every \`${name}\`. */\n`,
      `export const ${camelCase(name)}Values = [${list}] as const satisfies readonly Schemas[${quote(name)}][];\n\n`,
    ];
  });
  if (lists.length === 0) return `${header(`openapi/${contract.name}.yaml`)}export {};\n`;
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { components } from './openapi.js';\n\n`,
    `type Schemas = components['schemas'];\n\n`,
    ...lists,
  ].join('');
}

function schemasOf(contract: ApiContract): [string, Record<string, unknown>][] {
  return Object.entries(contract.document.components?.schemas ?? {});
}
