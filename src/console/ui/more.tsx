import type { UseInfiniteQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';

export interface MoreProps {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  readonly children: ComponentChildren;
}

/** A button that loads the next page of a list, while there is one. */
export function More({ query, children }: MoreProps): JSX.Element | null {
  if (!query.hasNextPage) return null;
  return (
    <div class="actions">
      <button
        type="button"
        aria-disabled={query.isFetchingNextPage}
        onClick={() => {
          if (!query.isFetchingNextPage) void query.fetchNextPage();
        }}
      >
        {children}
      </button>
    </div>
  );
}
