import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('plumbline gate --help names the exit codes', () => {
  expect(plumbline('gate', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Exit codes: 0') });
});

test.each([
  [['gate'], "missing required argument 'contract'"],
  [['gate', 'missing.yaml', '--target', 'http://127.0.0.1:1'], 'plumbline: missing.yaml cannot be read'],
  [['gate', 'test/contract-tools/gate/library.yaml', '--target', 'http://127.0.0.1:1'], 'cannot be reached'],
])('plumbline %j exits with 2 and says why', (args, message) => {
  const { status, stderr } = plumbline(...args);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
  expect(status).toBe(2);
});

function plumbline(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const command = ['--conditions=@plumbline/source', '--import', 'tsx', 'src/cli/main.ts', ...args];
  return spawnSync(process.execPath, command, { encoding: 'utf8' });
}
