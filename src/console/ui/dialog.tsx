import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  /** Called when it was closed, also by Esc. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: the browser's own, which keeps the focus inside and closes on Esc. */
export function Dialog({ title, open, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the browser paints: a key pressed right after the one that opened the dialog belongs to it.
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  // Esc closes through the state. The browser's own way ends with a late event: a key that opens the dialog before that event
  // would be lost.
  const cancel = (event: Event): void => {
    if (event.target !== event.currentTarget) return; // somebody leaves the choice of a file
    event.preventDefault();
    onClose();
  };
  // The browser closes on a second Esc by itself. After a call of `close`, the dialog may be open again.
  const closed = (): void => {
    if (dialog.current?.open !== true) onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancel} onClose={closed}>
      {open && (
        <div>
          <h2 id={id}>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** Leaves a dialog without a change. */
export function CancelButton({ onClick }: { onClick: () => void }): JSX.Element {
  return (
    <button type="button" onClick={onClick}>
      Cancel
    </button>
  );
}

export interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  /** What the button that does it says. */
  readonly button: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, text, button, open, onClose, onConfirm }: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <p>{text}</p>
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {button}
        </button>
        <CancelButton onClick={onClose} />
      </div>
    </Dialog>
  );
}
