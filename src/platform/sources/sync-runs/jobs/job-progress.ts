import type { SyncProgress } from '../../../../sync/dependencies.js';
import type { JobPart } from './job-parts.js';
import { failuresOf, type JobReport, type StepResult, type SyncJob } from './sync-job.js';

/** Computes a job's progress from its steps and the reports of the current step. */
export interface JobProgress {
  /** Reports how many repositories a pattern matches. */
  counted(selected: string, repositories: number): void;
  /** @param isLast whether this is the last step of its repositories @returns the step's progress callback */
  stepBegun(isLast: boolean): SyncProgress;
  /** Called when the step has been added to the steps. */
  stepEnded(): void;
}

/** @param steps the finished steps; read whenever another one has finished */
export function createJobProgress(
  job: SyncJob,
  parts: readonly JobPart[],
  steps: ReadonlyMap<string, StepResult>,
  report: Pick<JobReport, 'progress' | 'note'>,
): JobProgress {
  const counts = new Map(parts.filter(({ isPattern }) => !isPattern).map(({ selected }) => [selected, 1]));
  let records = job.recordsBefore;
  /** Counts of the current step. */
  let stored = new Map<string, number>();
  let finished: readonly (string | null)[] = [];
  const endedRepositories = (): boolean[] => parts.flatMap((part) => endedOf(part, job, [...steps.values()]));
  let ended = endedRepositories();

  const tell = (): void => {
    const totals = parts.map(({ selected }) => counts.get(selected) ?? null);
    const failed = ended.filter((isFailed) => isFailed).length + finished.filter((error) => error !== null).length;
    report.progress({
      repositories_total: totals.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0),
      repositories_done: ended.length + finished.length - failed,
      repositories_failed: failed,
      records: records + sum(stored.values()),
    });
  };

  return {
    counted: (selected, repositories) => {
      counts.set(selected, repositories);
      tell();
    },
    stepBegun: (isLast) => ({
      pageStored: ({ name, records: byTable }) => {
        stored.set(name, sum(Object.values(byTable)));
        tell();
      },
      repositoryFinished: ({ error }) => {
        if (isLast) finished = [...finished, error];
        tell();
      },
      note: report.note,
    }),
    stepEnded: () => {
      records += sum(stored.values());
      stored = new Map();
      finished = [];
      ended = endedRepositories();
      tell();
    },
  };
}

/** For each repository of a part without remaining steps: whether one of its steps has failed. */
function endedOf({ selected, isPattern }: JobPart, job: SyncJob, all: readonly StepResult[]): boolean[] {
  const steps = all.filter((step) => step.selected === selected);
  if (steps.length < job.targets.length) return [];
  const failed = new Set(steps.flatMap(failuresOf).map(({ name }) => name));
  if (!isPattern) return [failed.size > 0];
  const names = new Set(steps.flatMap(({ repositories }) => repositories.map(({ name }) => name)));
  return [...names].map((name) => failed.has(name));
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0);
}
