/** A connection to an engine on another machine: the input and output of `docker system dial-stdio` over ssh. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import { Duplex, type Readable, type Writable } from 'node:stream';
import { backendFailure } from '../errors.js';
import type { EngineAddress } from './address.js';

type SshAddress = Extract<EngineAddress, { kind: 'ssh' }>;

/** Only the end of what ssh says is of use. */
const KEPT_TEXT = 2000;

/** The command that connects. It is Docker's, apart from `--`. */
export function sshCommand({ user, host, port, path }: SshAddress): readonly [string, ...string[]] {
  return [
    'ssh',
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    '-o',
    'ConnectTimeout=30',
    '-T',
    // A host cannot pass for an option.
    '--',
    host,
    'docker',
    ...(path === undefined ? [] : ['--host', quoted(`unix://${path}`)]),
    'system',
    'dial-stdio',
  ];
}

/** The shell of the other machine reads the command. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Starts ssh. The user's configuration of ssh applies.
 *
 * @param environment PATH, HOME and SSH_AUTH_SOCK, among others
 */
export function sshConnection(address: SshAddress, environment: NodeJS.ProcessEnv): Duplex {
  const [program, ...args] = sshCommand(address);
  // A separate session: Ctrl-C is for this process, which needs the connection to stop containers.
  const child = spawn(program, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  return new SshConnection(child, address.host);
}

/** Has the methods of a socket that Node's HTTP agent calls. */
class SshConnection extends Duplex {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, host: string) {
    super();
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-KEPT_TEXT)));
    child.stdout.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause();
    });
    // A program that has ended takes no input; its end says why.
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => {
      this.destroy(backendFailure(`The program ssh cannot be started: ${error.message}`, error));
    });
    child.once('close', (code) => {
      if (code === 0) this.push(null);
      else
        this.destroy(backendFailure(`ssh to '${host}' failed: ${reasonIn(said) || `it ended with ${String(code)}.`}`));
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(chunk, () => {
      done();
    });
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#child.kill();
    done(error);
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  /** Keeps this process running while a request is in progress. */
  ref(): this {
    this.#child.ref();
    for (const stream of this.#sockets()) stream.ref();
    return this;
  }

  unref(): this {
    this.#child.unref();
    for (const stream of this.#sockets()) stream.unref();
    return this;
  }

  #sockets(): Socket[] {
    const { stdin, stdout, stderr } = this.#child;
    return [stdin, stdout, stderr].filter((stream) => stream instanceof Socket);
  }
}

/** The last line, without the control characters of another machine. */
function reasonIn(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/[\u0000-\u001f\u007f-\u009f]/g, '');
}
