import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One certificate with its key: paths of PEM files, and what is in them. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** Authorities and certificates of one test file, made by openssl in a temporary folder. */
export interface Certificates {
  readonly folder: string;
  authority(name: string): Certificate;
  /** A certificate for 127.0.0.1 and localhost, good for servers and clients. */
  issue(authority: Certificate, name: string): Certificate;
  remove(): Promise<void>;
}

/** Why no certificates can be made here; null: they can. `-CA` of `openssl req` came with version 3. */
export function missingOpenssl(): string | null {
  try {
    const version = execFileSync('openssl', ['version'], { encoding: 'utf8' });
    return /^OpenSSL [3-9]/.test(version) ? null : `openssl 3 is needed, this is ${version.trim()}`;
  } catch {
    return 'openssl is not installed';
  }
}

export async function createCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-certificates-'));
  let made = 0;
  function make(name: string, options: readonly string[]): Certificate {
    const certFile = join(folder, `${++made}.pem`);
    const keyFile = join(folder, `${made}.key`);
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const files = ['-keyout', keyFile, '-out', certFile];
    execFileSync('openssl', ['req', '-x509', ...curve, ...files, '-subj', `/CN=${name}`, '-days', '2', ...options], {
      stdio: 'pipe',
    });
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  }
  return {
    folder,
    authority: (name) => make(name, ['-addext', 'keyUsage=critical,keyCertSign']),
    issue: ({ certFile, keyFile }, name) =>
      make(name, [
        ...['-CA', certFile, '-CAkey', keyFile],
        ...['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ]),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
