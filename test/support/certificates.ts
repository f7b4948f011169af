import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LOOPBACK = 'DNS:localhost,IP:127.0.0.1';

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
  /** A certificate for servers and clients; `hosts` as in subjectAltName, by default 127.0.0.1 and localhost. */
  issue(authority: Certificate, name: string, hosts?: string): Certificate;
  /** The same, expired since yesterday. */
  expired(authority: Certificate, name: string): Certificate;
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
  const openssl = (...words: readonly string[]): void => {
    execFileSync('openssl', words, { stdio: 'pipe' });
  };
  const request = (name: string, keyFile: string): string[] => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', keyFile, '-subj', `/CN=${name}`],
  ];
  const fresh = (): { certFile: string; keyFile: string } => ({
    certFile: join(folder, `${++made}.pem`),
    keyFile: join(folder, `${made}.key`),
  });
  const read = (files: { certFile: string; keyFile: string }): Certificate => ({
    ...files,
    cert: readFileSync(files.certFile, 'utf8'),
    key: readFileSync(files.keyFile, 'utf8'),
  });
  function make(name: string, options: readonly string[]): Certificate {
    const files = fresh();
    openssl('req', '-x509', ...request(name, files.keyFile), '-out', files.certFile, '-days', '2', ...options);
    return read(files);
  }
  return {
    folder,
    authority: (name) => make(name, ['-addext', 'keyUsage=critical,keyCertSign']),
    issue: ({ certFile, keyFile }, name, hosts = LOOPBACK) =>
      make(name, [
        ...['-CA', certFile, '-CAkey', keyFile],
        ...['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', `subjectAltName=${hosts}`],
      ]),
    expired({ certFile, keyFile }, name) {
      const files = fresh();
      const [unsigned, extensions] = [`${files.certFile}.csr`, `${files.certFile}.ext`];
      openssl('req', ...request(name, files.keyFile), '-out', unsigned);
      writeFileSync(extensions, `subjectAltName=${LOOPBACK}\n`);
      const signed = ['-CA', certFile, '-CAkey', keyFile, '-extfile', extensions, '-days', '-1'];
      openssl('x509', '-req', '-in', unsigned, ...signed, '-out', files.certFile);
      return read(files);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
