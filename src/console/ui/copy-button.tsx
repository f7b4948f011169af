import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from './toasts.js';

export interface CopyButtonProps {
  /** What is copied; null: there is nothing to copy any more. */
  readonly text: () => Promise<string | null> | string;
  /** Said afterwards. */
  readonly done: string;
  /** Names what is copied, where several buttons say the same. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** Copies a text. Where the browser allows no access to the clipboard, the text is shown and selected instead. */
export function CopyButton({ text, done, label, children }: CopyButtonProps): JSX.Element {
  const [shown, setShown] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const copied = await text();
    if (copied === null) return;
    try {
      await navigator.clipboard.writeText(copied); // throws also where there is no clipboard: without TLS
      announce(done);
    } catch {
      setShown(copied);
    }
  };
  return (
    <>
      <button type="button" aria-label={label} onClick={() => void copy()}>
        {children}
      </button>
      {shown !== null && (
        <textarea
          readOnly
          rows={4}
          aria-label="Copy this text"
          value={shown}
          ref={(area) => {
            area?.select();
          }}
        />
      )}
    </>
  );
}
