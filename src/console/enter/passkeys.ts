import { unwrap } from '@plumbline/sdk';
import { startPasskey, startPasskeyLogin, type Schemas } from '@plumbline/sdk/platform';
import { platform } from '../session/session.js';

/** Whether this browser knows passkeys for this page: there are none for IP addresses, nor for pages without TLS. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** Asks the person for one of the passkeys of this server. Throws in words for people, when it is cancelled too. */
export async function askForPasskey(): Promise<Schemas['PasskeyProof']> {
  const { challenge, rp_id: rpId } = unwrap(await startPasskeyLogin(platform));
  const publicKey = { challenge: bytesOf(challenge), rpId, userVerification: 'required' as const };
  const credential = await inWords(navigator.credentials.get({ publicKey }));
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser has no passkey.');
  const { response } = credential;
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new Error('The browser answers something else.');
  return {
    credential_id: credential.id,
    client_data_json: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

/** Creates a passkey on a device of the person. Throws in words for people, when it is cancelled too. */
export async function createPasskey(): Promise<Omit<Schemas['NewPasskeyRequest'], 'name'>> {
  const options = unwrap(await startPasskey(platform));
  const asked = navigator.credentials.create({
    publicKey: {
      challenge: bytesOf(options.challenge),
      rp: { id: options.rp_id, name: options.rp_name },
      user: { id: bytesOf(options.user_handle), name: options.user_name, displayName: options.user_name },
      pubKeyCredParams: options.algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: options.exclude_credentials.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    },
  });
  const credential = await inWords(asked);
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser has created no passkey.');
  const { response } = credential;
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new Error('The browser answers something else.');
  return {
    credential_id: credential.id,
    client_data_json: textOf(response.clientDataJSON),
    attestation_object: textOf(response.attestationObject),
  };
}

/** Browsers do not tell a person who cancels from one without a passkey. */
async function inWords<Credential>(asked: Promise<Credential>): Promise<Credential> {
  return asked.catch((error: unknown) => {
    throw error instanceof DOMException ? new Error(refusalOf(error), { cause: error }) : error;
  });
}

function refusalOf({ name, message }: DOMException): string {
  if (name === 'InvalidStateError') return 'This device has a passkey of your account already.';
  return name === 'NotAllowedError' ? 'It was cancelled, or the device has no passkey for this page.' : message;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
