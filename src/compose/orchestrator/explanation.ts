/** Explains why a container prevented others from starting. */
import type { Project } from '../model/project/project.js';
import type { ContainerRecord } from '../runtime/records.js';
import { isEngineFailure, isRuntimeError } from '../runtime/errors.js';
import { hasEnded } from '../runtime/lifecycle.js';
import { ComposeWaitError } from './errors.js';
import type { Orchestration } from './orchestration.js';

/**
 * Suggests what to do about a failure of `up`, `run` or `start`.
 *
 * @returns lines to print below the error, possibly none
 */
export async function explain(
  orchestration: Pick<Orchestration, 'backend'>,
  error: unknown,
  project?: Project,
): Promise<string[]> {
  const network = missingExternalNetwork(error, project);
  if (network !== undefined) {
    return [`The network '${network}' is external, so it must exist: create it, or remove 'external: true'.`];
  }
  if (isRuntimeError(error, 'notSupported') && needsBuildKit(error.failure)) {
    return [BUILDKIT_ADVICE];
  }
  if (asksForBuild(error)) return ["A swarm builds no images: build and push the image, and name it in 'image'."];
  const port = portInUse(error);
  return port === undefined ? explainUnmet(orchestration, error) : explainPort(orchestration, port);
}

const BUILDKIT_ADVICE =
  'It needs BuildKit: install the plug-in buildx of the Docker CLI (docker-buildx). ' +
  'Docker before 23 has an old BuildKit that lacks a part. With Podman, use --backend native.';

function needsBuildKit({ operation, conformer }: { readonly operation: string; readonly conformer: string }): boolean {
  return conformer === 'bridge' && /^build[. ]/.test(operation) && !operation.startsWith('build from');
}

function asksForBuild(error: unknown): boolean {
  if (!isRuntimeError(error, 'notSupported')) return false;
  const { conformer, operation } = error.failure;
  return conformer === 'swarm' && /\bbuild\b/.test(operation);
}

function missingExternalNetwork(error: unknown, project: Project | undefined): string | undefined {
  if (!isRuntimeError(error, 'notFound') || project === undefined) return undefined;
  const { id } = error.failure;
  return Object.values(project.networks).some(({ name, external }) => external === true && name === id)
    ? id
    : undefined;
}

/** The messages of the mock, Docker and Podman. */
const portIsTaken =
  /(?::|\bport )(\d+)(?:: bind: address already in use| failed: port is already allocated| is already allocated)/i;

function portInUse(error: unknown): number | undefined {
  if (!isEngineFailure(error)) return undefined;
  const port = portIsTaken.exec(error.message)?.[1];
  return port === undefined ? undefined : Number(port);
}

async function explainPort({ backend }: Pick<Orchestration, 'backend'>, port: number): Promise<string[]> {
  const containers = await backend.containers.list().catch(() => []);
  const owner = containers.find(({ ports }) => ports.some(({ hostPort }) => hostPort === port));
  return [
    owner === undefined
      ? `Another program uses port ${port}: end it, or publish another port.`
      : `The container ${owner.name} publishes port ${port}: stop it, or publish another port.`,
  ];
}

/** How many lines of a container's log, or of a health check's output, are shown. */
export const SHOWN_LINES = 10;

/**
 * Inspects the container of an unmet condition.
 *
 * @returns lines to print below the error; none for other errors or a removed container
 */
async function explainUnmet({ backend }: Pick<Orchestration, 'backend'>, error: unknown): Promise<string[]> {
  const name = containerOf(error);
  if (name === undefined) return [];
  try {
    const { id, status, exitCode, outOfMemory, health } = await backend.containers.inspect(name);
    if (hasEnded(status)) {
      const lines: string[] = [];
      for await (const { line } of await backend.containers.logs(id, { tail: SHOWN_LINES })) lines.push(line);
      return explainExit({ name, exitCode, outOfMemory }, lines);
    }
    if (health === undefined) return [];
    const output = (health.output ?? '').trimEnd();
    const title = `${name} is ${health.status}`;
    return [
      ...titled(title, 'Its last health check printed', output === '' ? [] : output.split(/\r?\n/)),
      ...(health.status === 'starting' ? ["To wait longer, use 'up --wait-timeout <seconds>'."] : []),
    ];
  } catch {
    // Report the original error only.
    return [];
  }
}

/**
 * Describes how a container ended.
 *
 * @param lines the last lines of its log
 */
export function explainExit(
  { name, exitCode, outOfMemory }: Pick<ContainerRecord, 'name' | 'outOfMemory'> & { exitCode?: number | undefined },
  lines: readonly string[],
): string[] {
  const reason = outOfMemory ? ' for lack of memory' : '';
  return titled(`${name} exited with code ${exitCode ?? 'unknown'}${reason}`, 'Its last lines', lines);
}

function titled(title: string, label: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`${title}.`];
  return [`${title}. ${label}:`, ...lines.slice(-SHOWN_LINES).map((line) => `  ${line}`)];
}

function containerOf(error: unknown): string | undefined {
  if (error instanceof ComposeWaitError) return error.failure.containerName;
  return isRuntimeError(error, 'invalidState') && error.failure.expected === 'running' ? error.failure.id : undefined;
}
