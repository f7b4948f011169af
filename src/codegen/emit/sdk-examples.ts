/** The examples of a contract as data, for the fake server of the SDK. */
import type { ApiContract, Operation } from '../read/contract-model.js';
import {
  componentName,
  httpMethods,
  isRecord,
  isReference,
  resolve,
  type MediaTypeObject,
  type OpenApiDocument,
  type Reference,
  type ResponseObject,
} from '../read/openapi-document.js';
import { quote } from '../derive/naming.js';
import { header } from './header.js';

/** Emits per operation its method, its path, and the documented replies by status, each with its examples by name. */
export function emitSdkExamples({ name, document, operations }: ApiContract): string {
  const shared = new Map<string, string>();
  const emitted = operations.map((operation) => emitOperation(document, operation, shared));
  return [
    header(`openapi/${name}.yaml`),
    `import type { OperationExamples, ReplyExamples } from '../../testing/examples.js';\n`,
    `import type { operations } from './openapi.js';\n\n`,
    `const shared = {\n${[...shared]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, reply]) => `${key}: ${reply},\n`)
      .join('')}} satisfies Record<string, ReplyExamples>;\n\n`,
    `/** The operations that a client calls. */\n`,
    `export interface Operations {\n${operations.map(({ id }) => `readonly ${id}: operations[${quote(id)}];\n`).join('')}}\n\n`,
    `/** The documented replies of every operation. */\n`,
    `export const examples: Readonly<Record<keyof Operations, OperationExamples>> = {\n${emitted.join('')}};\n`,
  ].join('');
}

function emitOperation(
  document: OpenApiDocument,
  { id, method, path }: Operation,
  shared: Map<string, string>,
): string {
  const key = httpMethods.find((each) => each.toUpperCase() === method);
  const responses = (key === undefined ? undefined : document.paths?.[path]?.[key]?.responses) ?? {};
  const replies = Object.entries(responses).map(
    ([status, response]) => `${status}: ${emitReply(document, response, shared)}`,
  );
  return `${id}: { method: ${quote(method)}, path: ${quote(path)}, replies: { ${replies.join(', ')} } },\n`;
}

/** Responses that the contract shares are shared here, too. */
function emitReply(
  document: OpenApiDocument,
  response: ResponseObject | Reference,
  shared: Map<string, string>,
): string {
  const reply = JSON.stringify(replyOf(document, resolve<ResponseObject>(document, response)));
  if (!isReference(response)) return reply;
  const name = componentName(response.$ref);
  shared.set(name, reply);
  return `shared.${name}`;
}

function replyOf(
  document: OpenApiDocument,
  { content }: ResponseObject,
): { readonly mediaType: string; readonly examples: Readonly<Record<string, unknown>> } | null {
  const [entry] = Object.entries(content ?? {});
  if (entry === undefined) return null;
  const [mediaType, described] = entry;
  return { mediaType, examples: namedExamples(document, described) };
}

function namedExamples(
  document: OpenApiDocument,
  { example, examples }: MediaTypeObject,
): Readonly<Record<string, unknown>> {
  if (example !== undefined) return { example };
  const named = Object.entries(isRecord(examples) ? examples : {}).map(([name, each]): [string, unknown] => [
    name,
    resolve<{ readonly value?: unknown }>(document, each as Reference).value, // an Example Object or a reference to one
  ]);
  return Object.fromEntries(named);
}
