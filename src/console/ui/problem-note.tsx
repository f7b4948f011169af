import type { ComponentChildren, JSX } from 'preact';
import type { Trouble } from './trouble.js';

/** A problem: what happened, what to do, and the request id under details. */
export function ProblemNote({ trouble, children }: { trouble: Trouble; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="problem" role="alert">
      <h2>{trouble.title}</h2>
      <p>{trouble.message}</p>
      {trouble.advice !== '' && <p class="muted">{trouble.advice}</p>}
      {children}
      <ProblemDetails trouble={trouble} />
    </div>
  );
}

/** Request id and explanation, folded away. */
export function ProblemDetails({ trouble }: { trouble: Trouble }): JSX.Element | null {
  if (trouble.requestId === null && trouble.page === null) return null;
  return (
    <details class="small">
      <summary>Details</summary>
      {trouble.requestId !== null && (
        <p>
          Request id: <code>{trouble.requestId}</code>
        </p>
      )}
      {trouble.page !== null && (
        <p>
          <a href={trouble.page} target="_blank" rel="noopener">
            About this problem
          </a>
        </p>
      )}
    </details>
  );
}
