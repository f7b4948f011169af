import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Schemas } from '@plumbline/sdk/platform';
import { Failed } from '../ui/failed.js';
import { askForPasskey, hasPasskeys } from './passkeys.js';

export interface PasskeyButtonProps {
  readonly label: string;
  /** Sends the proof. Throws when the server refuses it. */
  readonly send: (proof: Schemas['PasskeyProof']) => Promise<void>;
}

/** Proves the person by a passkey; nothing where the browser has none for this page. */
export function PasskeyButton({ label, send }: PasskeyButtonProps): JSX.Element | null {
  const proof = useMutation({
    mutationFn: async () => {
      await send(await askForPasskey());
    },
  });
  if (!hasPasskeys()) return null;
  return (
    <div class="stack">
      <div class="actions">
        <button
          type="button"
          aria-disabled={proof.isPending}
          onClick={() => {
            if (!proof.isPending) proof.mutate();
          }}
        >
          {label}
        </button>
      </div>
      <Failed mutation={proof} />
    </div>
  );
}
