/** Spans of SQL statements. Statements outside a trace have no span. */
import type postgres from 'postgres';
import type { Types } from './sql.js';
import { inSpan, recordedSpan, tracer, type Span } from '@plumbline/contract/system/tracing';

/** Longer texts, such as an insert of a thousand rows, are truncated. */
const LONGEST_TEXT = 1000;

interface Described {
  readonly summary: string;
  readonly text: string;
}

/** Descriptions of statement texts. A server has few distinct texts; those of inserts depend on the number of rows. */
const known = new Map<string, Described>();
const MOST_KNOWN = 1000;

/**
 * Adds a span to a statement of the driver. The span begins when the statement is first awaited, because that sends it.
 * A fragment inside another statement is never awaited. The text has placeholders instead of values.
 *
 * @param statement the strings of the template, or the text
 * @returns `pending`
 */
export function traced<T>(pending: T, statement: unknown): T {
  const parent = recordedSpan();
  if (parent === null || !(pending instanceof Promise)) return pending;
  if (typeof statement !== 'string' && !isTemplate(statement)) return pending; // an identifier or a list of values
  const awaited: Promise<unknown> = pending;
  const plain = awaited.then.bind(awaited);
  let isSent = false;
  const then: typeof awaited.then = (fulfilled, rejected) => {
    if (!isSent) {
      isSent = true;
      observe(plain, statement, parent);
    }
    return plain(fulfilled, rejected);
  };
  awaited.then = then;
  return pending;
}

function observe(then: Promise<unknown>['then'], statement: string | readonly string[], parent: Span): void {
  const sent = typeof statement === 'string' ? statement : statement.join('$');
  const span = tracer()?.start('SQL', { kind: 'client', attributes: { 'db.system.name': 'postgresql' } }, parent);
  if (span === undefined) return;
  const end = (text: string): void => {
    const { summary, text: shortened } = describe(text);
    span.name(summary);
    span.set('db.query.summary', summary);
    span.set('db.query.text', shortened);
    span.end();
  };
  void then(
    // The result has the complete text; the template lacks the text of its fragments.
    (result) => {
      end(textOf(result) ?? sent);
    },
    (error: unknown) => {
      span.fail(error);
      end(sent);
    },
  );
}

function textOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !('statement' in result)) return undefined;
  const { statement } = result;
  if (typeof statement !== 'object' || statement === null || !('string' in statement)) return undefined;
  return typeof statement.string === 'string' ? statement.string : undefined;
}

/** Returns a member of the driver's instance; statements of its `unsafe` get spans. */
export function member(sql: postgres.Sql<Types>, name: string | symbol): unknown {
  if (name !== 'unsafe' || recordedSpan() === null) return Reflect.get(sql, name);
  const unsafe: typeof sql.unsafe = (text, ...rest) => traced(sql.unsafe(text, ...rest), text);
  return unsafe;
}

/** Runs a transaction in a span: the wait for a connection, its statements, the commit. */
export function tracedTransaction<T>(run: () => Promise<T>): Promise<T> {
  if (recordedSpan() === null) return run();
  return inSpan('transaction', { kind: 'internal', attributes: { 'db.system.name': 'postgresql' } }, run);
}

function isTemplate(value: unknown): value is readonly string[] {
  return Array.isArray(value) && 'raw' in value;
}

function describe(text: string): Described {
  const found = known.get(text);
  if (found !== undefined) return found;
  const described = describeText(text);
  if (known.size < MOST_KNOWN) known.set(text, described);
  return described;
}

/** The statement in one line, with its verb and table: `SELECT users`. */
function describeText(statement: string): Described {
  const text = statement
    .slice(0, LONGEST_TEXT * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
  const [, verb = 'SQL'] = /^(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update|table)\s+"?([a-z_][\w.]*)/i.exec(text) ?? [];
  return { summary: [verb.toUpperCase(), table].filter((part) => part !== undefined).join(' '), text };
}
