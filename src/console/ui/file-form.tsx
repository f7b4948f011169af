import type { AnyResult, DataOf } from '@plumbline/sdk';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Form, Labelled } from './form.js';

/** What the server objects to in a file. */
interface FileProblem {
  readonly line: number | null;
  readonly place: string | null;
  readonly message: string;
}

/** The reply to a file, whose problem may list those of the file. */
export type FileReply = AnyResult & { readonly problem?: { readonly problems?: readonly FileProblem[] } };

export interface FileFormProps<Reply extends FileReply> {
  /** The label of the button. */
  readonly button: string;
  readonly beside?: ComponentChildren;
  /** The text to begin with (default: none). */
  readonly value?: string;
  /** What the file could contain. */
  readonly example: string;
  readonly send: (text: string) => Promise<Reply>;
  /** Called with the data of a success. */
  readonly done: (data: DataOf<Reply>) => void;
  /** What the file does. */
  readonly children: ComponentChildren;
}

/** Sends the text of a file, which is chosen, pasted or changed, and shows what the server objects to. */
export function FileForm<Reply extends FileReply>(props: FileFormProps<Reply>): JSX.Element {
  const { button, beside, value = '', example, send, done, children } = props;
  const [text, setText] = useState(value);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  return (
    <Form
      button={button}
      beside={beside}
      send={async () => {
        const reply = await send(text);
        const found = reply.problem?.problems;
        setProblems(found ?? []);
        if (found === undefined) return reply;
        return { ...reply, problem: { ...reply.problem, message: 'The file is invalid, and nothing was changed.' } };
      }}
      done={done}
    >
      {children}
      <FilePicker onText={setText} />
      <Labelled name="file" label="Content of the file">
        {(attributes) => (
          <textarea
            {...attributes}
            rows={10}
            spellcheck={false}
            placeholder={example}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
            }}
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
    </Form>
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
