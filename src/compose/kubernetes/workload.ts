/** What runs the pods of a service: a Deployment, StatefulSet, DaemonSet or Job. */
import type { Service } from '../model/project/service.js';
import { restartPolicy } from '../orchestrator/container/container-spec.js';
import { optionalField } from '../orchestrator/container/optional-field.js';
import { annotationsOf } from './annotations.js';
import { nameOf, serviceMetadata, type Conversion } from './conversion.js';
import type { Deployment, Job, Manifest, Metadata, Workload } from './manifests.js';
import { selectorOf } from './names.js';
import { podTemplate } from './pod.js';
import { isAwaited, storageOf, type Storage } from './storage.js';

/** The workload of a service, and the objects that only it needs. */
export async function workloadOf(conversion: Conversion, key: string): Promise<Manifest[]> {
  const storage = await storageOf(conversion, key);
  noteDependencies(conversion, key);
  return [...storage.objects, workload(conversion, key, storage)];
}

function workload(conversion: Conversion, key: string, storage: Storage): Workload {
  const service = conversion.project.services[key] ?? {};
  const name = nameOf(conversion, 'services', key);
  const metadata = withAnnotations(conversion, key, serviceMetadata(conversion, key, name));
  if (isAwaited(conversion, key)) return job(conversion, key, storage, metadata);
  const selector = { matchLabels: selectorOf(conversion.project, name) };
  const template = podTemplate(conversion, key, storage);
  const replicas = service.scale ?? service.deploy?.replicas ?? 1;
  if (service.deploy?.mode === 'global') {
    return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { selector, template } };
  }
  if (storage.ownClaims.length > 0) {
    const volumeClaimTemplates = storage.ownClaims.map(({ metadata: of, spec }) => ({ metadata: of, spec }));
    const spec = { serviceName: name, replicas, selector, template, volumeClaimTemplates };
    return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec };
  }
  const spec = { replicas, selector, ...strategy(conversion, key, service), template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

function withAnnotations(conversion: Conversion, key: string, metadata: Metadata): Metadata {
  const labels = conversion.project.services[key]?.deploy?.labels ?? {};
  const annotations = annotationsOf(conversion, `services.${key}.deploy.labels`, labels);
  return { ...metadata, ...optionalField('annotations', annotations) };
}

/** A service whose end others wait for runs once. */
function job(conversion: Conversion, key: string, storage: Storage, metadata: Metadata): Job {
  const service = conversion.project.services[key] ?? {};
  const { name = 'no', maximumRetries } = restartPolicy(service) ?? {};
  const again = name === 'no' ? 0 : (maximumRetries ?? DEFAULT_BACKOFF_LIMIT);
  const template = podTemplate(conversion, key, storage, name === 'no' ? 'Never' : 'OnFailure');
  const completions = service.scale ?? service.deploy?.replicas ?? 1;
  const spec = { ...(completions > 1 && { completions }), backoffLimit: again, template };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
}

/** The default of Kubernetes. */
const DEFAULT_BACKOFF_LIMIT = 6;

/** `update_config` of the compose file. */
function strategy({ notes }: Conversion, key: string, { deploy }: Service): Pick<Deployment['spec'], 'strategy'> {
  const update = deploy?.update_config;
  if (update === undefined) return {};
  const path = `services.${key}.deploy.update_config`;
  for (const name of ['delay', 'failure_action', 'monitor', 'max_failure_ratio'] as const) {
    if (update[name] !== undefined) notes.add(`${path}.${name}`, 'has no counterpart');
  }
  const { parallelism = 1, order = 'stop-first' } = update;
  if (parallelism === 0) return { strategy: { type: 'Recreate' } };
  const isStartFirst = order === 'start-first';
  const rollingUpdate = { maxSurge: isStartFirst ? parallelism : 0, maxUnavailable: isStartFirst ? 0 : parallelism };
  return { strategy: { type: 'RollingUpdate', rollingUpdate } };
}

/** A cluster starts everything at once. */
function noteDependencies({ project, notes }: Conversion, key: string): void {
  const { depends_on: on = {}, restart, deploy } = project.services[key] ?? {};
  for (const [name, { condition }] of Object.entries(on)) {
    if (condition === 'service_started') continue;
    notes.add(`services.${key}.depends_on.${name}`, 'is not awaited: the container restarts until it finds it');
  }
  const isOnce = restart !== undefined ? /^(?:no|on-failure)/.test(restart) : deploy?.restart_policy !== undefined;
  if (isOnce && !isAwaited({ project }, key)) {
    notes.add(`services.${key}.restart`, 'is always: only a service whose end another one awaits is a Job');
  }
}
