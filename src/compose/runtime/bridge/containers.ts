/** Containers through the Engine API. */
import { engineFilters } from '../engine/labels.js';
import type { Clock } from '../clock.js';
import { containerOf } from '../engine/inspect.js';
import type { EngineContainer, EngineContainers } from '../engine/engine.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { unlessNotFound } from '../errors.js';
import { nameAndTag } from '../image-reference.js';
import { objectOf, textOf } from '../json.js';
import type { CreatedContainer } from '../records.js';
import type { ContainerSpec } from '../spec.js';
import { chunksOf, secretsOf, type EngineClient } from './client.js';
import { createOptions, endpoint, furtherNetworks, unsupported } from './create-options.js';
import { archiveOf, putArchive } from './archives.js';
import { attach, execProcess, startAttached } from './exec.js';
import { containerLogs } from './logs.js';
import { withProfiles } from './security-options.js';
import { statsSample } from './stats.js';
import { processTable } from '../engine/process-table.js';

export function bridgeContainers(client: EngineClient, clock: Clock): EngineContainers {
  const inspect = async (id: string, signal?: AbortSignal): Promise<EngineContainer> => {
    const inspection = await lookDespiteEnd(() =>
      client.call({ id }, signal, (docker) => docker.getContainer(id).inspect(abortable(signal))),
    );
    return containerOf(objectOf(inspection));
  };

  return {
    create: (spec, signal) => create(client, spec, signal),
    inspect,
    async list(labels, signal) {
      const filters = engineFilters(labels);
      const found = await client.call({}, signal, (docker) =>
        docker.listContainers({ all: true, filters, ...abortable(signal) }),
      );
      // The list lacks exit codes and start times. Containers removed in the meantime are omitted.
      const records = await Promise.all(found.map(({ Id }) => unlessNotFound(inspect(Id, signal))));
      return records.filter((record) => record !== undefined);
    },
    async start(id, signal) {
      await client.call({ id }, signal, (docker) => docker.getContainer(id).start(abortable(signal)));
    },
    startAttached: (container, stdin, signal) =>
      startAttached(client, clock, container, stdin, () => inspect(container.id, signal), signal),
    async stop(id, timeoutSeconds, signal) {
      await client.call({ id }, signal, (docker) =>
        docker.getContainer(id).stop({ t: timeoutSeconds, ...abortable(signal) }),
      );
    },
    async kill(id, signalName, signal) {
      await client.call({ id }, signal, (docker) =>
        docker.getContainer(id).kill({ signal: signalName, ...abortable(signal) }),
      );
    },
    async remove(id, { force, volumes }, signal) {
      await client.call({ id }, signal, (docker) =>
        docker.getContainer(id).remove({ force, v: volumes, ...abortable(signal) }),
      );
    },
    async rename(id, name, signal) {
      await client.call({ id, newName: name }, signal, (docker) =>
        docker.getContainer(id).rename({ name, ...abortable(signal) }),
      );
    },
    async untilEnded(id, signal) {
      const answer: unknown = await lookDespiteEnd(() =>
        client.call({ id }, signal, (docker) =>
          docker.getContainer(id).wait({ condition: 'not-running', ...abortable(signal) }),
        ),
      );
      const code: unknown = objectOf(answer).StatusCode;
      return typeof code === 'number' ? code : undefined;
    },
    logs: (container, options) => containerLogs(client, container, options),
    stats: (id, signal) => statsSample(client, id, signal),
    exec: (id, spec, signal) => execProcess(client, clock, id, spec, signal),
    async top(id, signal) {
      const answer = objectOf(
        await client.call({ id }, signal, (docker) => docker.getContainer(id).top(abortable(signal))),
      );
      return processTable(answer);
    },
    attach: (container, stdin, signal) =>
      attach(client, clock, container, stdin, () => inspect(container.id, signal), signal),
    async pause(id, signal) {
      await client.call({ id }, signal, (docker) => docker.getContainer(id).pause(abortable(signal)));
    },
    async unpause(id, signal) {
      await client.call({ id }, signal, (docker) => docker.getContainer(id).unpause(abortable(signal)));
    },
    getArchive: (id, path, signal) => archiveOf(client, id, path, signal),
    putArchive: (id, directory, archive, signal) => putArchive(client, id, directory, archive, signal),
    async export(id, signal) {
      const path = `/containers/${id}/export`;
      return chunksOf(client, await client.stream({ id }, { method: 'GET', path, signal }), signal);
    },
    async commit(id, spec, signal) {
      const [repo, tag] = nameAndTag(spec.reference);
      const query = {
        container: id,
        pause: spec.pause,
        ...(repo !== undefined && { repo }),
        ...(tag !== undefined && { tag }),
        ...(spec.author !== undefined && { author: spec.author }),
        ...(spec.message !== undefined && { comment: spec.message }),
        ...(spec.changes && { changes: spec.changes.join('\n') }),
      };
      const answer: unknown = await client.call({ id }, signal, (docker) =>
        docker.getContainer(id).commit({ ...query, ...abortable(signal) }),
      );
      return textOf(objectOf(answer).Id).replace(/^sha256:/, '');
    },
    /** Docker runs health checks; Podman relies on systemd timers and does not offer the check through this API. */
    async runHealthcheck(id, signal) {
      if (!(await client.isPodman(signal))) return;
      const path = `/v4.0.0/libpod/containers/${id}/healthcheck`;
      const answer = await client.stream({ id }, { method: 'GET', path, signal });
      answer.resume();
    },
  };
}

async function create(client: EngineClient, given: ContainerSpec, signal?: AbortSignal): Promise<CreatedContainer> {
  const spec = await withSecurityOptions(client, given, signal);
  const subject = { newName: spec.name, image: spec.image };
  const about = client.knowing(secretsOf(spec.environment));
  const apiVersion = await client.apiVersion(signal);
  const container = await about.call(subject, signal, (docker) =>
    docker.createContainer({ ...createOptions(spec), ...abortable(signal) }),
  );
  try {
    for (const attachment of furtherNetworks(spec)) {
      await about.call({ id: attachment.network }, signal, (docker) =>
        docker
          .getNetwork(attachment.network)
          .connect({ Container: container.id, EndpointConfig: endpoint(attachment), ...abortable(signal) }),
      );
    }
  } catch (error) {
    // Remove a container that lacks one of its networks. Report the first error.
    await about.call({}, undefined, () => container.remove({ force: true, v: true })).catch(() => undefined);
    throw error;
  }
  return { id: container.id, warnings: unsupported(spec, apiVersion) };
}

/** Docker takes the content of a seccomp profile. Podman's socket takes its path, as the podman command does. */
async function withSecurityOptions(
  client: EngineClient,
  spec: ContainerSpec,
  signal: AbortSignal | undefined,
): Promise<ContainerSpec> {
  const { securityOptions } = spec;
  if (securityOptions === undefined || (await client.isPodman(signal))) return spec;
  return { ...spec, securityOptions: await withProfiles(securityOptions) };
}

function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
