import type { AnyResult, DataOf, Failure } from '@plumbline/sdk';
import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { useCountdown } from './countdown.js';
import { ProblemDetails } from './problem-note.js';
import { retryAfter, troubleOf, troubleOfProblem, type Trouble } from './trouble.js';

/** What was entered, by the names of the fields. A field that is left empty is absent. */
export type Values = Readonly<Record<string, string>>;

export interface FormProps<Result extends AnyResult> {
  /** Sends what was entered. */
  readonly send: (values: Values) => Promise<Result>;
  /** Finds what is wrong before anything is sent: messages by the names of the fields. */
  readonly check?: (values: Values) => Readonly<Record<string, readonly string[]>>;
  /** Called with the data of a success. */
  readonly done: (data: DataOf<Result>, values: Values) => void;
  /** The label of the button. */
  readonly button: string;
  /** The field that violations without a path are about: those of rules for passwords. */
  readonly passwordField?: string;
  /** Whether a button beside the main one is changing the same thing: the form is not sent meanwhile. */
  readonly blocked?: boolean;
  /** Buttons beside the main one. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The errors of each field, as the server reported them. */
const FieldErrors = createContext<ReadonlyMap<string, readonly string[]>>(new Map());

/**
 * A form that shows what its check or the server objects to: violations beside their fields, everything else above the button, with
 * a countdown where the server asks to wait.
 */
export function Form<Result extends AnyResult>(props: FormProps<Result>): JSX.Element {
  const { blocked = false } = props;
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [errors, setErrors] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const wait = useCountdown();
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (errors.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);

  const submit = async (values: Values): Promise<void> => {
    const faults = Object.entries(props.check?.(values) ?? {}).filter(([, messages]) => messages.length > 0);
    setTrouble(null);
    setErrors(new Map(faults));
    if (faults.length > 0) return;
    setBusy(true);
    try {
      const result = await props.send(values);
      if (result.ok) {
        props.done(result.data, values);
        return;
      }
      const found = fieldErrors(result.problem, form.current, props.passwordField ?? null);
      setErrors(found.byField);
      const trouble = troubleOfProblem(result.problem);
      setTrouble(found.message === null ? trouble : { ...trouble, message: found.message, advice: '' });
      wait.start(retryAfter(result.problem) ?? 0);
    } catch (error) {
      setTrouble(troubleOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      ref={form}
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !blocked && wait.left === 0) void submit(valuesOf(event.currentTarget));
      }}
    >
      <FieldErrors.Provider value={errors}>{props.children}</FieldErrors.Provider>
      {trouble !== null && (
        <div class="banner bad" role="alert">
          <div class="stack">
            <p>
              {trouble.message} {wait.left === 0 && trouble.advice}
            </p>
            <ProblemDetails trouble={trouble} />
          </div>
        </div>
      )}
      <div class="actions">
        <button class="primary" type="submit" aria-disabled={busy || blocked || wait.left > 0}>
          {busy ? 'One moment …' : wait.left > 0 ? `${props.button} (in ${wait.text})` : props.button}
        </button>
        {props.beside}
      </div>
    </form>
  );
}

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search';
  readonly hint?: ComponentChildren;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly value?: string;
  readonly autofocus?: boolean;
  /** What the browser offers to choose from. Other texts can be entered. */
  readonly offered?: readonly string[];
}

/** A line of text with its label, a hint, and what the server objects to. A password can be shown. */
export function Field(props: FieldProps): JSX.Element {
  const { name, label, type = 'text', hint, autofocus = false, value, offered, ...rest } = props;
  const listId = useId();
  const [shown, setShown] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autofocus) input.current?.focus();
  }, [autofocus]);
  return (
    <Labelled name={name} label={label} hint={hint}>
      {(attributes) => {
        const shownType = type === 'password' && shown ? 'text' : type;
        // `defaultValue`: what was entered stays when the field is rendered again.
        const list = offered === undefined ? {} : { list: listId };
        const control = <input {...rest} {...attributes} {...list} ref={input} type={shownType} defaultValue={value} />;
        if (type !== 'password') {
          return (
            <>
              {control}
              {offered !== undefined && (
                <datalist id={listId}>
                  {offered.map((text) => (
                    <option key={text} value={text} />
                  ))}
                </datalist>
              )}
            </>
          );
        }
        return (
          <div class="password">
            {control}
            <button
              type="button"
              aria-pressed={shown}
              onClick={() => {
                setShown(!shown);
              }}
            >
              {shown ? 'Hide' : 'Show'}
            </button>
          </div>
        );
      }}
    </Labelled>
  );
}

