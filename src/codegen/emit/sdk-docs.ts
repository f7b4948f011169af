/** The documentation of the SDK's functions, from what the contract says of their operations. */
import type { ApiContract, Operation } from '../read/contract-model.js';
import { parametersOf, sourceOf } from '../read/operation-source.js';
import {
  isRecord,
  resolve,
  type MediaTypeObject,
  type OperationObject,
  type PathItemObject,
  type RequestBodyObject,
} from '../read/openapi-document.js';

const widest = 100;

/** The documentation of the function of an operation, as a comment: what it does, its problems, and an example. */
export function sdkDocs(contract: ApiContract, operation: Operation): string {
  const { item, source } = sourceOf(contract, operation);
  const paragraphs = [
    `${operation.summary} (\`${operation.method} ${operation.path}\`).`,
    ...(source.description ?? '').trim().split(/\n\s*\n/),
    `Problems: ${problemsOf(operation)}.`,
  ].filter((paragraph) => paragraph !== '');
  const lines = paragraphs.flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...linesOf(paragraph)]);
  const example = exampleOf(contract, operation, item, source).split('\n');
  const { Sunset: end } = operation.deprecationHeaders ?? {};
  const deprecated =
    operation.deprecationHeaders === null
      ? []
      : [`@deprecated${end === undefined ? '' : ` It may be gone from ${end} on.`}`];
  const text = [...lines, '', '@example', '```ts', ...example, '```', ...deprecated];
  return ['/**', ...text.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()), ' */'].join('\n');
}

function problemsOf({ replies }: Operation): string {
  return replies
    .filter((reply) => reply.kind !== 'success')
    .map(({ status, problems }) => `${status} ${problems.map(({ schemaName }) => `\`${schemaName}\``).join(', ')}`)
    .join('; ');
}

/** Breaks a paragraph into lines; a list stays as it is. */
function linesOf(paragraph: string): string[] {
  if (/^\s*[-*|] /m.test(paragraph)) return paragraph.split('\n');
  const lines: string[] = [''];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length > widest) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A call with the examples of the contract: what is required, and the body. */
function exampleOf(contract: ApiContract, operation: Operation, item: PathItemObject, source: OperationObject): string {
  const { document, name } = contract;
  const parameters = parametersOf(contract, { item, source });
  const group = (place: string): [string, unknown][] =>
    parameters
      .filter((each) => each.in === place && each.required === true)
      .map((each) => [each.name, firstExample(each)]);
  const body = source.requestBody === undefined ? undefined : resolve<RequestBodyObject>(document, source.requestBody);
  const [content] = Object.values(body?.content ?? {});
  const request = Object.fromEntries([
    ...[['params', group('path')] as const, ['query', group('query')] as const, ['headers', group('header')] as const]
      .filter(([, values]) => values.length > 0)
      .map(([key, values]) => [key, Object.fromEntries(values)]),
    ...(content === undefined ? [] : [['body', firstExample(content)]]),
  ]) as Record<string, unknown>;
  const client = name === 'platform' ? 'client' : name;
  const given = Object.keys(request).length === 0 ? '' : `, ${literal(request)}`;
  return `const result = await ${operation.id}(${client}${given});`;
}

function firstExample({ example, examples }: Pick<MediaTypeObject, 'example' | 'examples'>): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(isRecord(examples) ? examples : {});
  return isRecord(first) ? first['value'] : undefined;
}

/** A value as TypeScript. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}
