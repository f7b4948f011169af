/** Converts signal names and numbers. */
import { constants } from 'node:os';

const numbers: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals));

/** `SIGTERM`, `TERM`, `sigterm` and `15` are SIGTERM. Undefined for an unknown signal. */
export function signalName(text: string): string | undefined {
  const upper = text.trim().toUpperCase();
  if (/^\d+$/.test(upper)) {
    for (const [name, number] of numbers) if (number === Number(upper)) return name;
    return undefined;
  }
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  return numbers.has(name) ? name : undefined;
}

/** The exit code of a process that the signal ended: 128 plus the signal number. */
export function exitCodeOf(name: string): number {
  const number = numbers.get(name);
  if (number === undefined) throw new RangeError(`${name} is not a signal of this system`);
  return 128 + number;
}
