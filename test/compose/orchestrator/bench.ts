/** A project on the mock backend, in virtual time. */
import { mockBackend, type Mock } from '../../../src/compose/runtime/mock/mock.js';
import type { MockPrograms } from '../../../src/compose/runtime/mock/process.js';
import type { ContainerRecord } from '../../../src/compose/runtime/records.js';
import { observeProject } from '../../../src/compose/orchestrator/actual-state.js';
import type { Orchestration, Progress } from '../../../src/compose/orchestrator/orchestration.js';
import { up, type Loaded, type UpOptions, type UpResult } from '../../../src/compose/orchestrator/up.js';
import { loadProject } from '../../../src/compose/model/loader/load.js';
import type { ComposeFiles } from '../../../src/compose/model/loader/files.js';
import { transientStopMarks, type StopMarks } from '../../../src/compose/runtime/state.js';
import { virtualClock } from './virtual-clock.js';

export interface Bench extends Mock {
  readonly orchestration: Orchestration;
  readonly progress: Progress[];
  up(file: string | Loaded, options?: UpOptions): Promise<UpResult>;
  containers(): Promise<readonly ContainerRecord[]>;
  /** Status by container name. */
  statuses(): Promise<Record<string, string>>;
  /** What was done to containers since the last time this was asked. */
  actions(): string[];
  warnings(): string[];
}

export const PROJECT = 'shop';

export function bench(
  programs: MockPrograms = () => undefined,
  signal = new AbortController().signal,
  marks: StopMarks = transientStopMarks(),
): Bench {
  const clock = virtualClock();
  const mock = mockBackend({ clock, programs, marks });
  const progress: Progress[] = [];
  const orchestration: Orchestration = {
    backend: mock.backend,
    clock,
    signal,
    report: (each) => progress.push(each),
    parallel: 4,
  };
  let read = 0;
  const containers = async (): Promise<readonly ContainerRecord[]> =>
    (await observeProject({ ...orchestration, signal: new AbortController().signal }, PROJECT)).map(
      ({ container }) => container,
    );
  return {
    ...mock,
    orchestration,
    progress,
    up: async (file, options) => up(orchestration, typeof file === 'string' ? await loaded(file) : file, options),
    containers,
    statuses: async () => Object.fromEntries((await containers()).map(({ name, status }) => [name, status]).sort()),
    actions: () => {
      const fresh = progress.slice(read);
      read = progress.length;
      return fresh.flatMap((each) =>
        each.kind === 'status' && each.resource === 'Container' && each.done ? [`${each.status} ${each.name}`] : [],
      );
    },
    warnings: () => progress.flatMap((each) => (each.kind === 'warning' ? [each.message] : [])),
  };
}

/** A compose file as `loadProject` answers it, from memory. */
export async function loaded(file: string, options: { readonly services?: readonly string[] } = {}): Promise<Loaded> {
  const path = '/work/compose.yaml';
  const fileAccess = memoryFiles({ [path]: file });
  return loadProject({
    environment: {},
    workingDirectory: '/work',
    files: [path],
    projectName: PROJECT,
    fileAccess,
    ...options,
  });
}

function memoryFiles(files: Readonly<Record<string, string>>): ComposeFiles {
  return {
    readText: (file) => Promise.resolve(files[file]),
    isFile: (file) => Promise.resolve(Object.hasOwn(files, file)),
    readStandardInput: () => Promise.resolve(''),
  };
}
