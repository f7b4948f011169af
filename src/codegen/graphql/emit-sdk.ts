import { header } from '../emit/header.js';
import { camelCase, quote } from '../derive/naming.js';
import { emitList, emitMembers, template } from './emit-server.js';
import type { GraphqlContract, PersistedDocument } from './read-graphql-contract.js';

/** Emits one typed document per persisted query, and their variables and results by id. */
export function emitSdkDocuments({ persisted, version }: GraphqlContract): string {
  const types = persisted.flatMap((each) => [resultOf(each), variablesOf(each)]);
  return [
    header('graphql/persisted/'),
    `import type { PersistedDocument } from '../../analytics-document.js';\n`,
    `import type { ${types.join(', ')} } from './operations.js';\n\n`,
    `/** The version of the persisted queries in this SDK. */\n`,
    `export const persistedVersion = ${quote(version)};\n\n`,
    `/** The variables and the result of each persisted query, by id. */\nexport interface PersistedQueries {\n`,
    ...persisted.map(
      (each) =>
        `${quote(each.id)}: { readonly result: ${resultOf(each)}; readonly variables: ${variablesOf(each)} };\n`,
    ),
    `}\n\nexport type PersistedQueryId = keyof PersistedQueries;\n\n`,
    ...persisted.map(
      (each) =>
        `/** ${each.description.replaceAll('\n', ' ')} */\nexport const ${camelCase(each.operationName)}: PersistedDocument<${resultOf(each)}, ${variablesOf(each)}> = { id: ${quote(each.id)}, text: ${template(each.text)} };\n\n`,
    ),
  ].join('');
}

/** Emits the error codes, the names of the limits, and the errors as a union that narrows on `code`. */
export function emitSdkErrors({ errorCodes, limitNames, errors }: GraphqlContract): string {
  return [
    header('graphql/errors.graphql'),
    emitList('analyticsErrorCodes', 'AnalyticsErrorCode', 'All error codes.', errorCodes),
    emitList('limitNames', 'LimitName', 'Every `limit_name` of COST_LIMIT_EXCEEDED.', limitNames),
    `/** The details of an error; narrow it on \`code\`. */\n`,
    `export type AnalyticsErrorDetails =\n${errors.map((each) => `| ${emitMembers(each)}`).join('\n')};\n`,
  ].join('');
}

function resultOf({ operationName }: PersistedDocument): string {
  return `${operationName}Query`;
}

function variablesOf({ operationName }: PersistedDocument): string {
  return `${operationName}QueryVariables`;
}
