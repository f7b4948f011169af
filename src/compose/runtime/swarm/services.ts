/** Services and tasks through the Engine API. */
import type Docker from 'dockerode';
import type { EngineClient } from '../bridge/client.js';
import { registryAuth } from '../bridge/registry-auth.js';
import { imageSegment, segment } from '../bridge/requests.js';
import type { ClusterOperations, ClusterNode, ClusterService, ClusterTask } from '../cluster.js';
import { engineFilters } from '../engine/labels.js';
import { utcTime } from '../engine/time.js';
import { isEngineFailure, isRuntimeError } from '../errors.js';
import { qualifyImage } from '../image-reference.js';
import { numberOf, objectOf, objectsOf, textMapOf, textOf, textsOf, type Json } from '../json.js';
import { swarmNodes } from './nodes.js';

type Services = Pick<ClusterOperations, 'services' | 'tasks' | 'resolveImage'>;

/** @param environment locates registry credentials, which the nodes get to pull images */
export function swarmServices(client: EngineClient, environment: NodeJS.ProcessEnv): Services {
  const authOf = async (spec: Docker.ServiceSpec | Json): ReturnType<typeof registryAuth> => {
    const image = textOf(objectOf(objectOf(spec.TaskTemplate).ContainerSpec).Image);
    return registryAuth(qualifyImage(image), environment);
  };
  return {
    services: {
      async list({ labels = {}, signal } = {}) {
        const query = { filters: JSON.stringify(engineFilters(labels)) };
        return objectsOf(await client.call({}, { method: 'GET', path: '/services', query, signal })).map(serviceOf);
      },
      async create(spec, { signal } = {}) {
        const auth = await authOf(spec);
        const request = { method: 'POST', path: '/services/create', json: spec, auth, signal } as const;
        return warningsOf(await client.call({ newName: spec.Name ?? '' }, request));
      },
      async update({ id, version }, spec, { signal } = {}) {
        const path = `/services/${segment(id)}/update`;
        const auth = await authOf(spec);
        const request = { method: 'POST', path, query: { version }, json: spec, auth, signal } as const;
        return warningsOf(await client.call({ id }, request));
      },
      async remove(id, { signal } = {}) {
        await client.call({ id }, { method: 'DELETE', path: `/services/${segment(id)}`, signal });
      },
    },
    async tasks({ labels = {}, signal } = {}) {
      const query = { filters: JSON.stringify(engineFilters(labels)) };
      const [tasks, nodes] = await Promise.all([
        client.call({}, { method: 'GET', path: '/tasks', query, signal }),
        swarmNodes(client, signal),
      ]);
      return objectsOf(tasks).map((task) => taskOf(task, nodes.get(textOf(task.NodeID))));
    },
    async resolveImage(reference, { signal } = {}) {
      if (reference.includes('@')) return reference;
      const whole = qualifyImage(reference);
      const auth = await registryAuth(whole, environment);
      const path = `/distribution/${imageSegment(whole)}/json`;
      try {
        const reply = objectOf(await client.call({ image: reference }, { method: 'GET', path, auth, signal }));
        const digest = textOf(objectOf(reply.Descriptor).digest);
        return digest === '' ? undefined : `${whole}@${digest}`;
      } catch (error) {
        // The registry cannot be reached from here, or does not have it. A node may still have the image.
        if (isEngineFailure(error) || isRuntimeError(error, 'imageNotFound')) return undefined;
        throw error;
      }
    },
  };
}

function warningsOf(reply: unknown): readonly string[] {
  return textsOf(objectOf(reply).Warnings);
}

function serviceOf(service: Json): ClusterService {
  const spec = objectOf(service.Spec);
  const update = objectOf(service.UpdateStatus);
  const state = textOf(update.State);
  return {
    id: textOf(service.ID),
    version: numberOf(objectOf(service.Version).Index),
    name: textOf(spec.Name),
    createdAt: utcTime(textOf(service.CreatedAt)) ?? '',
    labels: textMapOf(spec.Labels),
    spec,
    endpointPorts: objectsOf(objectOf(service.Endpoint).Ports),
    previousSpec: objectOf(service.PreviousSpec),
    ...(state !== '' && { update: { state, message: textOf(update.Message) } }),
  };
}

function taskOf(task: Json, node: ClusterNode | undefined): ClusterTask {
  const status = objectOf(task.Status);
  const container = objectOf(status.ContainerStatus);
  return {
    id: textOf(task.ID),
    serviceId: textOf(task.ServiceID),
    slot: numberOf(task.Slot),
    node,
    createdAt: utcTime(textOf(task.CreatedAt)) ?? '',
    state: textOf(status.State),
    since: utcTime(textOf(status.Timestamp)) ?? '',
    desiredState: textOf(task.DesiredState),
    problem: textOf(status.Err),
    exitCode: numberOf(container.ExitCode),
    containerId: textOf(container.ContainerID),
    spec: objectOf(task.Spec),
    json: task,
  };
}
