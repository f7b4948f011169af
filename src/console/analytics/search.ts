import { useSearchParams } from 'wouter-preact';
import { withParts, type SearchParts } from './search-parts.js';

/** The query string of the page, and a function that changes parts of it. */
export function useSearchParts(): readonly [URLSearchParams, (parts: SearchParts) => void] {
  const [search, setSearch] = useSearchParams();
  return [
    search,
    (parts) => {
      setSearch((before) => withParts(before, parts));
    },
  ];
}
