import type { Schemas } from '../../../../generated/compose/operations.js';
import { LABELS } from '../../orchestrator/labels.js';
import type { ContainerRecord, HealthRecord } from '../../runtime/records.js';

/** A container in the form of replies. */
export function containerBody(record: ContainerRecord): Schemas['Container'] {
  return {
    id: record.id,
    name: record.name,
    image: record.image,
    image_id: record.imageId,
    status: record.status,
    created_at: record.createdAt,
    started_at: record.startedAt ?? null,
    // A container that restarts counts as running.
    finished_at: record.status === 'running' ? null : (record.finishedAt ?? null),
    exit_code: record.status === 'running' ? null : (record.exitCode ?? null),
    out_of_memory: record.outOfMemory,
    restart_count: record.restartCount,
    health: record.health === undefined ? null : healthBody(record.health),
    project: record.labels[LABELS.project] ?? null,
    service: record.labels[LABELS.service] ?? null,
    labels: { ...record.labels },
    command: [...record.command],
    entrypoint: [...record.entrypoint],
    environment: { ...record.environment },
    working_directory: record.workingDirectory,
    user: record.user,
    hostname: record.hostname,
    tty: record.tty,
    stop_signal: record.stopSignal ?? null,
    ports: record.ports.map(({ containerPort, protocol, hostAddress, hostPort }) => ({
      container_port: containerPort,
      protocol,
      host_address: hostAddress,
      host_port: hostPort,
    })),
    mounts: record.mounts.map(({ type, source = null, target, readOnly }) => ({
      type,
      source,
      target,
      read_only: readOnly,
    })),
    networks: record.networks.map((endpoint) => ({
      network: endpoint.network,
      aliases: [...endpoint.aliases],
      ipv4_address: endpoint.ipv4Address ?? null,
      ipv6_address: endpoint.ipv6Address ?? null,
      mac_address: endpoint.macAddress ?? null,
    })),
  };
}

function healthBody({ status, failingStreak, checkedAt, output }: HealthRecord): Schemas['Health'] {
  return { status, failing_streak: failingStreak, checked_at: checkedAt ?? null, output: output ?? null };
}