/** What ties a control to its form, its label, its hint and its errors. */
export interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby'?: string;
}

export interface LabelledProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Renders the control. */
  readonly children: (attributes: ControlAttributes) => ComponentChildren;
}

/** A control with its label, a hint, and what the server objects to. */
export function Labelled({ name, label, hint, children }: LabelledProps): JSX.Element {
  const { attributes, notes } = useNotes(name, hint);
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      {children(attributes)}
      {notes}
    </div>
  );
}

/** The hint and the errors of a field, and the attributes of the control that they describe. */
export function useNotes(
  name: string,
  hint: ComponentChildren,
): { readonly attributes: ControlAttributes; readonly notes: ComponentChildren } {
  const id = useId();
  const errors = useContext(FieldErrors).get(name) ?? [];
  const describedBy = [hint === undefined ? '' : `${id}-hint`, errors.length === 0 ? '' : `${id}-error`]
    .join(' ')
    .trim();
  const attributes = {
    id,
    name,
    'aria-invalid': errors.length > 0,
    ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }),
  };
  const notes = (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <div id={`${id}-error`}>
          {errors.map((each) => (
            <p class="error" key={each}>
              {each}
            </p>
          ))}
        </div>
      )}
    </>
  );
  return { attributes, notes };
}

/** What is entered in a form now. */
export function valuesOf(form: HTMLFormElement): Values {
  const entered = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entered);
}

/** Sorts the violations of a problem to the fields of a form. `message`: what to do, and the others; null: there are none. */
function fieldErrors(
  problem: Failure['problem'],
  form: HTMLFormElement | null,
  passwordField: string | null,
): { byField: ReadonlyMap<string, readonly string[]>; message: string | null } {
  const byField = new Map<string, string[]>();
  const violations: unknown = Reflect.get(problem, 'violations');
  if (!Array.isArray(violations)) return { byField, message: null };
  const others: string[] = [];
  for (const violation of violations as readonly unknown[]) {
    if (typeof violation !== 'object' || violation === null) return { byField, message: null };
    const path: unknown = Reflect.get(violation, 'path');
    const message: unknown = Reflect.get(violation, 'message');
    const names = typeof path === 'string' ? path.split('/') : [passwordField ?? ''];
    // `/repositories/3` is about a part of the field `repositories`.
    const field = names.findLast((name) => name !== '' && (form?.elements.namedItem(name) ?? null) !== null);
    if (typeof message !== 'string') return { byField, message: null };
    if (field !== undefined)
      byField.set(field, [...(byField.get(field) ?? []), wordsFor(Reflect.get(violation, 'rule'), message)]);
    else if (path === '/body') others.push(`What you entered ${message}.`);
    else return { byField, message: null }; // the message of the problem names the place
  }
  const texts = byField.size === 0 ? others : ['Correct the marked fields.', ...others];
  return { byField, message: texts.length === 0 ? null : texts.join(' ') };
}

/** The message of a rule for people who fill in a form; the server's messages are for programs. */
const words: Readonly<Record<string, string>> = {
  pattern: 'Must not be blank, or contain characters that are not allowed.',
  minItems: 'Choose or enter at least one.',
  uniqueItems: 'Enter each one once.',
};

/** What is wrong with a field: `must be a valid uri` becomes `Must be a valid uri.` */
function wordsFor(rule: unknown, message: string): string {
  const text = (typeof rule === 'string' ? words[rule] : undefined) ?? message;
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
