/** Rejects options that a server does not support, instead of ignoring them. */
import { notSupported } from '../../runtime/errors.js';

/**
 * @param command its name, for the message
 * @param flags as parsed
 * @param refused by flag name, the option's name; a flag counts as not given if it is absent or has the neutral value
 * of its kind (`false`, or `true` for `--no-...`)
 * @throws RuntimeError.notSupported naming the first given one
 */
export function refuseOptions<Flags extends object>(
  command: string,
  flags: Flags,
  refused: Readonly<Partial<Record<keyof Flags, string>>>,
): void {
  for (const [name, option] of Object.entries<string | undefined>(refused)) {
    if (option === undefined) continue;
    const value: unknown = Reflect.get(flags, name);
    const neutral = option.startsWith('--no-') ? true : false;
    if (value !== undefined && value !== neutral) throw notSupported(`${command} ${option}`, 'remote');
  }
}
