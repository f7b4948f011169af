/** Changes of a service that runs. */
import type Docker from 'dockerode';
import type { ClusterOperations, ClusterService } from '../../runtime/cluster.js';
import { isEngineFailure, notFound } from '../../runtime/errors.js';
import { numberOf, objectOf, textMapOf, type Json } from '../../runtime/json.js';
import { STOPPED_LABEL } from '../../runtime/swarm/labels.js';
import type { Orchestration } from '../orchestration.js';

/** The swarm changes a service too while it updates it, and accepts a change only of the latest version. */
const MOST_TRIES = 10;
const isOutdated = /update out of sequence/;

/** @param change makes the new specification of the latest one */
export async function changeService(
  { signal, report }: Orchestration,
  cluster: ClusterOperations,
  { id, name }: Pick<ClusterService, 'id' | 'name'>,
  change: (now: ClusterService) => Docker.ServiceSpec | Json,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const now = (await cluster.services.list({ signal })).find((service) => service.id === id);
    if (now === undefined) throw notFound(name);
    try {
      const warnings = await cluster.services.update(now, change(now), { signal });
      for (const message of warnings) report({ kind: 'warning', message });
      return;
    } catch (error) {
      if (tries === MOST_TRIES || !isEngineFailure(error) || !isOutdated.test(error.message)) throw error;
    }
  }
}

/** The same specification with this number of replicas. It is no longer stopped. */
export function withReplicas(spec: Json, replicas: number): Json {
  const { [STOPPED_LABEL]: _stopped, ...Labels } = textMapOf(spec.Labels);
  const isJob = objectOf(spec.Mode).ReplicatedJob !== undefined;
  const Mode = isJob
    ? { ReplicatedJob: { MaxConcurrent: replicas, TotalCompletions: replicas } }
    : { Replicated: { Replicas: replicas } };
  return { ...spec, Labels, Mode };
}

/** The same specification, for which the swarm replaces all containers. */
export function withForcedUpdate(spec: Docker.ServiceSpec | Json): Json {
  const template = objectOf(spec.TaskTemplate);
  return { ...spec, TaskTemplate: { ...template, ForceUpdate: numberOf(template.ForceUpdate) + 1 } };
}
