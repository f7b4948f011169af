import type { JSX } from 'preact';
import { CopyButton } from '../ui/copy-button.js';
import { download } from '../ui/download.js';

/** New recovery codes, which the server does not show again. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }): JSX.Element {
  const text = codes.join('\n');
  return (
    <div class="stack">
      <div class="banner warn">
        <p>Store these recovery codes now, where your phone is not. They are not shown again.</p>
      </div>
      <p>If you lose the phone, each of them logs you in once.</p>
      <ul class="plain codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <CopyButton text={() => text} done="The codes are copied.">
          Copy
        </CopyButton>
        <button
          type="button"
          onClick={() => {
            download('plumbline-recovery-codes.txt', 'text/plain', `${text}\n`);
          }}
        >
          Download
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
