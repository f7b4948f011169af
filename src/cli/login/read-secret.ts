/** Reads what must not be seen: without echo from a terminal, otherwise from standard input. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../usage-error.js';

/** More than any token or password. */
const longest = 16_384;

/** Questions to the person at the terminal. */
export interface Questions {
  /** What is typed is shown. */
  ask(question: string): Promise<string>;
  /** What is typed is not shown. */
  askSecret(question: string): Promise<string>;
}

/**
 * Asks on the terminal. It stays in raw mode from the first question to the last answer: between two questions it would
 * show what is typed ahead.
 *
 * @throws UsageError when the input ends before the last answer
 */
export async function withQuestions<Answers>(work: (questions: Questions) => Promise<Answers>): Promise<Answers> {
  let isHidden = false;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const answers = answersOf(lines, () => (isHidden = true));
  lines.on('SIGINT', () => {
    // In this mode Ctrl-C is a key. The terminal is restored before the process ends.
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  const ask = (question: string): Promise<string> => {
    isHidden = false;
    lines.setPrompt(question); // shown again when a key changes the line
    lines.prompt();
    return answers();
  };
  const askSecret = async (question: string): Promise<string> => {
    process.stderr.write(question);
    isHidden = true;
    const answer = await answers();
    process.stderr.write('\n');
    return answer;
  };
  try {
    return await work({ ask, askSecret });
  } finally {
    lines.close();
  }
}

/** Takes the typed lines one by one. @param onLine is called at the end of a line, before anything after it is shown */
function answersOf(lines: Interface, onLine: () => void): () => Promise<string> {
  const typed: string[] = [];
  let hasEnded = false;
  let wake: () => void = () => undefined;
  lines.on('line', (line) => {
    onLine();
    typed.push(line);
    wake();
  });
  lines.once('close', () => {
    hasEnded = true;
    wake();
  });
  return async () => {
    for (;;) {
      const answer = typed.shift();
      if (answer !== undefined) return answer;
      if (hasEnded) throw new UsageError('the input ended before the answer');
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
}

/** The lines of standard input. @throws UsageError when it is too long */
export async function inputLines(): Promise<string[]> {
  const given = await text(process.stdin);
  if (given.length > longest) throw new UsageError('standard input is too long for a password or a token');
  return given.split(/\r?\n/);
}
