import type { JSX } from 'preact';

export interface RowButtonProps {
  /** What it does: "Delete". */
  readonly label: string;
  /** The item of its row, for screen readers: several rows have the same buttons. */
  readonly of: string;
  readonly isDanger?: boolean;
  readonly onClick: () => void;
}

/** A button in a row of a list. */
export function RowButton({ label, of, isDanger = false, onClick }: RowButtonProps): JSX.Element {
  return (
    <button type="button" class={isDanger ? 'danger' : ''} aria-label={`${label} ${of}`} onClick={onClick}>
      {label}
    </button>
  );
}
