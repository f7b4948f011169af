import { isUtf8 } from 'node:buffer';
import type { ProblemReply } from '../../generated/contract.js';
import { malformedRequest } from '../../generated/problems.js';
import { unusableText, unusableTextIn, type UnusableText } from './unusable-text.js';
import { validationProblem } from './violations.js';

export type ParsedBody = { readonly value: unknown } | { readonly problem: ProblemReply };

/**
 * Parses the bytes as JSON in UTF-8 (400), and rejects text that cannot be stored (422). An absent body is `undefined`;
 * a body of another media type is returned as text.
 */
export function parseBody(bytes: Buffer | null, mediaType = 'application/json'): ParsedBody {
  if (bytes === null || bytes.length === 0) return { value: undefined };
  const isJson = mediaType === 'application/json';
  if (!isUtf8(bytes)) return isJson ? malformed('it is not UTF-8.') : { problem: notText };
  const text = bytes.toString('utf8');
  if (!isJson) return refusedFor(unusableText(text)) ?? { value: text };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed(whereParsingStopped(error));
  }
  // Valid UTF-8 has no lone surrogates, and JSON no raw U+0000: both occur only as escape sequences.
  const unusable = unusableEscape.test(text) ? unusableTextIn(value) : null;
  return refusedFor(unusable) ?? { value };
}

const unusableEscape = /\\u(?:0000|d[89a-f])/i;

function refusedFor(unusable: UnusableText | null): { readonly problem: ProblemReply } | null {
  return unusable === null ? null : { problem: validationProblem([{ path: '/body', ...unusable }]) };
}

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
