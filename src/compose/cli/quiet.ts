/** Omits parts of the progress of a command. Warnings are kept. */
import type { Orchestration, Progress } from '../orchestrator/orchestration.js';

export interface Quiet {
  readonly quietPull?: boolean;
  readonly quietBuild?: boolean;
  /** No progress at all. */
  readonly quiet?: boolean;
}

export function quieter(orchestration: Orchestration, flags: Quiet): Orchestration {
  const isLeftOut = (progress: Progress): boolean => {
    if (progress.kind === 'warning') return false;
    if (flags.quiet === true) return true;
    if (progress.kind !== 'line') return false;
    if (progress.about === 'build') return flags.quietBuild === true;
    return progress.about === 'pull' && flags.quietPull === true;
  };
  const { report } = orchestration;
  return {
    ...orchestration,
    report: (progress) => {
      if (!isLeftOut(progress)) report(progress);
    },
  };
}
