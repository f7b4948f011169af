import type { JSX } from 'preact';

export interface SegmentsProps<Value extends string> {
  /** What is chosen here, for screen readers. */
  readonly label: string;
  /** The values with what each is called. */
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A row of buttons of which one is on. */
export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>): JSX.Element {
  const entries = Object.entries(options) as [Value, string][]; // keys of a record are its type's keys
  return (
    <div class="segments" role="group" aria-label={label}>
      {entries.map(([each, text]) => (
        <button
          type="button"
          key={each}
          aria-pressed={each === value}
          onClick={() => {
            onChange(each);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
