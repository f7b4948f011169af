import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Labelled } from './form.js';

/** What is wrong with a file. */
export interface FileProblem {
  readonly line: number | null;
  readonly place: string | null;
  readonly message: string;
}

export interface FileFieldProps {
  /** What the file could contain. */
  readonly example: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problems: readonly FileProblem[];
  readonly readOnly?: boolean;
}

/** The text of a file, which is chosen, pasted or changed, and what the server objects to. */
export function FileField({ example, text, onText, problems, readOnly = false }: FileFieldProps): JSX.Element {
  return (
    <>
      {!readOnly && <FilePicker onText={onText} />}
      <Labelled name="file" label="Content of the file">
        {(attributes) => (
          <textarea
            {...attributes}
            rows={10}
            spellcheck={false}
            placeholder={example}
            value={text}
            onInput={({ currentTarget }) => {
              onText(currentTarget.value);
            }}
            readOnly={readOnly}
            required
          />
        )}
      </Labelled>
      {problems.length > 0 && (
        <ul class="plain small" aria-label="Problems of the file">
          {problems.map(({ line, place, message }, index) => (
            <li key={index}>
              {line !== null && <strong>Line {line}: </strong>}
              {place !== null && <code>{place}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Reads a file of the person's own disk into the text, which can be changed before it is sent. */
function FilePicker({ onText }: { onText: (text: string) => void }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>File</label>
      <input
        id={id}
        type="file"
        accept=".yaml,.yml,application/yaml,text/yaml,text/plain"
        onChange={({ currentTarget }) => {
          void currentTarget.files?.[0]?.text().then(onText);
        }}
      />
    </div>
  );
}
