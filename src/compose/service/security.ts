import type { Socket } from 'node:net';
import type { ComposeSecurity } from '../../../generated/compose/security.js';
import { clientNotAllowed } from '../../../generated/problems.js';
import type { Caller } from './listening.js';

/**
 * Accepts the clients that the listener has identified.
 *
 * @param callerOf the client of a connection; null if the auth store does not contain it
 */
export function composeSecurity(callerOf: (socket: Socket) => Promise<Caller | null>): ComposeSecurity {
  const refusal = clientNotAllowed({
    message: "The client certificate is not in the server's auth store.",
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
