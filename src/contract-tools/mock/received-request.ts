import type { Contract, DocumentedOperation } from '../gate/contract.js';
import { pathWithin } from '../gate/match-operation.js';
import type { ReceivedRequest } from '../requests/check-request.js';
import { pathValues } from '../requests/path-values.js';

/** A request to the mock server. */
export interface MockRequest {
  readonly method: string;
  /** The path and the query. */
  readonly url: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** null: it was too long to be read. */
  readonly body: Uint8Array | null;
}

/** Takes a request to an operation to pieces. */
export function receivedRequest(
  contract: Contract,
  operation: DocumentedOperation,
  { url, headers, body }: MockRequest,
): ReceivedRequest {
  const [, query = ''] = url.split(/\?(.*)/s);
  return {
    pairs: {
      path: pathValues(operation.path, pathWithin(contract, url)),
      query: [...new URLSearchParams(query)],
      header: Object.entries(headers),
      cookie: cookiesOf(headers['cookie'] ?? ''),
    },
    body: body ?? new Uint8Array(),
  };
}

function cookiesOf(header: string): [string, string][] {
  return header.split(/; */).flatMap((each): [string, string][] => {
    const [name = '', ...value] = each.split('=');
    return name === '' ? [] : [[name, value.join('=')]];
  });
}
