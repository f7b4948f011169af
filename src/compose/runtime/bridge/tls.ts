/** Reads the certificates with which an engine is reached over TLS. */
import { join } from 'node:path';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { backendFailure } from '../errors.js';

export interface EngineTls {
  /** The authorities that must have signed the engine's certificate. Absent: the authorities that Node.js trusts. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Skips the check of the engine's certificate. */
  readonly isUnverified?: boolean;
}

/**
 * Reads ca.pem, cert.pem and key.pem of a directory. Each may be missing, but a certificate needs its key.
 *
 * @param where the directory, for messages
 * @returns undefined if the directory has none of them
 * @throws RuntimeError.backendFailure for a file that exists and cannot be read, and for content that is not what its
 *   name says. A connection without that file could be one without TLS, or one that trusts other authorities.
 */
export async function readTls(directory: string, where: string): Promise<EngineTls | undefined> {
  const read = (file: string): Promise<Buffer | undefined> =>
    readRegularFile(join(directory, file)).catch((error: unknown) => {
      if (!(error instanceof UnreadableFileError)) throw error;
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw backendFailure(`${file} in ${where} ${error.reason}.`, error);
    });
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  if ((cert === undefined) !== (key === undefined)) {
    const [present, absent] = cert === undefined ? ['key.pem', 'cert.pem'] : ['cert.pem', 'key.pem'];
    throw backendFailure(`There is ${present} but no ${absent} in ${where}: a client certificate needs both.`);
  }
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  // TLS is loaded on demand: most engines listen on a socket.
  const { createSecureContext } = await import('./secure-context.js');
  const requireValid = (part: EngineTls, otherwise: string): void => {
    try {
      createSecureContext(part);
    } catch (error) {
      throw backendFailure(`${otherwise}.`, error);
    }
  };
  // OpenSSL takes an empty list of authorities, with which no engine is trusted.
  if (ca?.includes('-----BEGIN CERTIFICATE-----') === false) {
    throw backendFailure(`ca.pem in ${where} has no certificate.`);
  }
  if (ca !== undefined) requireValid({ ca }, `ca.pem in ${where} has no valid certificate`);
  if (cert !== undefined) requireValid({ cert }, `cert.pem in ${where} has no valid certificate`);
  if (key !== undefined) requireValid({ key }, `key.pem in ${where} has no private key, or one with a passphrase`);
  requireValid(tls, `cert.pem and key.pem in ${where} do not belong together`);
  return tls;
}
