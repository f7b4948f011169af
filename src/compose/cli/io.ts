/** Everything that a command has of the world around it, handed in so that tests hold it. */
import { onEndOfNpm } from '../../contract/end-of-npm.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { chooseEngine, type ChosenEngine } from '../runtime/select.js';

export interface Output {
  /** Settles when the reader has taken it: a slow reader slows the command, and fills no memory. */
  write(data: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
  /** Passes each key on as it is pressed, without echo; the answer ends that. */
  raw(): () => void;
  /** Ends the reading, also a read that waits for a key or a writer. Nothing can be read afterwards. */
  close(): void;
}

/** `--backend` and `--context`. */
export interface EngineChoice {
  readonly backend?: string;
  readonly context?: string;
}

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly clock: Clock;
  /** The engine that commands go to; nothing is opened yet. */
  chooseEngine(choice: EngineChoice): Promise<ChosenEngine>;
  /** Calls back at each Ctrl-C, at SIGTERM, and when the npm that runs the command has ended; the answer ends that. */
  onInterrupt(handler: () => void): () => void;
  /** Calls back when the terminal has another size; the answer ends that. */
  onResize(handler: () => void): () => void;
  /** The code that the process ends with when it ends by itself. */
  setExitCode(code: number): void;
  /** Ends the process now: the command line was help or wrong usage. */
  exit(code: number): never;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** This process. */
export function processIo(): Io {
  const writer = gatheringWriter();
  return {
    stdout: outputTo(process.stdout, writer),
    stderr: outputTo(process.stderr, writer),
    stdin: {
      isTerminal: process.stdin.isTTY,
      raw() {
        if (!process.stdin.isTTY) return () => undefined;
        process.stdin.setRawMode(true);
        return () => {
          process.stdin.setRawMode(false);
        };
      },
      // Without this, a terminal that waits for a key keeps the process alive until the next one.
      close: () => process.stdin.destroy(),
      async *[Symbol.asyncIterator]() {
        for await (const chunk of process.stdin) {
          yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
        }
      },
    },
    environment: process.env,
    workingDirectory: process.cwd(),
    clock: systemClock,
    chooseEngine: (choice) => chooseEngine({ environment: process.env, ...choice }),
    onInterrupt(handler) {
      const endWatch = onEndOfNpm(process.env, handler);
      const onSignal = (): void => {
        endWatch(); // npm ends by the same Ctrl-C, which is no second one
        handler();
      };
      process.on('SIGINT', onSignal);
      process.on('SIGTERM', onSignal);
      // A command that waits for nothing but memory, as on the mock backend, is not done for that.
      const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
      return () => {
        clearInterval(alive);
        endWatch();
        process.off('SIGINT', onSignal);
        process.off('SIGTERM', onSignal);
      };
    },
    onResize(handler) {
      process.stdout.on('resize', handler);
      return () => {
        process.stdout.off('resize', handler);
      };
    },
    setExitCode(code) {
      process.exitCode = code;
    },
    exit: (code) => process.exit(code),
  };
}

/** How much text is gathered at most before it is written, in UTF-16 units. */
const GATHERED = 64 * 1024;

type Writer = (stream: NodeJS.WriteStream, data: string | Uint8Array) => Promise<void>;

/**
 * Writes texts that come in one turn of the event loop together, because a system call for each line of a log takes
 * longer than all else that is done with it. What goes to two streams keeps its order.
 */
function gatheringWriter(): Writer {
  let pending: { readonly stream: NodeJS.WriteStream; text: string } | undefined;
  const write = (stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> =>
    new Promise((resolve) =>
      stream.write(data, () => {
        resolve();
      }),
    );
  const flush = async (): Promise<void> => {
    const gathered = pending;
    pending = undefined;
    if (gathered !== undefined) await write(gathered.stream, gathered.text);
  };
  return async (stream, data) => {
    const flushed =
      pending !== undefined && (pending.stream !== stream || typeof data !== 'string') ? flush() : undefined;
    if (typeof data !== 'string') {
      await write(stream, data);
    } else if (pending === undefined) {
      pending = { stream, text: data };
      setImmediate(() => void flush());
    } else {
      pending.text += data;
      if (pending.text.length >= GATHERED) await flush();
    }
    await flushed;
  };
}

function outputTo(stream: NodeJS.WriteStream, writer: Writer): Output {
  let closed = false;
  // `compose logs | head`: whoever reads has had enough, which is no failure.
  stream.on('error', () => (closed = true));
  return {
    write: (data) => (closed ? Promise.resolve() : writer(stream, data)),
    get isTerminal() {
      return stream.isTTY;
    },
    get columns() {
      return stream.isTTY ? stream.columns : 80;
    },
    get rows() {
      return stream.isTTY ? stream.rows : 24;
    },
  };
}
