import { replyFor, statusOf, usualReply, type ChosenReply, type Replies } from './choose-reply.js';
import { readPreferences } from './prefer.js';
import { mediaTypeWithExample, type Writer } from './write-reply.js';

/** What `Prefer` asks for, if the contract has it. */
export interface PreferredReply {
  readonly chosen: ChosenReply;
  /** The media type and the name of the example; null: none was asked for, or the reply does not have it. */
  readonly example: { readonly name: string; readonly mediaType: string } | null;
  /** The value of `Preference-Applied` (RFC 7240, section 3). */
  readonly applied: string;
}

/**
 * Finds the reply that `Prefer: code=404, example=name` asks for. With a name alone, it is the first reply that has such
 * an example.
 *
 * @returns null: no preference, or none that the contract can follow
 */
export function preferredReply(writer: Writer, replies: Replies, header: string): PreferredReply | null {
  const preferences = readPreferences(header);
  const code = preferences.get('code');
  const name = preferences.get('example');
  const candidates = code === undefined ? allReplies(replies) : repliesOf(replies, code);
  for (const chosen of candidates) {
    const mediaType = name === undefined ? null : mediaTypeWithExample(writer, chosen, name);
    if (mediaType === null || name === undefined) continue;
    const applied = [...(code === undefined ? [] : [`code=${code}`]), `example=${quoteIfNeeded(name)}`].join(', ');
    return { chosen, example: { name, mediaType }, applied };
  }
  const [chosen] = candidates;
  return code === undefined || chosen === undefined ? null : { chosen, example: null, applied: `code=${code}` };
}

function repliesOf(replies: Replies, code: string): ChosenReply[] {
  return [/^[1-5]\d\d$/.test(code) ? replyFor(replies, Number(code)) : null].filter((each) => each !== null);
}

/** All replies, the usual one first. */
function allReplies(replies: Replies): ChosenReply[] {
  const all = [...replies].map(([key, pointer]) => ({ status: statusOf(key), pointer }));
  return [usualReply(replies), ...all].filter((each) => each !== null);
}

function quoteIfNeeded(text: string): string {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
