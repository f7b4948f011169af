import type { ComponentChildren, JSX } from 'preact';
import { Labelled, useNotes } from './form.js';

export interface SelectProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  /** The values with what each is called. */
  readonly options: Readonly<Partial<Record<Value, string>>>;
  readonly value?: Value;
  readonly hint?: ComponentChildren;
  readonly onChange?: (value: Value) => void;
}

/** A choice of one of a few values. */
export function Select<Value extends string>({
  name,
  label,
  options,
  value,
  hint,
  onChange,
}: SelectProps<Value>): JSX.Element {
  const entries = Object.entries(options) as [Value, string][]; // keys of a record are its type's keys
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          onChange={({ currentTarget }) => {
            const chosen = entries[currentTarget.selectedIndex]?.[0];
            if (chosen !== undefined) onChange?.(chosen);
          }}
        >
          {entries.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export interface NumberFieldProps {
  readonly name: string;
  readonly label: string;
  /** Default: 0. */
  readonly min?: number;
  readonly max: number;
  /** `any` allows fractions (default: whole numbers). */
  readonly step?: 'any';
  readonly value?: number;
  readonly hint?: ComponentChildren;
}

/** A number, which must be entered. */
export function NumberField(props: NumberFieldProps): JSX.Element {
  const { name, label, min = 0, max, step, value, hint } = props;
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => (
        <input {...attributes} type="number" min={min} max={max} step={step} defaultValue={value} required />
      )}
    </Labelled>
  );
}

export interface LinesProps {
  readonly name: string;
  readonly label: string;
  readonly value?: readonly string[];
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  /** Whether at least one is needed (default: true). */
  readonly required?: boolean;
}

/** Several texts, one a line. `linesOf` reads them. */
export function Lines({ name, label, value = [], hint, placeholder, required = true }: LinesProps): JSX.Element {
  const rows = Math.min(12, Math.max(4, value.length + 1));
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          spellcheck={false}
          placeholder={placeholder}
          defaultValue={value.join('\n')}
          required={required}
        />
      )}
    </Labelled>
  );
}

/** The texts that were entered in `Lines`, without empty lines and repetitions. */
export function linesOf(text: string | undefined): string[] {
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== '');
}

export interface ChoicesProps<Value extends string> {
  readonly name: string;
  readonly label: string;
  /** The values with what each is called. */
  readonly options: Readonly<Partial<Record<Value, string>>>;
  readonly value: readonly Value[];
  /** Whether each choice starts a new line, as long texts need it (default: false). */
  readonly isList?: boolean;
  readonly onChange: (value: readonly Value[]) => void;
}

/** A choice of several of a few values. */
export function Choices<Value extends string>({
  name,
  label,
  options,
  value,
  isList = false,
  onChange,
}: ChoicesProps<Value>): JSX.Element {
  const { attributes, notes } = useNotes(name, undefined);
  const entries = Object.entries(options) as [Value, string][]; // keys of a record are its type's keys
  return (
    <fieldset class="field" aria-describedby={attributes['aria-describedby']}>
      <legend>{label}</legend>
      <div class={isList ? 'choices list' : 'choices'}>
        {entries.map(([each, text]) => (
          <label class="choice" key={each}>
            <input
              type="checkbox"
              name={name}
              value={each}
              checked={value.includes(each)}
              aria-invalid={attributes['aria-invalid']}
              onChange={({ currentTarget }) => {
                onChange(currentTarget.checked ? [...value, each] : value.filter((other) => other !== each));
              }}
            />
            {text}
          </label>
        ))}
      </div>
      {notes}
    </fieldset>
  );
}
