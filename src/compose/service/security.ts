import type { Socket } from 'node:net';
import type { ComposeSecurity } from '../../../generated/compose/security.js';
import { clientNotAllowed } from '../../../generated/problems.js';
import type { Caller } from './listening.js';

/**
 * Lets in those whom the listener knows.
 *
 * @param callerOf who calls over a connection; null: nobody whom the auth store has
 */
export function composeSecurity(callerOf: (socket: Socket) => Promise<Caller | null>): ComposeSecurity {
  const refusal = clientNotAllowed({
    message: 'The certificate of this client is not in the auth store of the server.',
  });
  return {
    clientCertificate: {
      async authenticate(socket) {
        const caller = await callerOf(socket);
        return caller === null ? { refusal } : { principal: { name: caller.name } };
      },
      // Over a unix socket or plain TCP there are no credentials.
      withoutCredential: () => ({ principal: { name: null } }),
      authorize: () => ({ refusal }), // the contract has no scopes here
    },
  };
}
