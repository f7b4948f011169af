/** Reads what must not be seen: without echo from a terminal, otherwise from standard input. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../usage-error.js';

/** More than any token or password. */
const longest = 16_384;

/** Asks on the terminal. What is typed is shown. */
export async function ask(question: string): Promise<string> {
  return prompt(question, process.stderr);
}

/** Asks on the terminal. What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const hidden = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  try {
    return await prompt('', hidden);
  } finally {
    process.stderr.write('\n');
  }
}

async function prompt(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  lines.on('SIGINT', () => {
    // In this mode Ctrl-C is a key. The terminal is restored before the process ends.
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The lines of standard input. @throws UsageError when it is too long */
export async function inputLines(): Promise<string[]> {
  const given = await text(process.stdin);
  if (given.length > longest) throw new UsageError('standard input is too long for a password or a token');
  return given.split(/\r?\n/);
}
