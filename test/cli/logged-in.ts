/** Runs `plumbline` as a person with a separate home. */
import { mkdtempSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMain } from './main-process.js';
import type { Finished } from './plumbline.js';

export interface Home {
  readonly folder: string;
  /** Where the tokens are. */
  readonly logins: string;
  /** Runs a command with a text as its standard input. */
  run(args: readonly string[], input?: string, environment?: Readonly<Record<string, string>>): Promise<Finished>;
  remove(): Promise<void>;
}

export function makeHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-home-'));
  let inputs = 0;
  return {
    folder,
    logins: join(folder, 'state', 'logins'),
    run: async (args, input = '', environment = {}) => {
      const file = join(folder, `input-${(inputs += 1)}`);
      await writeFile(file, input);
      const handle = await open(file);
      try {
        return await runMain(args, { PLUMBLINE_HOME: join(folder, 'state'), ...environment }, handle.fd);
      } finally {
        await handle.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
