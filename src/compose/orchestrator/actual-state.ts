/** Reads the actual state of a project from labels, so that stopping and listing need no compose file. */
import { containerName } from '../model/project/container-names.js';
import type { ContainerRecord, ContainerSummary } from '../runtime/records.js';
import { backendFailure, notFound } from '../runtime/errors.js';
import { requireStatus } from '../runtime/lifecycle.js';
import { OrchestratorError } from './errors.js';
import { LABELS, parseDependencyLabel } from './labels.js';
import type { LabelledDependency } from './labels.js';
import type { Orchestration } from './orchestration.js';

/** A container of a project. */
export interface Member<Container extends ContainerSummary = ContainerRecord> {
  readonly container: Container;
  readonly project: string;
  readonly service: string;
  /** The replica's number, from 1. */
  readonly number: number;
  /** Created by `run`, so not a replica of its service. */
  readonly oneOff: boolean;
  readonly configHash: string | undefined;
  /** The id of the image that it was created from, if the creating tool recorded it. */
  readonly imageId: string | undefined;
  readonly dependencies: readonly LabelledDependency[];
}

/** The containers of one project, oldest first. */
export async function observeProject(
  { backend, signal }: Pick<Orchestration, 'backend' | 'signal'>,
  project: string,
): Promise<Member[]> {
  const found = await backend.containers.list({ labels: { [LABELS.project]: project }, signal });
  return found.flatMap(memberOf);
}

/** Does what `observeProject` does, with less about running containers, which takes less time. */
export async function surveyProject(
  { backend, signal }: Pick<Orchestration, 'backend' | 'signal'>,
  project: string,
): Promise<Member<ContainerSummary>[]> {
  const found = await backend.containers.summaries({ labels: { [LABELS.project]: project }, signal });
  return found.flatMap(memberOf);
}

/** The containers of every project. */
export async function observeAll({ backend, signal }: Pick<Orchestration, 'backend' | 'signal'>): Promise<Member[]> {
  return (await backend.containers.list({ labels: { [LABELS.project]: '' }, signal })).flatMap(memberOf);
}

/** Containers without a project or service label belong to no project. */
export function memberOf<Container extends ContainerSummary>(container: Container): Member<Container>[] {
  const { labels } = container;
  const project = labels[LABELS.project];
  const service = labels[LABELS.service];
  if (project === undefined || service === undefined) return [];
  const number = Number(labels[LABELS.number] ?? '1');
  return [
    {
      container,
      project,
      service,
      number: Number.isInteger(number) && number > 0 ? number : 1,
      oneOff: labels[LABELS.oneOff]?.toLowerCase() === 'true',
      configHash: labels[LABELS.configHash],
      imageId: labels[LABELS.image],
      dependencies: parseDependencyLabel(labels[LABELS.dependsOn] ?? ''),
    },
  ];
}

/**
 * The replicas of some services.
 *
 * @param names empty: all services
 * @param defined services of the compose file, which may have no containers
 * @throws OrchestratorError.serviceNotFound for a name in neither the file nor a container's labels
 */
export function membersOf<Container extends ContainerSummary>(
  members: readonly Member<Container>[],
  names: readonly string[],
  project: string,
  defined: readonly string[] = [],
): Member<Container>[] {
  const replicas = members.filter(({ oneOff }) => !oneOff);
  const known = new Set([...defined, ...members.map(({ service }) => service)]);
  for (const service of names) {
    if (!known.has(service)) throw new OrchestratorError({ case: 'serviceNotFound', project, service });
  }
  return names.length === 0 ? replicas : replicas.filter(({ service }) => names.includes(service));
}

/** @throws OrchestratorError.projectNotFound when nothing of the project exists */
export async function requireProject(
  orchestration: Pick<Orchestration, 'backend' | 'signal'>,
  name: string,
): Promise<Member[]> {
  const members = await observeProject(orchestration, name);
  if (members.length === 0) throw new OrchestratorError({ case: 'projectNotFound', name });
  return members;
}

/**
 * For commands that need a process: the failure names the container, where the engine's would have its id.
 *
 * @throws RuntimeError.invalidState, or backendFailure for a container that is paused or restarts
 */
export function requireRunning({ container: { name, status, condition } }: Member<ContainerSummary>): void {
  requireStatus('exec', name, status);
  if (condition === 'paused') throw backendFailure(`The container '${name}' is paused: unpause it first.`);
  if (condition === 'restarting') throw backendFailure(`The container '${name}' is restarting.`);
}

/**
 * The container that a single-container command applies to: the requested number, or the lowest of those that run, or
 * of all if none does.
 *
 * @throws RuntimeError.notFound with the name that the container would have
 */
export function memberNumbered(
  members: readonly Member[],
  {
    project,
    service,
    number,
  }: { readonly project: string; readonly service: string; readonly number?: number | undefined },
): Member {
  const sorted = members.toSorted((one, other) => one.number - other.number);
  const found =
    number === undefined
      ? (sorted.find(({ container }) => container.status === 'running') ?? sorted[0])
      : sorted.find((member) => member.number === number);
  if (found === undefined) throw notFound(containerName({ name: project }, service, number ?? 1));
  return found;
}
