/** Reads registry credentials that `docker login` stored in the Docker configuration or a credential helper. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readRegularFile } from '@plumbline/contract/system/regular-file';
import { dockerConfiguration } from '../docker-configuration.js';
import { objectOf, parseJson, textOf, type Json } from '../json.js';

export interface RegistryAuth {
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly serveraddress: string;
}

/** Docker stores the credentials of Docker Hub under this name. */
const HUB = 'https://index.docker.io/v1/';

/**
 * @param reference a fully qualified image name
 * @param environment DOCKER_CONFIG is the directory of config.json (default `~/.docker`)
 * @returns undefined when there are none; the pull is then anonymous
 */
export async function registryAuth(
  reference: string,
  environment: NodeJS.ProcessEnv,
): Promise<RegistryAuth | undefined> {
  const host = reference.slice(0, reference.indexOf('/'));
  const server = host === 'docker.io' ? HUB : host;
  const file = join(dockerConfiguration(environment), 'config.json');
  const text = (await readRegularFile(file).catch(() => undefined))?.toString('utf8');
  if (text === undefined) return undefined;
  const config = objectOf(parseJson(text));
  const helper = textOf(objectOf(config.credHelpers)[server]) || textOf(config.credsStore);
  return (helper === '' ? undefined : await fromHelper(helper, server, environment)) ?? stored(config, server);
}

/** With padding: engines ignore what is encoded without it, and then ask the registry without credentials. */
export function registryAuthHeader(auth: RegistryAuth): string {
  return Buffer.from(JSON.stringify(auth)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function stored(config: Json, server: string): RegistryAuth | undefined {
  const auths = objectOf(config.auths);
  const entry = objectOf(auths[server] ?? auths[`https://${server}`]);
  const identitytoken = textOf(entry.identitytoken);
  const [username = '', ...rest] = Buffer.from(textOf(entry.auth), 'base64').toString('utf8').split(':');
  if (username === '' && identitytoken === '') return undefined;
  return { username, password: rest.join(':'), serveraddress: server, ...(identitytoken && { identitytoken }) };
}

/**
 * The helper protocol: the server's name on standard input, JSON on standard output. A failure means no credentials.
 */
async function fromHelper(
  helper: string,
  server: string,
  environment: NodeJS.ProcessEnv,
): Promise<RegistryAuth | undefined> {
  // A helper's name becomes part of a program name, so it must not contain a path.
  if (!/^[\w.-]+$/.test(helper)) return undefined;
  const run = promisify(execFile)(`docker-credential-${helper}`, ['get'], { env: environment, timeout: 30_000 });
  run.child.stdin?.on('error', () => undefined); // A helper that does not read its input has failed in any case.
  run.child.stdin?.end(server);
  const answer = objectOf(await run.then(({ stdout }) => parseJson(stdout)).catch(() => undefined));
  const username = textOf(answer.Username);
  const secret = textOf(answer.Secret);
  if (secret === '') return undefined;
  return username === '<token>'
    ? { identitytoken: secret, serveraddress: server }
    : { username, password: secret, serveraddress: server };
}
