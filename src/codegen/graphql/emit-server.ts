import { header } from '../emit/header.js';
import { quote } from '../derive/naming.js';
import type { Documented, DocumentedError, GraphqlContract } from './read-graphql-contract.js';

/** Emits the text of the schema and the registry of persisted queries. */
export function emitSchema({ schemaText, persisted, version }: GraphqlContract): string {
  const entries = persisted.map(
    ({ id, operationName, description, text }) =>
      `/** ${description.replaceAll('\n', ' ')} */\n${quote(id)}: { operationName: ${quote(operationName)}, text: ${template(text)} },\n`,
  );
  return [
    header('graphql/'),
    `/** The schema, as \`GET /graphql/schema\` returns it. */\n`,
    `export const schemaText = ${template(schemaText)};\n\n`,
    `/** The version of the schema and the persisted queries, for \`X-Persisted-Query-Version\`. */\n`,
    `export const persistedVersion = ${quote(version)};\n\n`,
    `/** The persisted queries, by their id. */\n`,
    `export const persistedQueries = {\n${entries.join('')}} as const;\n\n`,
    `export type PersistedQueryId = keyof typeof persistedQueries;\n`,
  ].join('');
}

/** Emits the error codes, the names of the limits, and the fields of each error. */
export function emitErrors({ errorCodes, limitNames, errors, rateLimits }: GraphqlContract): string {
  return [
    header('graphql/errors.graphql'),
    `import type { RateLimitPolicy } from '@plumbline/contract/contract-types';\n\n`,
    emitList('errorCodes', 'ErrorCode', 'The values of `extensions.code`.', errorCodes),
    emitList('limitNames', 'LimitName', '`extensions.limit_name` of COST_LIMIT_EXCEEDED.', limitNames),
    `/** The rate limits of \`POST /graphql\`. */\n`,
    `export const queryRateLimits: readonly RateLimitPolicy[] = ${JSON.stringify(rateLimits)};\n\n`,
    `/** The \`extensions\` of an error without \`request_id\`; narrow it on \`code\`. */\n`,
    `export type ErrorDetails =\n${errors.map((each) => `| ${emitMembers(each)}`).join('\n')};\n`,
  ].join('');
}

/** Emits a list of names, and the union of them. */
export function emitList(list: string, type: string, purpose: string, names: readonly Documented[]): string {
  const items = names.map(({ name, description }) => `/** ${description} */\n${quote(name)},\n`);
  return `/** ${purpose} */\nexport const ${list} = [\n${items.join('')}] as const;\nexport type ${type} = (typeof ${list})[number];\n\n`;
}

/** Emits the members of one error as a type literal. */
export function emitMembers({ code, fields }: DocumentedError): string {
  const members = fields.map(({ name, description, type }) => `/** ${description} */\nreadonly ${name}: ${type};\n`);
  return `{ readonly code: ${quote(code)};\n${members.join('')}}`;
}

/** A TypeScript template literal of `text`. */
export function template(text: string): string {
  return `\`${text.replaceAll(/[`\\]|\$\{/g, '\\$&')}\``;
}
