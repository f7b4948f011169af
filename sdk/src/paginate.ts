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
 * Goes through all items of a paged operation; the next page is asked for when the last item of the one before has
 * been taken.
 *
 * @param operation one whose replies hold `items` and `next_cursor`
 * @param client the client to call it with
 * @param request the request for the first page; `query.limit` is the size of each page
 * @throws PlumblineError when a page is answered with a problem, and whatever the call throws
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
    yield* page.items as readonly ItemOf<Result>[]; // `Result` says what its pages hold
    cursor = page.next_cursor;
  } while (cursor !== null);
}
