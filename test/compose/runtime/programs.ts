/** What the containers of the conformance suite do: a command line for engines, the same as a function for the mock. */
import type { MockProgram, MockPrograms } from '../../../src/compose/runtime/mock/process.js';

export interface TestProgram {
  readonly command: readonly string[];
  readonly mock: MockProgram;
  /** It says `ready` once it heeds signals. */
  readonly saysReady?: true;
}

const sh = (script: string): string[] => ['sh', '-c', script];
const forever = 'while :; do sleep 0.1; done';

/** Runs until SIGTERM, which it obeys with exit code 0. */
export const obedient: TestProgram = {
  command: sh(`trap "exit 0" TERM; echo ready; ${forever}`),
  saysReady: true,
  mock: ({ on, ended, write }) =>
    new Promise((resolve) => {
      on('SIGTERM', () => {
        resolve(0);
      });
      ended.addEventListener('abort', () => {
        resolve(0);
      });
      write('stdout', 'ready\n');
    }),
};

/** Runs until SIGKILL. */
export const stubborn: TestProgram = {
  command: sh(`trap "" TERM; echo ready; ${forever}`),
  saysReady: true,
  mock: ({ on, ended, write }) =>
    new Promise((resolve) => {
      on('SIGTERM', () => undefined);
      ended.addEventListener('abort', () => {
        resolve(0);
      });
      write('stdout', 'ready\n');
    }),
};

/** Says `asked` at SIGTERM, and ends with exit code 0 a second later. */
export const slow: TestProgram = {
  command: sh(`trap "echo asked; sleep 1; exit 0" TERM; echo ready; ${forever}`),
  saysReady: true,
  mock: ({ on, ended, write }) =>
    new Promise((resolve) => {
      on('SIGTERM', () => {
        write('stdout', 'asked\n');
        setTimeout(() => {
          resolve(0);
        }, 1000);
      });
      ended.addEventListener('abort', () => {
        resolve(0);
      });
      write('stdout', 'ready\n');
    }),
};

/** Ends with exit code 7 at SIGUSR1. */
export const signalled: TestProgram = {
  command: sh(`trap "exit 7" USR1; echo ready; ${forever}`),
  saysReady: true,
  mock: ({ on, ended, write }) =>
    new Promise((resolve) => {
      on('SIGUSR1', () => {
        resolve(7);
      });
      ended.addEventListener('abort', () => {
        resolve(0);
      });
      write('stdout', 'ready\n');
    }),
};

export const exitsWithThree: TestProgram = { command: sh('exit 3'), mock: () => 3 };

/** Three lines, of which the second is an error. */
export const talks: TestProgram = {
  command: sh('echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three'),
  mock: ({ write }) => {
    write('stdout', 'one\n');
    write('stderr', 'two\n');
    write('stdout', 'three\n');
    return 0;
  },
};

/** A line each tenth of a second, until SIGTERM. */
export const keepsTalking: TestProgram = {
  command: sh('trap "exit 0" TERM; n=0; while :; do n=$((n+1)); echo line $n; sleep 0.1; done'),
  mock: ({ on, ended, write }) =>
    new Promise((resolve) => {
      let count = 0;
      const timer = setInterval(() => {
        write('stdout', `line ${++count}\n`);
      }, 20);
      const end = (): void => {
        clearInterval(timer);
        resolve(0);
      };
      on('SIGTERM', end);
      ended.addEventListener('abort', end);
    }),
};

/** One line of 40,000 characters, more than engines keep in one piece. */
export const longLine: TestProgram = {
  command: sh('head -c 40000 /dev/zero | tr "\\0" x; echo'),
  mock: ({ write }) => {
    write('stdout', `${'x'.repeat(40_000)}\n`);
    return 0;
  },
};

/** Prints its input in capitals; ends with its input. */
export const echoes: TestProgram = {
  command: sh('tr a-z A-Z; exit 4'),
  mock: async ({ stdin, write }) => {
    for await (const data of stdin) write('stdout', Buffer.from(data).toString().toUpperCase());
    return 4;
  },
};

/** For an exec: prints to both outputs, and a variable. */
export const prints: TestProgram = {
  command: sh('echo "out $WORD"; echo err >&2; exit 5'),
  mock: ({ write, environment }) => {
    write('stdout', `out ${environment.WORD ?? ''}\n`);
    write('stderr', 'err\n');
    return 5;
  },
};

export const healthy: TestProgram = { command: ['true'], mock: () => 0 };
export const unhealthy: TestProgram = { command: ['false'], mock: () => 1 };

const all = [
  obedient,
  stubborn,
  slow,
  signalled,
  exitsWithThree,
  talks,
  keepsTalking,
  longLine,
  echoes,
  prints,
  healthy,
  unhealthy,
];

/** The mock's side of the programs above. */
export const mockPrograms: MockPrograms = ({ command }) =>
  all.find((program) => JSON.stringify(program.command) === JSON.stringify(command))?.mock;
