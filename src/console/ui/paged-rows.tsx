import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { More } from './more.js';
import { View, type EmptyState } from './view.js';

export interface PagedRowsProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  /** What is listed, as in "Loading the service tokens". */
  readonly what: string;
  /** Names the list. */
  readonly label: string;
  /** Shown when there are no items. */
  readonly empty: EmptyState;
  /** The label of the button that loads the next page. */
  readonly more: string;
  /** Renders an item as a row. */
  readonly children: (item: Item) => ComponentChildren;
}

/** A list of the Platform API, one row per item, page by page. */
export function PagedRows<Item>({ query, what, label, empty, more, children }: PagedRowsProps<Item>): JSX.Element {
  return (
    <View query={query} what={what} empty={({ pages }) => (pages.some(({ items }) => items.length > 0) ? null : empty)}>
      {({ pages }) => (
        <>
          <ul class="rows" aria-label={label}>
            {pages.flatMap(({ items }) => items).map(children)}
          </ul>
          <More query={query}>{more}</More>
        </>
      )}
    </View>
  );
}
