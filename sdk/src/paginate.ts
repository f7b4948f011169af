import type { AnyResult, DataOf, Failure, Success } from './result.js';
import { unwrap } from './unwrap.js';

interface CursorPage {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

interface PageRequest {
  readonly query?: { readonly cursor?: string | undefined } | undefined;
}

type ItemOf<Result extends AnyResult> = DataOf<Result> extends CursorPage ? DataOf<Result>['items'][number] : never;

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Whether another page follows. */
  readonly hasNext: boolean;
}

/** The items of a list. Each use starts at its first page. */
export interface Items<Item> extends AsyncIterable<Item> {
  /** The pages, each requested when it is needed. */
  pages(): AsyncGenerator<Page<Item>, void, undefined>;
  /** The first items, at most `limit`. @throws TypeError when `limit` is not a whole number */
  toArray(options: { readonly limit: number }): Promise<Item[]>;
}

/**
 * Iterates over all items of a paginated operation. The next page is requested when the last item of the previous page
 * has been consumed.
 *
 * @param operation its replies have `items` and `next_cursor`
 * @param client the client
 * @param request the request for the first page; `query.limit` is the page size
 * @throws PlumblineError for a problem, and the errors of the call
 */
export function paginate<
  Client,
  Request extends PageRequest | undefined,
  Result extends Success<number, CursorPage> | Failure,
>(
  operation: (client: Client, request: Request) => Promise<Result>,
  client: Client,
  request: NonNullable<Request>,
): Items<ItemOf<Result>> {
  async function* pages(): AsyncGenerator<Page<ItemOf<Result>>, void, undefined> {
    let { query } = request;
    for (;;) {
      const result = await operation(client, { ...request, query });
      const { items, next_cursor: cursor } = unwrap<Success<number, CursorPage> | Failure>(result);
      // `Result` has the type of the items.
      yield { items: items as readonly ItemOf<Result>[], hasNext: cursor !== null };
      if (cursor === null) return;
      query = { ...query, cursor };
    }
  }
  async function* all(): AsyncGenerator<ItemOf<Result>, void, undefined> {
    for await (const { items } of pages()) yield* items;
  }
  return {
    pages,
    [Symbol.asyncIterator]: all,
    toArray: async ({ limit }) => {
      if (!Number.isInteger(limit) || limit < 0) throw new TypeError('limit must be a whole number');
      const items: ItemOf<Result>[] = [];
      if (limit === 0) return items;
      for await (const item of all()) if (items.push(item) >= limit) break;
      return items;
    },
  };
}
