import type { AnyResult, DataOf, Failure, Success } from './result.js';
import { unwrap } from './unwrap.js';

interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

interface PageRequest {
  readonly query?: { readonly cursor?: string } | undefined;
}

type ItemOf<Result extends AnyResult> = DataOf<Result> extends Page ? DataOf<Result>['items'][number] : never;

/**
 * Iterates over all items of a paginated operation. The next page is requested when the last item of the previous page
 * has been consumed.
 *
 * @param operation its replies have `items` and `next_cursor`
 * @param client the client
 * @param request the request for the first page; `query.limit` is the page size
 * @throws PlumblineError for a problem, and the errors of the call
 */
export async function* paginate<
  Client,
  Request extends PageRequest | undefined,
  Result extends Success<number, Page> | Failure,
>(
  operation: (client: Client, request: Request) => Promise<Result>,
  client: Client,
  request: NonNullable<Request>,
): AsyncGenerator<ItemOf<Result>, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const query = cursor === undefined ? request.query : { ...request.query, cursor };
    const page: Page = unwrap<Success<number, Page> | Failure>(await operation(client, { ...request, query }));
    yield* page.items as readonly ItemOf<Result>[]; // `Result` has the type of the items
    cursor = page.next_cursor;
  } while (cursor !== null);
}
