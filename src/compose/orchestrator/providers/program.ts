/** Runs the program of a provider: `<program> compose --project-name=<p> up --<option>=<value> <service>`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Provider } from '../../model/project/workload.js';
import { firstExecutable, pluginDirectories, searchPath } from '../../runtime/docker-plugins.js';
import { commandFailed, type TerminalError } from '../../runtime/errors.js';
import { objectOf, objectsOf, parseJson, textOf, type Json } from '../../runtime/json.js';
import { linesOf } from '../../runtime/lines.js';
import type { ProvidedVariables, ProviderCall, RunProvider } from './run-provider.js';

export interface SpawnContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** Finds provider programs: a Docker CLI plug-in, `docker-<type>`, or `<type>` on the PATH. */
export function providerPrograms(context: SpawnContext): RunProvider {
  return async (call) => {
    const { provider = { type: '' } } = call.definition;
    const path = await findProgram(provider.type, call.service, context.environment);
    const metadata = await metadataOf(path, context, call.signal);
    if (call.command === 'stop' && metadata.stop === undefined) return { prefixed: {}, raw: {} };
    const options = optionArguments(provider, call, metadata);
    const args = ['compose', `--project-name=${call.project}`, call.command, ...options, call.service];
    return converse(path, args, call, context);
  };
}

async function findProgram(type: string, service: string, environment: SpawnContext['environment']): Promise<string> {
  if (!/^[\w.-]+$/.test(type) || type === 'compose') {
    throw commandFailed(`'${type}', the provider of '${service}', is not a valid provider name.`);
  }
  const search = searchPath(environment);
  const candidates = [
    ...[...pluginDirectories(environment), ...search].map((folder) => join(folder, `docker-${type}`)),
    ...search.map((folder) => join(folder, type)),
  ];
  const program = await firstExecutable(candidates);
  if (program !== undefined) return program;
  throw commandFailed(
    `The provider '${type}' of '${service}' was not found: install the program docker-${type} or ${type} on the PATH.`,
  );
}

/** The reply to `compose metadata`, which a provider may not support. */
async function metadataOf(path: string, context: SpawnContext, signal: AbortSignal): Promise<Json> {
  const child = spawn(path, ['compose', 'metadata'], {
    ...spawnOptions(context),
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  });
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => {
      resolve(false);
    });
    child.once('close', (code) => {
      resolve(code === 0);
    });
  });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer); // No encoding is set.
  const isKnown = await ended;
  signal.throwIfAborted();
  return isKnown ? objectOf(parseJson(Buffer.concat(chunks).toString())) : {};
}

/** Drops options that the command does not accept according to the metadata. */
function optionArguments(
  { type, options = {} }: Provider,
  { command, service }: ProviderCall,
  metadata: Json,
): string[] {
  const parameters = objectsOf(objectOf(metadata[command])['parameters']);
  const hasMetadata = metadata['up'] !== undefined || metadata['down'] !== undefined;
  if (!hasMetadata) return all(options);
  const missing = parameters.find(({ name, required }) => required === true && !Object.hasOwn(options, textOf(name)));
  if (missing !== undefined) {
    throw commandFailed(`The provider '${type}' of '${service}' needs the option '${textOf(missing['name'])}'.`);
  }
  const taken = new Set(parameters.map(({ name }) => textOf(name)));
  return all(Object.fromEntries(Object.entries(options).filter(([name]) => taken.has(name))));
}

function all(options: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(options).flatMap(([name, values]) => values.map((value) => `--${name}=${value}`));
}

/** Reads the program's messages, one JSON object per line, until it ends. */
async function converse(
  path: string,
  args: readonly string[],
  call: ProviderCall,
  context: SpawnContext,
): Promise<ProvidedVariables> {
  const { signal } = call;
  signal.throwIfAborted();
  const child = spawn(path, args, { ...spawnOptions(context), stdio: 'pipe', signal });
  child.stdin.on('error', () => undefined); // A provider may exit before it reads its reply.
  const ended = new Promise<{ code: number | null; error?: Error }>((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, error });
    });
    child.once('close', (code) => {
      resolve({ code });
    });
  });
  const stderr: string[] = [];
  const errors = (async () => {
    for await (const line of linesOf(child.stderr)) stderr.push(line);
  })();
  const variables = { prefixed: {} as Record<string, string>, raw: {} as Record<string, string> };
  try {
    for await (const line of linesOf(child.stdout)) {
      if (line.trim() !== '') heed(line, call, variables, (answer) => child.stdin.write(answer));
    }
  } catch (error) {
    child.kill();
    throw error;
  }
  const { code, error } = await ended;
  signal.throwIfAborted();
  await errors;
  if (code === 0) return variables;
  const reason = error?.message ?? `it exited with code ${code ?? 'unknown'}${detail(stderr)}`;
  throw failed(call, reason);
}

/** @throws TerminalError.commandFailed for a reported error and for an invalid message */
function heed(
  line: string,
  call: ProviderCall,
  variables: { readonly prefixed: Record<string, string>; readonly raw: Record<string, string> },
  answer: (text: string) => void,
): void {
  const parsed = objectOf(parseJson(line));
  const [type, message] = [textOf(parsed['type']), textOf(parsed['message'])];
  switch (type) {
    case 'info':
      call.tell(message);
      return;
    case 'debug':
      return;
    case 'error':
      throw failed(call, message);
    case 'setenv':
    case 'rawsetenv': {
      const at = message.indexOf('=');
      if (at < 1) throw failed(call, `its ${type} message is not NAME=value`);
      (type === 'setenv' ? variables.prefixed : variables.raw)[message.slice(0, at)] = message.slice(at + 1);
      return;
    }
    case 'get-service-config':
      answer(`${JSON.stringify(call.definition)}\n`);
      return;
    default:
      throw failed(call, 'it printed an invalid provider protocol message');
  }
}

function failed({ definition, service, command }: ProviderCall, reason: string): TerminalError {
  const type = definition.provider?.type ?? '';
  const text = reason.replace(/\.$/, '');
  return commandFailed(`The provider '${type}' failed to ${VERBS[command]} '${service}': ${text}.`);
}

const VERBS = { up: 'bring up', down: 'take down', stop: 'stop' } as const;

function detail(stderr: readonly string[]): string {
  const text = stderr.slice(-5).join(' ').trim();
  return text === '' ? '' : ` (${text.replace(/\.$/, '')})`;
}

function spawnOptions({ environment, workingDirectory }: SpawnContext): { env: NodeJS.ProcessEnv; cwd: string } {
  return { env: { ...environment }, cwd: workingDirectory };
}
