/** Explains why a TLS connection to an engine failed, and what to do. */
import { objectOf, textOf } from '../json.js';
import { TlsConnectionError } from './requests.js';

const untrusted = 'was not signed by a known authority: check ca.pem (DOCKER_CERT_PATH, or the context)';

/** By Node.js's codes for a certificate that it does not accept. */
const refusedHere: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: 'has expired: renew it on the engine',
  CERT_NOT_YET_VALID: 'is not valid yet: compare the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name: use a name or an address that the certificate has',
};

const certificate = /certificate|unknown_ca|access_denied|handshake_failure/i;

/** @returns undefined for a failure that has nothing to do with TLS */
export function tlsFailure(error: unknown): string | undefined {
  const code = textOf(objectOf(error).code);
  const refused = refusedHere[code];
  if (refused !== undefined) return `The certificate of the container engine ${refused} (${code}).`;
  if (/^client sent an http request to an https server/i.test(error instanceof Error ? error.message : '')) {
    return 'The container engine wants TLS: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH, or use a context with TLS.';
  }
  if (error instanceof TlsConnectionError) return connectionFailure(error);
  return undefined;
}

function connectionFailure({ code, hasCertificate }: TlsConnectionError): string | undefined {
  const isClosed = code === 'ECONNRESET' || code === 'EPIPE';
  if (isClosed || certificate.test(code)) {
    const advice = hasCertificate
      ? 'check that cert.pem is signed by an authority of the engine, and has not expired'
      : 'cert.pem and key.pem are missing (DOCKER_CERT_PATH, or the context)';
    const what = isClosed ? 'closed the TLS connection, perhaps for want of a client certificate' : null;
    return `The container engine ${what ?? (hasCertificate ? 'refuses the client certificate' : 'asks for a client certificate')}: ${advice} (${code}).`;
  }
  if (/wrong_version_number|packet_length_too_long|http_request/i.test(code)) {
    return `The container engine does not use TLS on this port (${code}).`;
  }
  return code.startsWith('ERR_SSL_') || code === 'EPROTO'
    ? `The container engine cannot be reached over TLS (${code}).`
    : undefined;
}
