import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SyncError } from '../../../sync/failures.js';
import { faultOfBaseUrl, isRefusedAddress } from '../../integrations/base-url.js';

/**
 * Looks at the address of a self-hosted code host once more before it is asked: what a name leads to may have changed
 * since the integration was connected. A name that changes between this look and the requests is not noticed; what a
 * host answers then becomes records at most if it speaks the host's API.
 *
 * @returns the address without a slash at its end
 * @throws SyncError (`not_found`) for an address where no code host can be; (`host_unavailable`) for an unknown name
 */
export async function checkedHostUrl(baseUrl: string): Promise<string> {
  const fault = faultOfBaseUrl(baseUrl);
  if (fault !== null) throw new SyncError('not_found', `The address of the code host cannot be used: it ${fault}.`);
  const { hostname } = new URL(baseUrl);
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) === 0) await checkName(name);
  return baseUrl.replace(/\/+$/, '');
}

async function checkName(name: string): Promise<void> {
  let addresses: readonly { readonly address: string }[];
  try {
    addresses = await lookup(name, { all: true });
  } catch (cause) {
    throw new SyncError('host_unavailable', `The name of the code host, ${name}, is not known.`, { cause });
  }
  if (addresses.some(({ address }) => isRefusedAddress(address))) {
    throw new SyncError('not_found', 'The name of the code host leads to a link-local address.');
  }
}
