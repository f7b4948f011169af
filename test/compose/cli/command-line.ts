/** Runs the command line in this process, on a mock backend that lives as long as the test, or on a given one. */
import { Command } from 'commander';
import { registerComposeCommands } from '../../../src/compose/cli/register.js';
import type { Io, Output } from '../../../src/compose/cli/io.js';
import { channel } from '../../../src/compose/runtime/channel.js';
import type { Clock } from '../../../src/compose/runtime/clock.js';
import { mockBackend, type Mock } from '../../../src/compose/runtime/mock/mock.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import type { MockPrograms } from '../../../src/compose/runtime/mock/process.js';
import { folderWith } from '../model/project-folder.js';
import { virtualClock } from '../orchestrator/virtual-clock.js';

/** In place of the end of the process. */
class Exited extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ran: Promise<Ran>;
  /** Ctrl-C. */
  interrupt(): void;
  /** Settles when standard output holds the text. */
  printed(text: string): Promise<void>;
  /** Settles when both outputs together, in the order of a terminal, hold the text. */
  shows(text: string): Promise<void>;
  /** Presses keys, where standard input is a keyboard. */
  type(keys: string): void;
}

export interface Console {
  /** `compose` and these arguments, to the end. */
  run(...args: string[]): Promise<Ran>;
  begin(...args: string[]): Running;
}

export interface CommandLine extends Mock, Console {
  readonly folder: string;
  readonly clock: Clock;
}

export interface CommandLineOptions {
  readonly programs?: MockPrograms;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTerminal?: boolean;
  /** Standard input is a terminal, too. */
  readonly hasKeyboard?: boolean;
  /** What users should know of the engine. */
  readonly engineWarning?: string;
}

/** @param files of the working directory, which is called `folder`; a text alone is its compose.yaml */
export async function commandLine(
  files: string | Readonly<Record<string, string>>,
  options: CommandLineOptions = {},
): Promise<CommandLine> {
  const folder = await folderWith(typeof files === 'string' ? { 'compose.yaml': files } : files);
  const clock = virtualClock();
  const mock = mockBackend({ clock, programs: options.programs ?? (() => undefined) });
  return { ...mock, folder, clock, ...consoleOn(mock.backend, { ...options, folder, clock }) };
}

/** The command line on a backend, in a working directory. */
export function consoleOn(
  backend: Backend,
  options: Pick<CommandLineOptions, 'environment' | 'stdin' | 'isTerminal' | 'hasKeyboard' | 'engineWarning'> & {
    readonly folder: string;
    readonly clock: Clock;
  },
): Console {
  const { folder, clock } = options;

  function begin(...args: string[]): Running {
    const screen = recorded(options.isTerminal === true);
    const out = recorded(options.isTerminal === true, screen.add);
    const err = recorded(options.isTerminal === true, screen.add);
    const keyboard = channel<string>();
    const interrupts = new Set<() => void>();
    let code = 0;
    const io: Io = {
      stdout: out.output,
      stderr: err.output,
      stdin: {
        isTerminal: options.hasKeyboard === true,
        raw: () => () => undefined,
        close: () => {
          keyboard.end();
        },
        async *[Symbol.asyncIterator]() {
          await Promise.resolve();
          if (options.stdin !== undefined) yield Buffer.from(options.stdin);
          if (options.hasKeyboard === true) for await (const keys of keyboard) yield Buffer.from(keys);
        },
      },
      environment: options.environment ?? {},
      workingDirectory: folder,
      clock,
      chooseEngine: () =>
        Promise.resolve({
          conformer: backend.conformer,
          place: 'here',
          source: 'this test',
          ...(options.engineWarning !== undefined && { warning: options.engineWarning }),
          open: () => Promise.resolve(backend),
        }),
      onInterrupt(handler) {
        interrupts.add(handler);
        return () => interrupts.delete(handler);
      },
      interrupt() {
        for (const handler of [...interrupts]) handler();
      },
      onResize: () => () => undefined,
      setExitCode: (given) => (code = given),
      exit(given) {
        throw new Exited(given);
      },
    };
    const program = new Command('plumbline').version('1.2.3');
    const parse = async (): Promise<void> => {
      const compose = await registerComposeCommands(program, args, io);
      for (const command of [program, compose, ...compose.commands.flatMap((each) => [each, ...each.commands])]) {
        command.configureOutput({ writeOut: out.add, writeErr: err.add });
      }
      await program.parseAsync(['compose', ...args], { from: 'user' });
    };
    const parsed = parse().catch((error: unknown) => {
      if (!(error instanceof Exited)) throw error;
      code = error.code;
    });
    return {
      ran: parsed.then(() => ({ code, stdout: out.text(), stderr: err.text() })),
      interrupt: () => {
        io.interrupt();
      },
      printed: out.contains,
      shows: screen.contains,
      type: (keys) => void keyboard.push(keys),
    };
  }
  return { begin, run: (...args) => begin(...args).ran };
}

function recorded(
  isTerminal: boolean,
  alsoTo: (text: string) => void = () => undefined,
): {
  readonly output: Output;
  readonly add: (text: string) => void;
  readonly text: () => string;
  readonly contains: (text: string) => Promise<void>;
} {
  let text = '';
  let waiting: { readonly wanted: string; readonly resolve: () => void }[] = [];
  const add = (more: string): void => {
    text += more;
    alsoTo(more);
    waiting = waiting.filter(({ wanted, resolve }) => {
      if (!text.includes(wanted)) return true;
      resolve();
      return false;
    });
  };
  return {
    add,
    text: () => text,
    contains: (wanted) =>
      text.includes(wanted)
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ wanted, resolve });
          }),
    output: {
      isTerminal,
      columns: 80,
      rows: 24,
      write(data) {
        add(typeof data === 'string' ? data : Buffer.from(data).toString());
        return Promise.resolve();
      },
    },
  };
}
