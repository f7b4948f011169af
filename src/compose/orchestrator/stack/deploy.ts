/** Brings a project up as services of a swarm, which replaces their containers by its update settings. */
import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { canonicalJson } from '../../model/project/hash.js';
import type { LoadedProject } from '../../model/loader/load.js';
import { imageOf, replicaCount } from '../../model/project/listings.js';
import { allServices } from '../../model/project/profiles.js';
import type { Project } from '../../model/project/project.js';
import type { ClusterOperations, ClusterService } from '../../runtime/cluster.js';
import { alreadyExists, notSupported } from '../../runtime/errors.js';
import { numberOf, objectOf, textOf, type Json } from '../../runtime/json.js';
import { derivedLabels, SERVICE_LABEL, serviceName, STACK_LABEL, STOPPED_LABEL } from '../../runtime/swarm/labels.js';
import { LABELS } from '../labels.js';
import { reported, type Orchestration } from '../orchestration.js';
import { requireScale } from '../plan.js';
import { ensureResources, requireExternals } from '../resources.js';
import { unsupportedKeys } from '../unsupported-keys.js';
import { changeService, withForcedUpdate, withReplicas } from './change.js';
import { awaitConvergence } from './convergence.js';
import { ensureFiles, removeUnusedFiles, requireStorable, type FileReferences } from './files.js';
import { isReplicated, mode } from './policies.js';
import { reducedKeys, requireDeployable } from './refusals.js';
import { IMAGE_LABEL, serviceSpec } from './service-spec.js';

export interface DeployOptions {
  readonly scale?: ReadonlyMap<string, number>;
  readonly recreate?: 'changed' | 'never' | 'always';
  readonly targets?: readonly string[];
  readonly replace?: boolean;
  readonly removeOrphans?: boolean;
  readonly ignoreOrphans?: boolean;
  readonly build?: 'always' | 'never' | 'missing';
  readonly pull?: string;
  readonly start?: boolean;
  /** Do not wait until the containers run. */
  readonly detach?: boolean;
  readonly waitSeconds?: number | undefined;
}

/**
 * Settles when all containers run, unless detached. The next call completes an interrupted one.
 *
 * @throws RuntimeError.notSupported for what a swarm cannot do, before any change
 * @throws RuntimeError.notFound for a missing external network, secret or config
 * @throws RuntimeError.backendFailure when an update fails; the swarm has rolled it back if the file says so
 * @throws ComposeWaitError.timeout when the containers of a service do not run in time
 * @throws OrchestratorError.invalidReplicaCount, serviceNotFound
 */
export async function deployProject(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  { project, contents }: Pick<LoadedProject, 'project' | 'contents'>,
  options: DeployOptions,
): Promise<void> {
  if (options.start === false) throw notSupported('create', 'swarm');
  if (options.build === 'always') throw notSupported('up --build', 'swarm');
  requireDeployable(project);
  await requireStorable(project, contents);
  requireScale(project, options.scale ?? new Map());
  for (const message of [...unsupportedKeys(project), ...reducedKeys(project)]) {
    orchestration.report({ kind: 'warning', message });
  }
  // Nodes create volumes when they need them.
  const withoutVolumes = { ...project, volumes: {} };
  await requireExternals(orchestration, withoutVolumes);
  const present = await cluster.services.list({
    labels: { [STACK_LABEL]: project.name },
    signal: orchestration.signal,
  });
  requireSameModes(project, present);
  await ensureResources(orchestration, withoutVolumes);
  const files = await ensureFiles(orchestration, cluster, project, contents);
  if (options.ignoreOrphans !== true) {
    await settleOrphans(orchestration, cluster, project, present, options.removeOrphans === true);
  }
  const names = Object.keys(project.services).sort();
  const deployment = { orchestration, cluster, project, options };
  const changed = new Set<string>();
  await Promise.all(
    names.map(async (name) => {
      const isChanged = await deployService(deployment, name, files.get(name) ?? NONE, present);
      if (isChanged) changed.add(serviceName(project.name, name));
    }),
  );
  if (options.detach !== true) {
    await awaitConvergence(orchestration, cluster, {
      names: names.map((name) => serviceName(project.name, name)),
      changed,
      seconds: options.waitSeconds,
    });
  }
  await removeUnusedFiles(orchestration, cluster, project.name);
}

const NONE: FileReferences = { secrets: [], configs: [] };

interface Deployment {
  readonly orchestration: Orchestration;
  readonly cluster: ClusterOperations;
  readonly project: Project;
  readonly options: DeployOptions;
}

/** @returns whether the service was made or changed */
async function deployService(
  deployment: Deployment,
  name: string,
  files: FileReferences,
  present: readonly ClusterService[],
): Promise<boolean> {
  const { orchestration, cluster, project, options } = deployment;
  const { signal, report } = orchestration;
  const before = present.find((service) => service.name === serviceName(project.name, name));
  const image = await chosenImage(deployment, name, before);
  const spec = desiredSpec(deployment, name, image.reference, files);
  const full = serviceName(project.name, name);
  const warn = (warnings: readonly string[]): void => {
    for (const message of warnings) report({ kind: 'warning', message });
  };
  if (before === undefined) {
    warn(image.warnings);
    await reported(orchestration, 'Service', full, ['Creating', 'Created'], async () => {
      warn(await cluster.services.create(spec, { signal }));
    });
    return true;
  }
  const isForced = options.recreate === 'always' && (options.targets === undefined || options.targets.includes(name));
  if (!isForced && isCurrent(before, spec)) return false;
  warn(image.warnings);
  const isSame = before.labels[LABELS.configHash] === spec.Labels?.[LABELS.configHash];
  if (options.replace === false && !isSame) throw alreadyExists(full);
  const isKept = options.recreate === 'never' || isSame;
  const change = (now: ClusterService): Docker.ServiceSpec | Json => {
    const next = isKept ? rescaled(now, project, name, options) : withCounter(spec, now);
    return isForced ? withForcedUpdate(next) : next;
  };
  await reported(
    orchestration,
    'Service',
    full,
    isSame && !isForced ? ['Scaling', 'Scaled'] : ['Updating', 'Updated'],
    () => changeService(orchestration, cluster, before, change),
  );
  return true;
}

