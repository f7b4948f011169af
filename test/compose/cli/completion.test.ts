import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP } from './shop.js';

it.each([
  ['commands', ['sta'], ['start', 'stats']],
  ['flags of a command', ['up', '--wait'], ['--wait', '--wait-timeout']],
  ['global flags', ['--project-d'], ['--project-directory']],
  ['services', ['logs', ''], ['db', 'web']],
  ['services after a flag with a value', ['logs', '--tail', '5', 'w'], ['web']],
  ['services of another file', ['-f', 'other.yaml', 'up', ''], ['api']],
  ['values of a flag', ['up', '--pull', ''], ['always', 'missing', 'never']],
  ['services as the value of a flag', ['up', '--exit-code-from', 'd'], ['db']],
  ['projects', ['-p', ''], ['folder']],
  ['shells', ['completion', ''], ['bash', 'fish', 'zsh']],
  ['nothing after a file that is missing', ['-f', 'none.yaml', 'up', ''], []],
])('completion finds %s', async (_what, words, expected) => {
  const { run } = await commandLine({ 'compose.yaml': SHOP, 'other.yaml': 'services: { api: { image: a } }' });
  await run('up', '-d');
  const { code, stdout } = await run('__complete', '--', ...words);
  expect(code).toBe(0);
  expect(stdout.split('\n').filter(Boolean).sort()).toEqual(expected);
});

it('the bash script completes with the words of the command, and does not execute them', async () => {
  const { run } = await commandLine(SHOP);
  const { stdout } = await run('completion', 'bash');
  const script = `
plumbline() { [ "$*" = "compose __complete -- logs w" ] && printf 'web\\n$(exit 3)\\n'; }
${stdout}
COMP_WORDS=(plumbline compose logs w) COMP_CWORD=3
_plumbline
echo "\${COMPREPLY[@]}"`;
  expect((await promisify(execFile)('bash', ['-c', script])).stdout).toBe('web $(exit 3)\n');
});

/** The answer of the command for `logs w`, which has text that a shell could run. */
const answer = `[ "$*" = "compose __complete -- logs w" ] && printf 'web\\n$(exit 3)\\n'`;

/** Completes `plumbline compose logs w` in a shell. Prints a candidate per line. */
const interactions: Readonly<Record<'zsh' | 'fish', (script: string) => readonly string[]>> = {
  // Without a terminal there is no completion system: these stand for its builtins.
  zsh: (script) => [
    '-f',
    '-c',
    `compdef() { :; }
compadd() { [[ $1 == -a ]] && print -rl -- "\${(@P)2}" || print -rl -- "$@"; }
plumbline() { ${answer}; }
${script}
words=(plumbline compose logs w) CURRENT=4
_plumbline`,
  ],
  fish: (script) => [
    '--no-config',
    '-c',
    `function plumbline
  test "$argv" = "compose __complete -- logs w"; and printf 'web\\n$(exit 3)\\n'
end
${script}
complete -C 'plumbline compose logs w'`,
  ],
};

describe.each(['zsh', 'fish'] as const)('the script of %s', (shell) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined;

  it.skipIf(isMissing)(
    `completes with the words of the command, and does not execute them${isMissing ? ` (skipped: there is no ${shell})` : ''}`,
    async () => {
      const { run } = await commandLine(SHOP);
      const { stdout: script } = await run('completion', shell);
      const { stdout } = await promisify(execFile)(shell, [...interactions[shell](script)]);
      expect(stdout.split('\n').filter(Boolean)).toContain('web');
      // fish shows only what begins with the word under the cursor.
      if (shell === 'zsh') expect(stdout).toContain('$(exit 3)');
    },
  );
});
