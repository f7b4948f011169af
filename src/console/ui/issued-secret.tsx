import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from './copy-button.js';

export interface IssuedSecretProps {
  readonly secret: string;
  /** What to do if it is lost. */
  readonly ifLost: string;
  readonly onClose: () => void;
}

/** A new secret, which the server does not show again. It is selected, so that the keyboard copies it, too. */
export function IssuedSecret({ secret, ifLost, onClose }: IssuedSecretProps): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, []);
  return (
    <div class="stack">
      <div class="banner warn">
        <p>Copy the secret now. It is not shown again; if it is lost, {ifLost}.</p>
      </div>
      <textarea ref={area} readOnly rows={2} spellcheck={false} aria-label="Secret" value={secret} />
      <div class="actions">
        <CopyButton text={() => secret} done="The secret is copied.">
          Copy
        </CopyButton>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
