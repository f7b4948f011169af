/** Reads a list of the REST API of host_a, in smaller pages if the host cannot answer a large one. */
import type { Listing } from '../newest-first.js';
import { readNumberedPage, type NumberedList } from '../numbered-pages.js';
import { pageNumber } from '../page-number.js';
import { readObject, type JsonObject } from '../read.js';
import type { HostARepository } from './repository.js';

type Read = (page: { readonly page: number; readonly per_page: number }) => ReturnType<NumberedList['read']>;

/** The `fetch` of a listing. */
export function restPages(repository: HostARepository, read: Read): Listing<JsonObject>['fetch'] {
  const list = numberedList(repository, read);
  return async (cursor) => {
    const page = pageNumber(cursor);
    const { items, hasNext, skipped } = await readNumberedPage(list, page);
    return { items: items.map((item) => readObject(item, 'item')), next: hasNext ? String(page + 1) : null, skipped };
  };
}

/** A list of the repository. */
export function numberedList({ client, owner, repo }: HostARepository, read: Read): NumberedList {
  return {
    read: (page, perPage) => read({ page, per_page: perPage }),
    probe: () => client.rest('GET /repos/{owner}/{repo}', { owner, repo }),
  };
}
