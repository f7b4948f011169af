/**
 * The part of Go's text/template that users of the Docker CLI's `--format` need: fields, the Docker CLI's functions,
 * pipelines, `if` and `range`.
 */
import { UsageError } from '../failures.js';
import { FUNCTIONS, textOf } from './template-functions.js';

export interface Template {
  /** @throws UsageError for a field that the value does not have */
  render(value: unknown): string;
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

/** Commands; each gets the result of the previous one as its last argument. */
type Pipeline = readonly (readonly Word[])[];

type Word =
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'nested'; readonly pipeline: Pipeline };

/** @throws UsageError for an invalid template, and for unsupported syntax */
export function parseTemplate(source: string): Template {
  const pieces = source.split(/\{\{(-?(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[^"`])*?)\}\}/);
  const tokens: Token[] = pieces.map((piece, index) => (index % 2 === 0 ? { text: piece } : { action: piece }));
  for (const [index, token] of tokens.entries()) {
    if ('text' in token && /\{\{/.test(token.text)) throw new UsageError('--format: an action is not closed with }}.');
    if (!('action' in token)) continue;
    const before = tokens[index - 1];
    const after = tokens[index + 1];
    if (/^-\s/.test(token.action) && before && 'text' in before) before.text = before.text.trimEnd();
    if (/\s-$/.test(token.action) && after && 'text' in after) after.text = after.text.trimStart();
    token.action = token.action.replace(/^-\s|\s-$/g, '').trim();
  }
  const reader = { tokens, at: 0 };
  const nodes = nodesOf(reader);
  if (reader.at < tokens.length) throw new UsageError('--format: {{end}} or {{else}} without {{if}} or {{range}}.');
  return { render: (value) => rendered(nodes, value) };
}

type Token = { text: string } | { action: string };

/** Parses up to the end, or up to an `else` or `end`, which is not consumed. */
function nodesOf(reader: { readonly tokens: readonly Token[]; at: number }): Node[] {
  const nodes: Node[] = [];
  for (; reader.at < reader.tokens.length; reader.at++) {
    const token = reader.tokens[reader.at];
    if (token === undefined) break;
    if ('text' in token) {
      if (token.text !== '') nodes.push({ kind: 'text', text: token.text });
      continue;
    }
    const [, keyword = '', rest = ''] = /^(\w*)\s*(.*)$/s.exec(token.action) ?? [];
    if (keyword === 'end' || keyword === 'else') return nodes;
    if (keyword === 'if' || keyword === 'range') nodes.push(blockOf(reader, keyword, rest));
    else if (!/^\/\*.*\*\/$/s.test(token.action)) nodes.push({ kind: 'value', pipeline: pipelineOf(token.action) });
  }
  return nodes;
}

function blockOf(
  reader: { readonly tokens: readonly Token[]; at: number },
  kind: 'if' | 'range',
  condition: string,
): Node {
  const pipeline = pipelineOf(condition);
  reader.at++;
  const body = nodesOf(reader);
  let otherwise: readonly Node[] = [];
  const token = reader.tokens[reader.at];
  const word = token !== undefined && 'action' in token ? token.action : '';
  const another = /^else\s+if\s+(.*)$/s.exec(word)?.[1];
  if (another !== undefined) return { kind, pipeline, body, otherwise: [blockOf(reader, 'if', another)] };
  if (word === 'else') {
    reader.at++;
    otherwise = nodesOf(reader);
  }
  const last = reader.tokens[reader.at];
  if (last === undefined || !('action' in last) || last.action !== 'end') {
    throw new UsageError(`--format: {{${kind}}} without {{end}}.`);
  }
  return { kind, pipeline, body, otherwise };
}

const WORD = /\s*(?:("(?:[^"\\]|\\.)*"|`[^`]*`)|(\.[\w.]*)|(-?\d+(?:\.\d+)?)|(\w+)|([()|]))/y;

function pipelineOf(source: string): Pipeline {
  WORD.lastIndex = 0;
  const pipeline = commandsOf(source, false);
  if (source.slice(WORD.lastIndex).trim() !== '') throw new UsageError(`--format: '{{${source}}}' is not understood.`);
  return pipeline;
}

/** Parses an expression at the current position. */
function commandsOf(source: string, nested: boolean): Pipeline {
  const commands: Word[][] = [[]];
  for (;;) {
    const start = WORD.lastIndex;
    const match = WORD.exec(source);
    if (match === null) {
      WORD.lastIndex = start;
      break;
    }
    const [, string, field, number, name, sign] = match;
    if (sign === ')') {
      if (!nested) throw new UsageError(`--format: '{{${source}}}' has a parenthesis too many.`);
      return complete(commands, source);
    }
    const command = commands.at(-1) ?? [];
    if (sign === '|') commands.push([]);
    else if (sign === '(') command.push({ kind: 'nested', pipeline: commandsOf(source, true) });
    else if (string !== undefined) command.push({ kind: 'literal', value: unquoted(string) });
    else if (field !== undefined) command.push({ kind: 'field', path: field.split('.').filter((part) => part !== '') });
    else if (number !== undefined) command.push({ kind: 'literal', value: Number(number) });
    else if (name === 'true' || name === 'false') command.push({ kind: 'literal', value: name === 'true' });
    else if (name !== undefined && Object.hasOwn(FUNCTIONS, name)) command.push({ kind: 'function', name });
    else
      throw new UsageError(
        `--format: there is no function '${name ?? ''}'. Functions: ${Object.keys(FUNCTIONS).join(', ')}.`,
      );
  }
  if (nested) throw new UsageError(`--format: '{{${source}}}' lacks a parenthesis.`);
  return complete(commands, source);
}

function complete(commands: Pipeline, source: string): Pipeline {
  if (commands.some((command) => command.length === 0)) throw new UsageError(`--format: '{{${source}}}' is empty.`);
  return commands;
}

function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    throw new UsageError(`--format: ${text} is not a valid text.`);
  }
}

function rendered(nodes: readonly Node[], value: unknown): string {
  return nodes.map((node) => renderedNode(node, value)).join('');
}

function renderedNode(node: Node, value: unknown): string {
  if (node.kind === 'text') return node.text;
  const result = evaluated(node.pipeline, value);
  if (node.kind === 'value') return textOf(result);
  if (node.kind === 'if') return rendered(isTrue(result) ? node.body : node.otherwise, value);
  const items = Array.isArray(result)
    ? (result as unknown[])
    : typeof result === 'object'
      ? Object.values(result ?? {})
      : [];
  return items.length === 0 ? rendered(node.otherwise, value) : items.map((item) => rendered(node.body, item)).join('');
}

function evaluated(pipeline: Pipeline, value: unknown): unknown {
  let last: readonly unknown[] = [];
  for (const command of pipeline) last = [commandResult(command, value, last)];
  return last[0];
}

function commandResult([first, ...rest]: readonly Word[], value: unknown, piped: readonly unknown[]): unknown {
  if (first === undefined) return undefined;
  const words = [...rest.map((word) => wordValue(word, value)), ...piped];
  if (first.kind === 'function') return FUNCTIONS[first.name]?.(...words);
  const result = wordValue(first, value);
  // `.Label "name"` is a method with an argument.
  if (typeof result === 'function') return (result as (...args: unknown[]) => unknown)(...words);
  if (words.length > 0) throw new UsageError('--format: only a function takes arguments.');
  return result;
}

function wordValue(word: Word, value: unknown): unknown {
  switch (word.kind) {
    case 'literal':
      return word.value;
    case 'nested':
      return evaluated(word.pipeline, value);
    case 'function':
      return FUNCTIONS[word.name]?.();
    case 'field':
      return word.path.reduce((parent, name) => fieldOf(parent, name), value);
  }
}

function fieldOf(parent: unknown, name: string): unknown {
  if (typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)) return Reflect.get(parent, name);
  const known = typeof parent === 'object' && parent !== null ? Object.keys(parent).join(', ') : '';
  throw new UsageError(`--format: there is no field '.${name}'.${known === '' ? '' : ` Fields: ${known}.`}`);
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
