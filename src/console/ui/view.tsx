import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { timeOfDay } from './moment.js';
import { ProblemNote } from './problem-note.js';
import { troubleOf } from './trouble.js';

/** How long a view waits before it asks again for what it could not get. */
const retryMs = 5000;

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
  const recovers = error !== null && (data !== undefined || troubleOf(error).passes);
  useEffect(() => {
    if (!recovers) return;
    const timer = setInterval(() => void refetch(), retryMs);
    return () => {
      clearInterval(timer);
    };
  }, [recovers, refetch]);
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
    if (error === null) return <Skeleton what={what} />;
    const trouble = troubleOf(error);
    return <ProblemNote trouble={trouble}>{trouble.retry && retry}</ProblemNote>;
  }
  const nothing = empty?.(data) ?? null;
  return (
    <>
      {error !== null && (
        <div class="banner warn" role="status">
          <p>
            <strong>{troubleOf(error).title}.</strong> You see {what} as of {timeOfDay.format(query.dataUpdatedAt)}.
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
