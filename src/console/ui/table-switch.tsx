import type { JSX } from 'preact';

interface TableSwitchProps {
  readonly asTable: boolean;
  /** What the button shows again instead of the table. */
  readonly back: string;
  readonly onChange: (asTable: boolean) => void;
}

/** Shows a chart as a table, and back. */
export function TableSwitch({ asTable, back, onChange }: TableSwitchProps): JSX.Element {
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={asTable}
      onClick={() => {
        onChange(!asTable);
      }}
    >
      {asTable ? back : 'As a table'}
    </button>
  );
}
