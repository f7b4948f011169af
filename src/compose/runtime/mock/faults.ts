/** Makes operations of a backend fail on demand. */
import type { RuntimeError, TerminalError } from '../errors.js';
import type { Backend } from '../runtime.js';

/** Operations by their names in `notSupported`. */
const names = {
  system: { ping: 'ping', version: 'version', info: 'info', events: 'events' },
  containers: {
    create: 'createContainer',
    start: 'start',
    startAttached: 'startAttached',
    stop: 'stop',
    kill: 'kill',
    restart: 'restart',
    wait: 'wait',
    remove: 'removeContainer',
    inspect: 'inspectContainer',
    list: 'listContainers',
    summaries: 'listContainers',
    logs: 'logs',
    stats: 'stats',
    followStats: 'followStats',
    exec: 'exec',
    top: 'top',
    port: 'port',
    putFiles: 'putFiles',
    attach: 'attach',
    pause: 'pause',
    unpause: 'unpause',
    getArchive: 'getArchive',
    putArchive: 'putArchive',
    export: 'export',
    commit: 'commit',
    watchHealth: 'watchHealth',
  },
  images: {
    list: 'listImages',
    inspect: 'inspectImage',
    pull: 'pull',
    push: 'push',
    build: 'build',
    remove: 'removeImage',
  },
  volumes: { create: 'createVolume', list: 'listVolumes', inspect: 'inspectVolume', remove: 'removeVolume' },
  networks: { create: 'createNetwork', list: 'listNetworks', inspect: 'inspectNetwork', remove: 'removeNetwork' },
  secrets: { create: 'createSecret', list: 'listSecrets', inspect: 'inspectSecret', remove: 'removeSecret' },
  internal: { ensureNetwork: 'ensureNetwork', disconnect: 'disconnect', awaitExit: 'awaitExit', rename: 'rename' },
} as const satisfies {
  readonly [Group in Exclude<keyof Backend, 'conformer' | 'cluster'>]: Readonly<
    Record<Exclude<keyof Backend[Group], 'networks' | 'requireImageMounts'>, string>
  >;
};

type ValueOf<T> = T[keyof T];
export type OperationName = { [Group in keyof typeof names]: ValueOf<(typeof names)[Group]> }[keyof typeof names];

export interface Faults {
  /**
   * The next `times` calls (default 1; Infinity until `clear`) of the operation reject with the error. With `id`, only
   * calls whose first argument is that id, name or reference, or a specification with that name.
   */
  fail(
    operation: OperationName,
    error: RuntimeError | TerminalError,
    options?: { readonly times?: number; readonly id?: string },
  ): void;
  clear(): void;
}

interface Fault {
  readonly error: RuntimeError | TerminalError;
  readonly id: string | undefined;
  left: number;
}

export function withFaults(backend: Backend): { readonly backend: Backend; readonly faults: Faults } {
  const planned = new Map<string, Fault[]>();

  const check = (operation: string, subject: unknown): void => {
    const about = typeof subject === 'object' && subject !== null && 'name' in subject ? subject.name : subject;
    const fault = planned.get(operation)?.find(({ left, id }) => left > 0 && (id === undefined || id === about));
    if (fault === undefined) return;
    fault.left--;
    throw fault.error;
  };

  /** Wraps each operation of a group with a check for planned faults. */
  function guarded<Group extends object>(group: Group, operations: Readonly<Record<string, string>>): Group {
    const wrapped = Object.entries(group).map(([method, act]) => {
      const operation = operations[method];
      // `internal.networks` is a nested group. The orchestrator's faults use the same names.
      if (typeof act !== 'function') return [method, guarded(act as object, names.networks)];
      return [
        method,
        // eslint-disable-next-line @typescript-eslint/require-await -- a planned fault must reject, not throw
        async (...args: unknown[]) => {
          if (operation !== undefined) check(operation, args[0]);
          return (act as (...all: unknown[]) => unknown)(...args);
        },
      ];
    });
    // Every method is replaced by a wrapper with the same signature.
    return Object.fromEntries(wrapped) as Group;
  }

  return {
    backend: {
      conformer: backend.conformer,
      system: guarded(backend.system, names.system),
      containers: guarded(backend.containers, names.containers),
      images: guarded(backend.images, names.images),
      volumes: guarded(backend.volumes, names.volumes),
      networks: guarded(backend.networks, names.networks),
      secrets: guarded(backend.secrets, names.secrets),
      internal: guarded(backend.internal, names.internal),
    },
    faults: {
      fail(operation, error, { times = 1, id } = {}) {
        planned.set(operation, [...(planned.get(operation) ?? []), { error, id, left: times }]);
      },
      clear: () => {
        planned.clear();
      },
    },
  };
}
