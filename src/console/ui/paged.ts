import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/preact-query';

/** The part of a query string that asks for a page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

interface PagedQuery<Page> {
  readonly queryKey: readonly unknown[];
  readonly pageSize: number;
  readonly load: (page: PageQuery, signal: AbortSignal) => Promise<Page>;
}

/** A list of the Platform API, page by page. */
export function usePaged<Page extends { readonly next_cursor: string | null }>({
  queryKey,
  pageSize,
  load,
}: PagedQuery<Page>): UseInfiniteQueryResult<InfiniteData<Page>> {
  return useInfiniteQuery({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => load({ limit: pageSize, ...(cursor !== '' && { cursor }) }, signal),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}
