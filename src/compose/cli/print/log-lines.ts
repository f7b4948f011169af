import type { Member } from '../../orchestrator/actual-state.js';
import type { MemberLine } from '../../orchestrator/logs.js';
import type { LogsFlags } from '../flags.js';
import { linePrinter } from '../line-printer.js';
import type { Session } from '../session.js';

export async function printLines(
  session: Session,
  project: string,
  members: readonly Member[],
  lines: AsyncIterable<MemberLine>,
  flags: Pick<LogsFlags, 'follow' | 'format' | 'color' | 'logPrefix' | 'timestamps'>,
): Promise<number> {
  const printer = linePrinter(session, project, { ...flags, ansi: flags.color === false ? 'never' : undefined });
  printer.expect(members.map(({ container }) => container.name));
  try {
    for await (const line of lines) {
      if (flags.format === 'json') await session.print(`${JSON.stringify(line)}\n`);
      else await printer.line(line);
    }
  } catch (error) {
    // Ctrl-C is the normal end of following.
    if (flags.follow !== true || !session.signal.aborted) throw error;
  }
  return 0;
}
