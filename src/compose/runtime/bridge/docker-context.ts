/** Reads Docker contexts: named engine addresses stored by `docker context create`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { dockerConfiguration } from '../docker-configuration.js';
import { backendFailure } from '../errors.js';
import { objectOf, parseJson, textOf } from '../json.js';
import { engineAddress, type EngineAddress } from './address.js';
import { readTls, type EngineTls } from './tls.js';

/** A configured engine and where the configuration comes from. */
export interface ConfiguredEngine {
  readonly address: EngineAddress;
  /** The origin, for messages: `DOCKER_HOST`, `context 'remote' (--context)`. */
  readonly source: string;
}

/** The context that means the local engine. */
const DEFAULT = 'default';

/**
 * Finds the configured engine in Docker's order: `--context`, DOCKER_HOST, DOCKER_CONTEXT, `currentContext` of Docker's
 * config.json.
 *
 * @param context the value of `--context`
 * @param environment also DOCKER_CONFIG, the configuration directory (default `~/.docker`)
 * @returns undefined when nothing is configured, or when the context is `default`
 * @throws RuntimeError.backendFailure, naming the context or config.json, when it is missing, unreadable or of an
 *   unsupported kind
 */
export async function configuredEngine(
  context: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<ConfiguredEngine | undefined> {
  if (context !== undefined) return contextEngine(context, '--context', environment);
  if (environment.DOCKER_HOST) return fromHost(environment);
  if (environment.DOCKER_CONTEXT) return contextEngine(environment.DOCKER_CONTEXT, 'DOCKER_CONTEXT', environment);
  const file = join(dockerConfiguration(environment), 'config.json');
  const current = await currentContext(file);
  return current === '' ? undefined : contextEngine(current, file, environment);
}

/** Empty where Docker has no configuration. If it cannot be read, the context may be any, so no engine is used. */
async function currentContext(file: string): Promise<string> {
  let text: string;
  try {
    text = (await readRegularFile(file)).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableFileError && ['ENOENT', 'ENOTDIR'].includes(error.code)) return '';
    throw unknownContext(file, error instanceof UnreadableFileError ? error.reason : String(error), error);
  }
  const settings = text.trim() === '' ? {} : parseJson(text);
  if (settings === undefined) throw unknownContext(file, 'is not valid JSON');
  return textOf(objectOf(settings).currentContext);
}

function unknownContext(file: string, reason: string, cause?: unknown): Error {
  const advice = 'Repair it, or name the engine with DOCKER_HOST or --context.';
  return backendFailure(`'${file}' ${reason}, so Docker's current context is not known. ${advice}`, cause);
}

async function fromHost(environment: NodeJS.ProcessEnv): Promise<ConfiguredEngine | undefined> {
  const host = environment.DOCKER_HOST;
  if (!host) return undefined;
  return { address: await engineAddress(host, environment), source: 'DOCKER_HOST' };
}

async function contextEngine(
  name: string,
  by: string,
  environment: NodeJS.ProcessEnv,
): Promise<ConfiguredEngine | undefined> {
  if (name === DEFAULT) return fromHost(environment);
  const directory = join(dockerConfiguration(environment), 'contexts');
  const key = createHash('sha256').update(name).digest('hex');
  const text = await textOfFile(join(directory, 'meta', key, 'meta.json'));
  const advice = '"docker context ls" lists contexts; --context default uses the local engine.';
  if (text === undefined) {
    throw backendFailure(`The Docker context '${name}' (from ${by}) is not in ${directory}. ${advice}`);
  }
  const endpoint = objectOf(objectOf(objectOf(parseJson(text)).Endpoints).docker);
  const host = textOf(endpoint.Host);
  if (host === '') {
    throw backendFailure(`The Docker context '${name}' (from ${by}) has no engine address. ${advice}`);
  }
  try {
    const tls = await tlsOf(join(directory, 'tls', key, 'docker'), endpoint.SkipTLSVerify === true);
    // The DOCKER_* variables do not apply to a context.
    const address = await engineAddress(host, {}, tls);
    return { address, source: `context '${name}' (${by})` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw backendFailure(`The Docker context '${name}' (from ${by}) cannot be used: ${reason}`, error);
  }
}

/** A context uses TLS when it has TLS files, or when it turns certificate checks off. */
async function tlsOf(directory: string, isUnverified: boolean): Promise<EngineTls | undefined> {
  const files = await readTls(directory, 'its TLS files');
  return isUnverified ? { ...files, isUnverified } : files;
}

async function textOfFile(path: string): Promise<string | undefined> {
  return (await readRegularFile(path).catch(() => undefined))?.toString('utf8');
}
