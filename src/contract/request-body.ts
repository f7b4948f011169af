import { isUtf8 } from 'node:buffer';
import type { ProblemReply } from './contract-types.js';
import { malformedRequest } from '../../generated/contract/problems.js';
import { unusableTextIn } from './unusable-text.js';
import { validationProblem } from './violations.js';

/** A body as koa-body has read it. */
export interface ReceivedBody {
  /** Each character is one byte of the body, so that nothing is lost where they are not UTF-8. */
  readonly bytes: string;
  readonly syntax: 'json' | 'form' | 'text';
  /** The JSON value of the bytes, taken as characters; undefined: they are not JSON. */
  readonly value: unknown;
}

export type ParsedBody = { readonly value: unknown } | { readonly problem: ProblemReply };

/**
 * Parses a body that {@link decodeBody} accepts, and refuses text that cannot be stored (422).
 *
 * @param received null: no body was sent, and the value is `undefined`
 * @param acceptsAnything whether text that cannot be stored is accepted, too
 */
export function parseBody(received: ReceivedBody | null, acceptsAnything: boolean): ParsedBody {
  if (received === null) return { value: undefined };
  const decoded = decodeBody(received);
  if ('problem' in decoded) return decoded;
  const { value, text } = decoded;
  // Valid UTF-8 has no lone surrogates, and JSON no raw U+0000: both occur only as escape sequences.
  const mayBeUnusable = !acceptsAnything && (received.syntax !== 'json' || unusableEscape.test(text));
  const unusable = mayBeUnusable ? unusableTextIn(value) : null;
  return unusable === null ? { value } : { problem: validationProblem([{ path: '/body', ...unusable }]) };
}

/**
 * Decodes a body as what its media type says, in UTF-8; returns the problem (400) for one that it is not. A form becomes
 * an object of texts, in which a name that comes several times has a list of them.
 */
export function decodeBody(
  received: ReceivedBody,
): { readonly value: unknown; readonly text: string } | { readonly problem: ProblemReply } {
  const { bytes, syntax, value } = received;
  if (syntax !== 'form' && value !== undefined && !beyondAscii.test(bytes)) return { value, text: bytes };
  const content = Buffer.from(bytes, 'latin1');
  if (!isUtf8(content)) return syntax === 'json' ? malformed('it is not UTF-8.') : { problem: notText };
  const text = content.toString('utf8');
  if (syntax === 'form') return { value: valuesOfForm(text), text };
  if (syntax === 'text') return { value: text, text };
  try {
    return { value: JSON.parse(text), text };
  } catch (error) {
    return malformed(whereParsingStopped(error));
  }
}

function valuesOfForm(text: string): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const former = values.get(name);
    if (Array.isArray(former)) former.push(value);
    else values.set(name, former === undefined ? value : [former, value]);
  }
  return Object.fromEntries(values);
}

const beyondAscii = /[\u0080-\u00ff]/;

const unusableEscape = /\\u(?:0000|d[89a-f])/i;

const notText = malformedRequest({ message: 'Send the body as text in UTF-8: it is not UTF-8.' });

function malformed(why: string): { problem: ProblemReply } {
  return { problem: malformedRequest({ message: `Send the body as one JSON value in UTF-8: ${why}` }) };
}

/** V8's message quotes the text around the error, which may be a password: report only the position. */
function whereParsingStopped(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1]; // V8 omits it for short texts
  if (position !== undefined) return `it is invalid at character ${position}.`;
  return message.includes('end of JSON input') ? 'it ends too early.' : 'it is not JSON.';
}
