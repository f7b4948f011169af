/**
 * The services of a cluster. Such an engine starts, replaces and moves containers itself: it is given services, and its
 * containers can only be read.
 */
import type Docker from 'dockerode';
import type { Abortable, LabelFilter } from './call-options.js';
import type { Json } from './json.js';

export interface ClusterOperations {
  /** Changes are accepted and not made, so they must not be awaited. */
  readonly isDryRun?: true;
  readonly services: {
    list(options?: LabelFilter): Promise<readonly ClusterService[]>;
    /**
     * Rejects with alreadyExists when the name is taken.
     *
     * @returns the warnings of the engine
     */
    create(spec: Docker.ServiceSpec, options?: Abortable): Promise<readonly string[]>;
    /** Replaces the specification that was read. Rejects with backendFailure when it has changed in the meantime. */
    update(
      service: Pick<ClusterService, 'id' | 'version'>,
      spec: Docker.ServiceSpec | Json,
      options?: Abortable,
    ): Promise<readonly string[]>;
    /** Also ends its containers, which takes until `list` of containers no longer has them. */
    remove(id: string, options?: Abortable): Promise<void>;
  };
  /** Contents that services mount. They cannot be changed, only replaced. */
  readonly files: Readonly<Record<FileKind, FileOperations>>;
  /**
   * The state of the containers of services, also of those that are being stopped.
   *
   * @param labels of the services
   */
  tasks(options?: LabelFilter): Promise<readonly ClusterTask[]>;
  /** The image with its current digest in the registry, so that every node runs the same; undefined if unavailable. */
  resolveImage(reference: string, options?: Abortable): Promise<string | undefined>;
}

export type FileKind = 'secrets' | 'configs';

export interface FileOperations {
  list(options?: LabelFilter): Promise<readonly ClusterFile[]>;
  /** Rejects with alreadyExists when the name is taken. */
  create(file: Omit<ClusterFile, 'id'> & { readonly content: Uint8Array }, options?: Abortable): Promise<ClusterFile>;
  /** Rejects with backendFailure while a service uses it. */
  remove(id: string, options?: Abortable): Promise<void>;
}

export interface ClusterFile {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ClusterService {
  readonly id: string;
  /** Rises with each change. */
  readonly version: number;
  readonly name: string;
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Json;
  /** The published ports, as the engine assigned them. */
  readonly endpointPorts: readonly Json[];
  /** Where a rollback leads to. Empty for a service that was never updated. */
  readonly previousSpec: Json;
  /** The latest update; absent if nothing had to be replaced. */
  readonly update?: { readonly state: string; readonly message: string };
}

export interface ClusterNode {
  readonly id: string;
  readonly hostname: string;
  readonly address: string;
  /** Whether the managers hear from it. */
  readonly isUp: boolean;
}

export interface ClusterTask {
  readonly id: string;
  readonly serviceId: string;
  /** The number of the replica; 0 for a service that runs on every node. */
  readonly slot: number;
  /** Undefined for a task that has none yet. */
  readonly node: ClusterNode | undefined;
  readonly createdAt: string;
  readonly state: string;
  /** Since when it is in this state. */
  readonly since: string;
  readonly desiredState: string;
  /** What keeps it from running, or ended it. */
  readonly problem: string;
  readonly exitCode: number;
  /** The id of the container on the node; empty before there is one. */
  readonly containerId: string;
  readonly spec: Json;
  readonly json: Json;
}
