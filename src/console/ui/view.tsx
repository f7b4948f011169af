import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { timeOfDay } from './moment.js';
import { ProblemNote } from './problem-note.js';
import { useRecovery } from './recovery.js';
import { troubleOf } from './trouble.js';

export interface EmptyState {
  /** What is missing. */
  readonly title: string;
  readonly text: string;
  /** One button or link that mends it. */
  readonly action?: ComponentChildren;
}

export interface ViewProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isFetching' | 'refetch' | 'dataUpdatedAt'>;
  /** What is shown, as in "Loading members". */
  readonly what: string;
  /** Tells what to show when there is nothing; null: there is something. */
  readonly empty?: (data: T) => EmptyState | null;
  readonly children: (data: T) => ComponentChildren;
}

/** What depends on a reply, in one of four states: loading, empty, problem, or the data (stale while asking fails). */
export function View<T>({ query, what, empty, children }: ViewProps<T>): JSX.Element {
  const { data, error, refetch } = query;
  const trouble = error === null ? null : troubleOf(error);
  // Data that are shown already are worth asking for again, whatever the trouble is.
  useRecovery(trouble === null || data === undefined ? trouble : { ...trouble, passes: true }, refetch);
  const retry = (
    <button
      type="button"
      onClick={() => {
        void refetch();
      }}
      aria-disabled={query.isFetching}
    >
      Try again
    </button>
  );
  if (data === undefined) {
    if (trouble === null) return <Skeleton what={what} />;
    return (
      <ProblemNote trouble={trouble}>
        {trouble.passes && <p class="muted">The console tries again by itself.</p>}
        {trouble.retry && retry}
      </ProblemNote>
    );
  }
  const nothing = empty?.(data) ?? null;
  return (
    <>
      {trouble !== null && (
        <div class="banner warn" role="status">
          <p>
            <strong>{trouble.title}.</strong> You see {what} as of {timeOfDay.format(query.dataUpdatedAt)}.
          </p>
          {retry}
        </div>
      )}
      {nothing === null ? children(data) : <Empty {...nothing} />}
    </>
  );
}

/** Grey lines in place of what is being loaded. They appear after 200 ms. */
export function Skeleton({ what }: { what: string }): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span />
      <span />
      <span />
      <p class="visually-hidden">Loading {what}</p>
    </div>
  );
}

/** What is missing, and one way to mend it. */
export function Empty({ title, text, action }: EmptyState): JSX.Element {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      <p class="muted">{text}</p>
      {action}
    </div>
  );
}
