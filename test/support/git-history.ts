/** Generated git histories of any length, made through `git fast-import`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The environment of the git commands of tests: nobody's own settings, a fixed author. */
export const GIT_TEST_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

/** Runs git in a directory and returns what it prints. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env: GIT_TEST_ENVIRONMENT });
}

/** An empty repository on the branch `main`. */
export function initRepository(directory: string): void {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory], { env: GIT_TEST_ENVIRONMENT });
}

/**
 * Writes a linear history into an empty repository: each commit changes one to five of 2,000 files of up to a hundred
 * lines, one file of a hundred being renamed. The same arguments give the same hashes.
 */
export async function writeHistory(directory: string, commits: number): Promise<void> {
  const importer = spawn('git', ['-C', directory, 'fast-import', '--quiet'], {
    env: GIT_TEST_ENVIRONMENT,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const random = sequence(commits);
  const contents = new Map<number, string[]>();
  for (let number = 1; number <= commits; number += 1) {
    const changed = new Set(Array.from({ length: 1 + random(5) }, () => random(2000)));
    const files = [...changed].map((file) => {
      const lines =
        contents.get(file) ?? Array.from({ length: 10 + random(90) }, (_, line) => `line ${line} of ${file}`);
      for (let edit = random(8); edit >= 0; edit -= 1) lines[random(lines.length)] = `changed by ${number} at ${edit}`;
      contents.set(file, lines);
      const text = `${lines.join('\n')}\n`;
      return `M 100644 inline src/part${file % 40}/file${file}.ts\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const author = `Author ${number % 23} <author${number % 23}@example.com> ${1_500_000_000 + number * 600} +0000`;
    const message = `${['feat', 'fix', 'chore', 'docs', 'test'][number % 5] ?? 'feat'}: change number ${number}\n\nWith a body of one line.\n`;
    const text = `commit refs/heads/main\nauthor ${author}\ncommitter ${author}\ndata ${message.length}\n${message}\n${files.join('')}\n`;
    if (!importer.stdin.write(text)) await once(importer.stdin, 'drain');
  }
  importer.stdin.end();
  const [status] = (await once(importer, 'close')) as [number | null];
  if (status !== 0) throw new Error(`git fast-import ended with status ${String(status)}`);
}

/** Whole numbers below a bound, drawn by a linear congruential generator. */
function sequence(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