interface ChosenImage {
  readonly reference: string;
  /** For when the service is made or changed. */
  readonly warnings: readonly string[];
}

/** With its digest in the registry. Without an answer of the registry, a service keeps the digest that it has. */
async function chosenImage(
  { orchestration, cluster, project, options }: Deployment,
  name: string,
  before: ClusterService | undefined,
): Promise<ChosenImage> {
  const reference = imageOf(project, name);
  if (options.pull === 'never' || project.services[name]?.pull_policy === 'never') return { reference, warnings: [] };
  const resolved = await cluster.resolveImage(reference, { signal: orchestration.signal });
  if (resolved !== undefined) return { reference: resolved, warnings: [] };
  const kept = textOf(objectOf(objectOf(before?.spec.TaskTemplate).ContainerSpec).Image);
  const unread = `The digest of '${reference}' could not be read from its registry`;
  if (before?.labels[IMAGE_LABEL] === reference && kept.includes('@')) {
    orchestration.report({ kind: 'warning', message: `${unread}. Service '${name}' keeps the image that it has.` });
    return { reference: kept, warnings: [] };
  }
  return { reference, warnings: [`${unread}, so nodes may run different images of this name.`] };
}

function desiredSpec(
  { orchestration, project, options }: Deployment,
  name: string,
  image: string,
  files: FileReferences,
): Docker.ServiceSpec {
  const spec = serviceSpec(project, name, {
    image,
    files,
    replicas: options.scale?.get(name),
    labels: orchestration.labels ?? {},
  });
  const { Mode: _mode, ...hashed } = spec;
  // The same file in another folder is the same project.
  const { [LABELS.workingDirectory]: _folder, [LABELS.configFiles]: _files, ...Labels } = spec.Labels ?? {};
  const hash = createHash('sha256')
    .update(canonicalJson({ ...hashed, Labels }))
    .digest('hex');
  return { ...spec, Labels: { ...spec.Labels, [LABELS.configHash]: hash } };
}

function isCurrent({ labels, spec }: ClusterService, desired: Docker.ServiceSpec): boolean {
  const isSame = labels[LABELS.configHash] === desired.Labels?.[LABELS.configHash];
  return isSame && labels[STOPPED_LABEL] === undefined && replicasOf(spec) === replicasOf(objectOf(desired));
}

/**
 * A swarm cannot turn a service with replicas into one that runs on every node, or into a job.
 *
 * @throws RuntimeError.notSupported
 */
function requireSameModes(project: Project, present: readonly ClusterService[]): void {
  const kindOf = (spec: Json): string => Object.keys(objectOf(spec.Mode)).join();
  for (const [name, service] of Object.entries(project.services)) {
    const before = present.find((each) => each.name === serviceName(project.name, name));
    if (before === undefined || kindOf(before.spec) === kindOf({ Mode: mode(service, undefined) })) continue;
    throw notSupported(`changing deploy.mode of the existing service ${name} (remove it first: down ${name})`, 'swarm');
  }
}

function replicasOf(spec: Json): string {
  const { Replicated, ReplicatedJob, ...others } = objectOf(spec.Mode);
  const total = numberOf(objectOf(Replicated).Replicas) + numberOf(objectOf(ReplicatedJob).TotalCompletions);
  return `${Object.keys(others).join(',')} ${total}`;
}

/** The specification of the swarm with the number of replicas of the file or of `--scale`. */
function rescaled({ spec }: ClusterService, project: Project, name: string, { scale }: DeployOptions): Json {
  const service = project.services[name] ?? {};
  return isReplicated(service) ? withReplicas(spec, replicaCount(service, scale?.get(name))) : spec;
}

/** Keeps the counter of forced updates: another number would replace all containers. */
function withCounter(spec: Docker.ServiceSpec, now: ClusterService): Docker.ServiceSpec {
  const ForceUpdate = numberOf(objectOf(now.spec.TaskTemplate).ForceUpdate);
  return { ...spec, TaskTemplate: { ...spec.TaskTemplate, ForceUpdate } };
}

async function settleOrphans(
  orchestration: Orchestration,
  cluster: ClusterOperations,
  project: Project,
  present: readonly ClusterService[],
  remove: boolean,
): Promise<void> {
  const known = allServices(project);
  const orphans = present.filter(
    ({ name, labels }) => !Object.hasOwn(known, derivedLabels(name, labels)[SERVICE_LABEL] ?? name),
  );
  if (orphans.length === 0) return;
  if (!remove) {
    const names = orphans.map(({ name }) => name).join(', ');
    const message = `Orphan services (they are not in the compose file): ${names}. Use --remove-orphans to remove them.`;
    orchestration.report({ kind: 'warning', message });
    return;
  }
  const { signal } = orchestration;
  await Promise.all(
    orphans.map(({ id, name }) =>
      reported(orchestration, 'Service', name, ['Removing', 'Removed'], () => cluster.services.remove(id, { signal })),
    ),
  );
}
