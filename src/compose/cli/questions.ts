import { linesOf } from '../runtime/lines.js';
import type { Session } from './session.js';
import { printable } from './text.js';

/** Shows lines, and asks whether to go on. */
export type Ask = (what: string, lines: readonly string[]) => Promise<boolean>;

/** @param isYes answers all questions; otherwise each takes a line of standard input, and no line is a no */
export function questions({ io }: Pick<Session, 'io'>, isYes: boolean): Ask {
  let answers: AsyncIterator<string, void> | undefined;
  return async (what, lines) => {
    if (isYes) return true;
    answers ??= linesOf(io.stdin);
    await io.stderr.write(`${[what, ...lines.map((line) => `  ${printable(line)}`)].join('\n')}\nPublish it? [y/N] `);
    const { value } = await answers.next();
    const isAccepted = typeof value === 'string' && /^\s*y(es)?\s*$/i.test(value);
    if (!isAccepted) io.stdin.close();
    return isAccepted;
  };
}
