import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Passkey } from './passkeys.store.js';

/** EdDSA, ES256 and RS256 (COSE), which all authenticators between them know. */
export const passkeyAlgorithms: readonly number[] = [-8, -7, -257];

/** The server, as passkeys know it. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** Passkeys belong to the host name at which people open the console. */
export function relyingPartyOf(appBaseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(appBaseUrl);
  return { id: hostname, origin };
}

/** A new passkey, as a browser's answer describes it. */
export type NewCredential = Pick<Passkey, 'credential_id' | 'public_key' | 'counter'>;

/**
 * Checks a new passkey (WebAuthn, section 7.1): origin, host, and that its user was verified.
 *
 * An attestation with certificates is refused: the server asks for none, and the library would load the revocation lists
 * that the certificates of the caller name, from any address.
 *
 * @returns the passkey and the challenge that it answers, which the caller has to check; null when it is invalid
 */
export async function checkNewPasskey(
  { credential_id: id, client_data_json: clientDataJSON, attestation_object: attestationObject }: NewPasskey,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
): Promise<{ readonly credential: NewCredential; readonly challenge: string } | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  let challenge = '';
  try {
    const attestation = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
    if (attestation.get('fmt') !== 'none') return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: (answered) => {
        challenge = answered;
        return true;
      },
      ...{ expectedOrigin, expectedRPID, requireUserVerification: true },
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (registrationInfo === undefined) return null;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return { credential: { credential_id: credentialId, public_key: publicKey, counter }, challenge };
  } catch {
    return null; // the library reports every fault of an answer by an error
  }
}

/**
 * Checks a proof by a passkey (WebAuthn, section 7.2): signature, origin, host, that its user was verified, and that the
 * counter of the device has moved, if it counts.
 *
 * @returns the new counter and the challenge that was answered, which the caller has to check; null when it is invalid
 */
export async function checkProof(
  proof: Schemas['PasskeyProof'],
  passkey: Passkey,
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
): Promise<{ readonly counter: number; readonly challenge: string } | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { credential_id: id, client_data_json: clientDataJSON, authenticator_data: authenticatorData } = proof;
  let challenge = '';
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature: proof.signature },
      },
      expectedChallenge: (answered) => {
        challenge = answered;
        return true;
      },
      ...{ expectedOrigin, expectedRPID, requireUserVerification: true },
      credential: { id, publicKey: Uint8Array.from(passkey.public_key), counter: passkey.counter },
    });
    return verified ? { counter: authenticationInfo.newCounter, challenge } : null;
  } catch {
    return null; // as above
  }
}

type NewPasskey = Omit<Schemas['NewPasskeyRequest'], 'name'>;
