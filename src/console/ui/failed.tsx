import type { UseMutationResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { ProblemDetails } from './problem-note.js';
import { troubleOf } from './trouble.js';

/** Why a change that a button asked for was not made; nothing where it was. */
export function Failed({ mutation }: { mutation: Pick<UseMutationResult, 'error'> }): JSX.Element | null {
  if (mutation.error === null) return null;
  const trouble = troubleOf(mutation.error);
  return (
    <div class="banner bad" role="alert">
      <div class="stack">
        <p>
          {trouble.message} {trouble.advice}
        </p>
        <ProblemDetails trouble={trouble} />
      </div>
    </div>
  );
}
