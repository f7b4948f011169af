/** The command's environment: streams, signals and engines, injected so that tests control it. */
import { onEndOfNpm } from '@plumbline/contract/system/end-of-npm';
import { systemClock, type Clock } from '../runtime/clock.js';
import { chooseEngine, type ChosenEngine } from '../runtime/select.js';

export interface Output {
  /** Settles when the reader has taken the data, so that a slow reader applies back-pressure. */
  write(data: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
  /** Passes each key on as pressed, without echo. Returns a function that ends raw mode. */
  raw(): () => void;
  /** Ends reading, including a pending read. Nothing can be read afterwards. */
  close(): void;
}

/** `--backend` and `--context`, and the variables that name an engine. */
export interface EngineChoice {
  readonly environment: Io['environment'];
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
  /** Chooses the engine without opening it. */
  chooseEngine(choice: EngineChoice): Promise<ChosenEngine>;
  /**
   * Calls back on each Ctrl-C, on SIGTERM, and when the npm that runs the command has ended. Returns a function that
   * unsubscribes.
   */
  onInterrupt(handler: () => void): () => void;
  /** Does what Ctrl-C does, for a terminal that passes it on as a key. */
  interrupt(): void;
  /** Calls back when the terminal is resized. Returns a function that unsubscribes. */
  onResize(handler: () => void): () => void;
  /** The exit code for a normal end of the process. */
  setExitCode(code: number): void;
  /** Ends the process now, after help or a usage error. */
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
      // Node.js opens the stream at first use; most commands never use it.
      get isTerminal() {
        return process.stdin.isTTY;
      },
      raw() {
        if (!process.stdin.isTTY) return () => undefined;
        process.stdin.setRawMode(true);
        return () => {
          process.stdin.setRawMode(false);
        };
      },
      // Otherwise a terminal read keeps the process alive until the next key.
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
    chooseEngine: chooseEngine,
    onInterrupt(handler) {
      const endWatch = onEndOfNpm(process.env, handler);
      const onSignal = (): void => {
        endWatch(); // the same Ctrl-C ends npm; do not count it twice
        handler();
      };
      process.on('SIGINT', onSignal);
      process.on('SIGTERM', onSignal);
      // Keeps the process alive for commands that only wait for memory, as on the mock backend.
      const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
      return () => {
        clearInterval(alive);
        endWatch();
        process.off('SIGINT', onSignal);
        process.off('SIGTERM', onSignal);
      };
    },
    interrupt() {
      process.kill(process.pid, 'SIGINT');
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

/** 128 + SIGPIPE: what a shell reports for a program whose reader has ended. */
const EXIT_BROKEN_PIPE = 141;

/** The maximum text buffered before a write, in UTF-16 units. */
const GATHERED = 64 * 1024;

type Writer = (stream: NodeJS.WriteStream, data: string | Uint8Array) => Promise<void>;

/**
 * Batches texts written in one turn of the event loop, because one system call per log line dominates the cost.
 * Preserves the order across two streams.
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
  stream.on('error', (error: NodeJS.ErrnoException) => {
    closed = true;
    // The reader has closed the pipe, as in `compose logs -f | head -1`. Node.js ignores SIGPIPE, which would end us.
    if (error.code === 'EPIPE' && stream === process.stdout) process.exit(EXIT_BROKEN_PIPE);
  });
  return {
    write: (data) => (closed ? Promise.resolve() : writer(stream, data)),
    get isTerminal() {
      return stream.isTTY;
    },
    // A terminal without a size, such as a new one of `docker run -t`, reports 0.
    get columns() {
      return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
    },
    get rows() {
      return stream.isTTY && stream.rows > 0 ? stream.rows : 24;
    },
  };
}
