import { execInContainer } from '@plumbline/sdk/compose';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ActionFailed } from './action-failed.js';
import { LogBox } from './log-box.js';
import type { Container } from './queries.js';
import { ask, compose, withKey } from './session.js';
import { createTranscript, type Part } from './transcript.js';

/** How many characters of output are kept. */
const kept = 100_000;

/** Runs commands in containers, one at a time, and shows what each prints while it runs. */
export function Commands({ containers }: { containers: readonly Container[] }): JSX.Element {
  const { parts, running, failure, run, leave } = useCommands();
  const [chosen, setChosen] = useState<string | null>(null);
  const [line, setLine] = useState('');
  const id = useId();
  const container = containers.find((each) => each.id === chosen) ?? containers[0];
  return (
    <details class="card">
      <summary>
        <h2>Run a command</h2>
      </summary>
      <form
        class="filters"
        aria-label="Run a command"
        onSubmit={(event) => {
          event.preventDefault();
          if (running || container === undefined) return;
          run({ container, line });
          setLine('');
        }}
      >
        <div class="field">
          <label for={`${id}-container`}>Container</label>
          <select
            id={`${id}-container`}
            value={container?.id}
            onChange={({ currentTarget }) => {
              setChosen(currentTarget.value);
            }}
          >
            {containers.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        </div>
        <div class="field grow">
          <label for={`${id}-line`}>Command</label>
          <input
            id={`${id}-line`}
            class="code"
            required
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            placeholder="ls -l /"
            aria-describedby={`${id}-hint`}
            value={line}
            onInput={({ currentTarget }) => {
              setLine(currentTarget.value);
            }}
          />
        </div>
        {running ? (
          <button type="button" onClick={leave}>
            Stop following
          </button>
        ) : (
          <button type="submit" class="primary" aria-disabled={container === undefined}>
            Run
          </button>
        )}
      </form>
      <p class="small muted" id={`${id}-hint`}>
        {container === undefined
          ? 'No container runs.'
          : 'The shell of the container (sh) runs it. A command gets no input: use "plumbline compose exec" for a terminal.'}
      </p>
      <ActionFailed mutation={{ error: failure }} />
      {parts.length > 0 && <Printed parts={parts} />}
    </details>
  );
}

/** The commands so far with their output. */
function Printed({ parts }: { parts: readonly Part[] }): JSX.Element {
  return (
    <LogBox label="Output of commands" newest={parts}>
      {parts.map(({ kind, text }, at) => (
        <div key={at} class={kind}>
          <span class="text">
            {kind === 'stderr' && <span class="visually-hidden">error output: </span>}
            {text}
          </span>
        </div>
      ))}
    </LogBox>
  );
}

interface Commanded {
  readonly container: Container;
  readonly line: string;
}

interface Commanding {
  readonly parts: readonly Part[];
  readonly running: boolean;
  /** Why the last command could not be run; null: it could. */
  readonly failure: Error | null;
  readonly run: (what: Commanded) => void;
  /** Stops following the command. Engines offer no way to end it. */
  readonly leave: () => void;
}

/** Runs commands. Output is painted at most once per frame, however fast it comes. */
function useCommands(): Commanding {
  const [transcript] = useState(() => createTranscript(kept));
  const [parts, setParts] = useState(transcript.parts());
  const current = useRef(new AbortController());
  const frame = useRef(0);
  const add = (part: Part): void => {
    transcript.add(part);
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      setParts(transcript.parts());
    });
  };
  useEffect(
    () => () => {
      current.current.abort();
      cancelAnimationFrame(frame.current);
    },
    [],
  );
  const running = useMutation({
    mutationFn: async ({ container, line }: Commanded) => {
      const { signal } = (current.current = new AbortController());
      add({ kind: 'command', text: `${container.name} $ ${line}` });
      try {
        await follow(container.id, line, signal, add);
      } catch (error) {
        if (!signal.aborted) throw error;
        add({ kind: 'end', text: 'no longer followed; it may still run' });
      }
    },
  });
  return {
    parts,
    running: running.isPending,
    failure: running.error,
    run: running.mutate,
    leave: () => {
      current.current.abort();
    },
  };
}

async function follow(id: string, line: string, signal: AbortSignal, add: (part: Part) => void): Promise<void> {
  const request = { params: { id }, body: { command: ['sh', '-c', line] }, signal };
  for await (const frame of await ask(execInContainer(compose, { ...withKey(), ...request }))) {
    if (frame.type === 'output') add({ kind: frame.stream, text: frame.data });
    else add({ kind: 'end', text: `exit code ${frame.exit_code}` });
  }
}
