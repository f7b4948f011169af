/** Rejects options that a server does not support, instead of ignoring them. */
import { notSupported } from '../../runtime/errors.js';

/**
 * @param command its name, for the message
 * @param flags as parsed
 * @param refused the option's name, by flag name; a flag counts as unset if it is absent or has its default value
 * (`false`, or `true` for `--no-...`)
 * @throws RuntimeError.notSupported naming the first such option
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
