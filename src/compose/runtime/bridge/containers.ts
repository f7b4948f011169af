/** Containers through the Engine API. */
import { engineFilters } from '../engine/labels.js';
import type { Clock } from '../clock.js';
import { containerOf } from '../engine/inspect.js';
import { listedContainer } from '../engine/listed.js';
import type { EngineContainer, EngineContainers, ListedContainer } from '../engine/engine.js';
import { lookDespiteEnd } from '../engine/just-ended.js';
import { unlessNotFound } from '../errors.js';
import { nameAndTag } from '../image-reference.js';
import { objectOf, objectsOf, textOf, type Json } from '../json.js';
import type { CreatedContainer } from '../records.js';
import type { ContainerSpec } from '../spec.js';
import { chunksOf, secretsOf, type EngineClient } from './client.js';
import { createOptions, endpoint, furtherNetworks, requireImageMounts, unsupported } from './create-options.js';
import { archiveOf, putArchive } from './archives.js';
import { attach, execProcess, startAttached } from './exec.js';
import { containerLogs } from './logs.js';
import { segment, type EngineRequest } from './requests.js';
import { withProfiles } from './security-options.js';
import { statsSample } from './stats.js';
import { processTable } from '../engine/process-table.js';

export function bridgeContainers(client: EngineClient, clock: Clock): EngineContainers {
  const get = (id: string, what: string, signal: AbortSignal | undefined): Promise<unknown> =>
    client.call({ id }, { method: 'GET', path: `/containers/${segment(id)}/${what}`, signal });
  const post = (
    id: string,
    action: string,
    query: NonNullable<EngineRequest['query']>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> =>
    client.call({ id }, { method: 'POST', path: `/containers/${segment(id)}/${action}`, query, signal });

  const inspect = async (id: string, signal?: AbortSignal): Promise<EngineContainer> => {
    const inspection = await lookDespiteEnd(() => get(id, 'json', signal));
    return containerOf(objectOf(inspection));
  };

  /** Omits containers removed in the meantime. */
  async function listed<Container>(
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    describe: (entry: Json) => Promise<Container | undefined>,
  ): Promise<Container[]> {
    const query = { all: true, filters: JSON.stringify(engineFilters(labels)) };
    const entries = objectsOf(await client.call({}, { method: 'GET', path: '/containers/json', query, signal }));
    const found = await Promise.all(entries.map(describe));
    return found.filter((container) => container !== undefined);
  }
  const inspected = ({ Id }: Json, signal?: AbortSignal): Promise<EngineContainer | undefined> =>
    unlessNotFound(inspect(textOf(Id), signal));

  return {
    create: (spec, signal) => create(client, spec, signal),
    inspect,
    // The list lacks exit codes and start times.
    list: (labels, signal) => listed(labels, signal, (entry) => inspected(entry, signal)),
    summaries: (labels, signal) =>
      listed<EngineContainer | ListedContainer>(labels, signal, async (entry) => {
        // Podman's list lacks the health.
        const container = (await client.isPodman(signal)) ? undefined : listedContainer(entry);
        return container ?? inspected(entry, signal);
      }),
    async start(id, signal) {
      await post(id, 'start', {}, signal);
    },
    startAttached: (container, stdin, signal) =>
      startAttached(client, clock, container, stdin, () => inspect(container.id, signal), signal),
    async stop(id, timeoutSeconds, signal) {
      await post(id, 'stop', { t: timeoutSeconds }, signal);
    },
    async kill(id, signalName, signal) {
      await post(id, 'kill', { signal: signalName }, signal);
    },
    async remove(id, { force, volumes }, signal) {
      await remove(client, id, { force, volumes }, signal);
    },
    async rename(id, name, signal) {
      const path = `/containers/${segment(id)}/rename`;
      await client.call({ id, newName: name }, { method: 'POST', path, query: { name }, signal });
    },
    async untilEnded(id, signal) {
      const answer = await lookDespiteEnd(() => post(id, 'wait', { condition: 'not-running' }, signal));
      const code: unknown = objectOf(answer).StatusCode;
      return typeof code === 'number' ? code : undefined;
    },
    logs: (container, options) => containerLogs(client, container, options),
    stats: (id, signal) => statsSample(client, id, signal),
    exec: (id, spec, signal) => execProcess(client, clock, id, spec, signal),
    async top(id, signal) {
      return processTable(objectOf(await get(id, 'top', signal)));
    },
    attach: (container, options) =>
      attach(client, clock, container, options, () => inspect(container.id, options.signal)),
    async pause(id, signal) {
      await post(id, 'pause', {}, signal);
    },
    async unpause(id, signal) {
      await post(id, 'unpause', {}, signal);
    },
    getArchive: (id, path, signal) => archiveOf(client, id, path, signal),
    putArchive: (id, directory, archive, signal) => putArchive(client, id, directory, archive, signal),
    async export(id, signal) {
      const path = `/containers/${segment(id)}/export`;
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
      const answer = await client.call({ id }, { method: 'POST', path: '/commit', query, json: {}, signal });
      return textOf(objectOf(answer).Id).replace(/^sha256:/, '');
    },
    /** Docker runs health checks; Podman relies on systemd timers and does not offer the check through this API. */
    async runHealthcheck(id, signal) {
      if (!(await client.isPodman(signal))) return;
      const path = `/v4.0.0/libpod/containers/${segment(id)}/healthcheck`;
      const answer = await client.stream({ id }, { method: 'GET', path, signal });
      answer.resume();
    },
  };
}

async function create(client: EngineClient, given: ContainerSpec, signal?: AbortSignal): Promise<CreatedContainer> {
  const isPodman = await client.isPodman(signal);
  const spec = isPodman ? forPodman(given) : await withSecurityOptions(given);
  const subject = { newName: spec.name, image: spec.image };
  const about = client.knowing(secretsOf(spec.environment));
  const apiVersion = await client.apiVersion(signal);
  if (spec.mounts?.some(({ type }) => type === 'image') === true) requireImageMounts(apiVersion);
  const { name, platform, ...json } = createOptions(spec);
  const request = { method: 'POST', path: '/containers/create', query: { name, platform }, json, signal } as const;
  const id = textOf(objectOf(await about.call(subject, request)).Id);
  try {
    for (const attachment of furtherNetworks(spec)) {
      const { network } = attachment;
      const path = `/networks/${segment(network)}/connect`;
      const connection = { Container: id, EndpointConfig: endpoint(attachment) };
      await about.call({ id: network }, { method: 'POST', path, json: connection, signal });
    }
  } catch (error) {
    // Remove a container that lacks one of its networks. Report the first error.
    await remove(about, id, { force: true, volumes: true }, undefined).catch(() => undefined);
    throw error;
  }
  return { id, warnings: [...unsupported(spec, apiVersion), ...(isPodman ? unsupportedByPodman(given) : [])] };
}

/** Docker takes the content of a seccomp profile. Podman's socket takes its path, as the podman command does. */
async function withSecurityOptions(spec: ContainerSpec): Promise<ContainerSpec> {
  const { securityOptions } = spec;
  return securityOptions === undefined ? spec : { ...spec, securityOptions: await withProfiles(securityOptions) };
}

/** Podman's socket takes the value of a variable without one from the environment of its process. */
function forPodman({ unsetVariables: _kept, ...spec }: ContainerSpec): ContainerSpec {
  return spec;
}

function unsupportedByPodman({ unsetVariables = [] }: ContainerSpec): string[] {
  if (unsetVariables.length === 0) return [];
  return [`Podman's socket cannot remove variables of the image: ${unsetVariables.join(', ')}.`];
}

async function remove(
  client: EngineClient,
  id: string,
  { force, volumes }: { readonly force: boolean; readonly volumes: boolean },
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/containers/${segment(id)}`;
  await client.call({ id }, { method: 'DELETE', path, query: { force, v: volumes }, signal });
}
