/** Options that mean something here and nothing to a server are refused, not passed over. */
import { notSupported } from '../../runtime/errors.js';

/**
 * @param command its name, for the message
 * @param flags as parsed
 * @param refused by the name of its flag, what the option is called; a flag that is absent, or at the neutral value of
 * its kind (`false`, or `true` for `--no-...`), was not given
 * @throws RuntimeError.notSupported naming the first that was given
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
