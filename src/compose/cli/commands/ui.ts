/** ui: a link to the page of a server, and a browser that opens it. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { createPageLink } from '@plumbline/sdk/compose';
import { define } from '../command.js';
import { defaultSocket } from '../default-socket.js';
import type { Io } from '../io.js';
import { connect } from '../remote/connection.js';
import { RemoteFailure } from '../remote/failures.js';
import type { Session } from '../session.js';

interface UiFlags {
  readonly open: boolean;
}

export function uiCommand(compose: Command, io: Io): void {
  define<UiFlags>(compose, io, {
    usage: 'ui',
    description: 'open the page of "compose serve --ui" in a browser, and print a link to it',
    remote: 'here',
    hasNoDryRun: true,
    options: (command) => command.option('--no-open', 'print the link only'),
    examples: ['compose ui', 'compose ui --no-open'],
    run: showPage,
  });
}

async function showPage(session: Session, _args: readonly string[], { open }: UiFlags): Promise<number> {
  const { io } = session;
  const link = await newLink(session);
  await session.print(`${link}\n`);
  const opener = open && io.stdout.isTerminal ? openerOf(io) : null;
  if (opener !== null) await openPrivately(opener, link, io);
  return 0;
}

async function newLink({ io, options, signal }: Session): Promise<string> {
  const remote = options.remote ?? (io.environment['COMPOSE_REMOTE'] || `unix://${defaultSocket(io)}`);
  const { client, ask } = await connect({ io, options: { ...options, remote }, signal });
  try {
    return (await ask(createPageLink(client, { signal }))).url;
  } catch (error) {
    if (!(error instanceof RemoteFailure) || error.cause === undefined) throw error;
    const message = `${error.message} Start one with "plumbline compose serve --ui".`;
    throw new RemoteFailure(message, undefined, { cause: error });
  }
}

/** The program that opens a file with its application; null: there is no desktop. */
function openerOf({ environment }: Io): string | null {
  if (process.platform === 'darwin') return 'open';
  if (process.platform === 'win32') return 'explorer.exe';
  return environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] ? 'xdg-open' : null;
}

/** Passes the link in a file that only its owner can read. All users of the machine can read a process's arguments. */
async function openPrivately(opener: string, link: string, io: Io): Promise<void> {
  const file = join(dirname(defaultSocket(io)), 'open-page.html');
  const html = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}">`;
  await writeFile(file, html, { mode: 0o600 });
  const child = spawn(opener, [file], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // the link is printed
  child.unref();
}
