import type { JSX } from 'preact';
import { Link } from 'wouter-preact';

/** The product's name and sign, which lead to the first page. */
export function Brand(): JSX.Element {
  return (
    <Link href="/" class="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1d5fb8" />
        <path d="M16 5v11" stroke="#fff" stroke-width="2.5" stroke-linecap="round" />
        <path d="M11 15h10l-5 12z" fill="#fff" />
      </svg>
      Plumbline
    </Link>
  );
}
