/** The states of containers as engines and docker compose name them. */
import type { ContainerRecord } from '../runtime/records.js';

export type State = 'created' | 'running' | 'exited' | NonNullable<ContainerRecord['condition']>;

/** A container that is stopping still runs, and one that was stopped has exited. */
export function stateOf({ status, condition }: Pick<ContainerRecord, 'status' | 'condition'>): State {
  if (condition !== undefined) return condition;
  if (status === 'stopping') return 'running';
  return status === 'stopped' ? 'exited' : status;
}

/** Whether a list without `--all` includes it. */
export function isListedByDefault(state: State): boolean {
  return state === 'running' || state === 'paused' || state === 'restarting';
}
