import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A device with one passkey (WebAuthn, ES256), as a browser shows it to a page. It does what a test asks, also wrong things. */
export interface PasskeyDevice {
  readonly credentialId: string;
  /** The answer to `startPasskey`. */
  create(challenge: string, differences?: Differences): Created;
  /** The answer to `startPasskeyLogin`. */
  prove(challenge: string, differences?: Differences): Proof;
}

export interface Differences {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly userVerified?: boolean;
  /** How often the device was used; default: it does not count. */
  readonly counter?: number;
  /** The form of the attestation. */
  readonly format?: string;
}

export interface Created {
  readonly credential_id: string;
  readonly client_data_json: string;
  readonly attestation_object: string;
}

export interface Proof {
  readonly credential_id: string;
  readonly client_data_json: string;
  readonly authenticator_data: string;
  readonly signature: string;
}

const userPresent = 0x01;
const userVerifiedFlag = 0x04;
const withCredential = 0x40;

/** @param appUrl the address of the page */
export function createPasskeyDevice(appUrl: string): PasskeyDevice {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const credentialId = id.toString('base64url');
  const { origin: pageOrigin, hostname } = new URL(appUrl);
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coseKey = Buffer.concat([
    ...[hex('a5010203262001215820'), Buffer.from(x, 'base64url'), hex('225820'), Buffer.from(y, 'base64url')],
  ]);
  const clientData = (type: string, challenge: string, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (
    flags: number,
    { rpId = hostname, counter = 0, userVerified = true }: Differences,
  ): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | userPresent | (userVerified ? userVerifiedFlag : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(Buffer.from(rpId)), head]);
  };
  return {
    credentialId,
    create: (challenge, differences = {}) => {
      const { origin = pageOrigin, type = 'webauthn.create', format = 'none' } = differences;
      const attested = Buffer.concat([Buffer.alloc(16), hex('0020'), id, coseKey]);
      const authData = Buffer.concat([authenticatorData(withCredential, differences), attested]);
      const statement = [text('fmt'), text(format), text('attStmt'), hex('a0')];
      const object = Buffer.concat([hex('a3'), ...statement, text('authData'), hex('58'), length(authData), authData]);
      return {
        credential_id: credentialId,
        client_data_json: clientData(type, challenge, origin).toString('base64url'),
        attestation_object: object.toString('base64url'),
      };
    },
    prove: (challenge, differences = {}) => {
      const { origin = pageOrigin, type = 'webauthn.get' } = differences;
      const data = clientData(type, challenge, origin);
      const authData = authenticatorData(0, differences);
      return {
        credential_id: credentialId,
        client_data_json: data.toString('base64url'),
        authenticator_data: authData.toString('base64url'),
        signature: sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey).toString('base64url'),
      };
    },
  };
}

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
/** A text of CBOR, of less than 24 bytes. */
const text = (value: string): Buffer => Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
/** The length of bytes of CBOR that need one byte for it. */
const length = (bytes: Buffer): Buffer => Buffer.of(bytes.length);
