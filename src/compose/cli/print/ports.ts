import { notFound } from '../../runtime/errors.js';
import type { PortBinding } from '../../runtime/records.js';
import type { Session } from '../session.js';
import type { PortFlags } from '../flags.js';

export function addressText({ hostAddress, hostPort }: PortBinding): string {
  return `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:${hostPort}`;
}

/** @throws RuntimeError.notFound when the requested port is not published */
export async function printPorts(
  session: Session,
  [service = '', port]: readonly (string | undefined)[],
  bindings: readonly PortBinding[],
  { protocol, format }: Pick<PortFlags, 'protocol' | 'format'>,
): Promise<number> {
  if (port !== undefined && bindings.length === 0) throw notFound(`${service} ${port}/${protocol}`);
  if (format === 'json') await session.printJson(bindings);
  else {
    // Scripts read one address, as docker compose prints. An engine has one binding per address family.
    const shown = port === undefined ? bindings : bindings.slice(0, 1);
    const line = (binding: PortBinding): string =>
      port === undefined
        ? `${binding.containerPort}/${binding.protocol} -> ${addressText(binding)}\n`
        : `${addressText(binding)}\n`;
    await session.print(shown.map(line).join(''));
  }
  return 0;
}
