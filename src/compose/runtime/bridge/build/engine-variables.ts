/** The variables with which a program of the Docker CLI uses exactly this engine. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { addressText, type EngineAddress } from '../address.js';
import type { EngineTls } from '../tls.js';

/** Variables that would choose another engine or builder, or that mark a plug-in started by `docker`. */
const OTHER_CHOICE =
  /^(?:DOCKER_(?:HOST|CONTEXT|TLS|TLS_VERIFY|CERT_PATH|API_VERSION|CLI_PLUGIN_\w+)|BUILDX_(?:BUILDER|BAKE_\w+))$/;

/**
 * @param environment of this process
 * @param directory a private directory, for the keys of a TLS engine
 */
export async function engineVariables(
  address: EngineAddress,
  environment: NodeJS.ProcessEnv,
  directory: string,
): Promise<NodeJS.ProcessEnv> {
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !OTHER_CHOICE.test(name)));
  if (address.kind !== 'tcp') return { ...kept, DOCKER_HOST: addressText(address) };
  const { tls } = address;
  const DOCKER_HOST = addressText({ kind: 'tcp', host: address.host, port: address.port });
  if (tls === undefined) return { ...kept, DOCKER_HOST };
  await writeTlsFiles(tls, directory);
  return {
    ...kept,
    DOCKER_HOST,
    DOCKER_CERT_PATH: directory,
    DOCKER_TLS: '1',
    ...(tls.isUnverified !== true && { DOCKER_TLS_VERIFY: '1' }),
  };
}

async function writeTlsFiles({ ca, cert, key }: EngineTls, directory: string): Promise<void> {
  const files = { 'ca.pem': ca ?? rootCertificates.join('\n'), 'cert.pem': cert, 'key.pem': key };
  for (const [name, content] of Object.entries(files)) {
    if (content !== undefined) await writeFile(join(directory, name), content, { mode: 0o600 });
  }
}
