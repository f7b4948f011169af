import { PlumblineError } from '@plumbline/sdk';
import type { UseMutationResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { ProblemDetails } from '../ui/problem-note.js';
import { troubleOf } from '../ui/trouble.js';

/** Why something was not done, with the entry of the error catalogue; nothing where it was done. */
export function ActionFailed({ mutation }: { mutation: Pick<UseMutationResult, 'error'> }): JSX.Element | null {
  const { error } = mutation;
  if (error === null) return null;
  const trouble = troubleOf(error);
  const entry = entryOf(error);
  return (
    <div class="banner bad" role="alert">
      <div class="stack tight">
        {entry !== null && (
          <p>
            <code>{entry}</code>
          </p>
        )}
        <p class="break">{trouble.message}</p>
        <ProblemDetails trouble={trouble} />
      </div>
    </div>
  );
}

/** `RuntimeError.imageNotFound`; null for a problem that is not in the catalogue. */
function entryOf(error: unknown): string | null {
  if (!(error instanceof PlumblineError)) return null;
  const { problem } = error;
  const family: unknown = Reflect.get(problem, 'error');
  const name: unknown = Reflect.get(problem, 'case');
  return typeof family === 'string' && typeof name === 'string' ? `${family}.${name}` : null;
}
