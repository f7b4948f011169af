import type { Member } from '../orchestrator/actual-state.js';
import { UsageError } from './failures.js';
import type { Session } from './session.js';

/** Confirmation needs a terminal. */
export async function mayRemove({ io }: Session, members: readonly Member[]): Promise<boolean> {
  if (!io.stdin.isTerminal) throw new UsageError('rm asks for confirmation. Without a terminal, use --force.');
  await io.stderr.write(`Remove ${members.map(({ container }) => container.name).join(', ')}? [y/N] `);
  for await (const answer of io.stdin) return /^y(es)?$/i.test(Buffer.from(answer).toString().trim());
  return false;
}
