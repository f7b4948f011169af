/** The built compose tool as the plug-in `docker-compose` of the real Docker CLI. */
import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { folderWith } from '../model/project-folder.js';

const hasDocker = (() => {
  try {
    return execFileSync('docker', ['--version'], { encoding: 'utf8' }).startsWith('Docker version');
  } catch {
    return false;
  }
})();

describe.skipIf(!hasDocker)(`docker compose${hasDocker ? '' : ' (skipped: there is no docker)'}`, () => {
  let folder: string;
  beforeAll(() => builtCommand());
  beforeEach(async () => {
    folder = await folderWith({ 'compose.yaml': 'services: { web: { image: web } }' });
    await mkdir(join(folder, 'docker/cli-plugins'), { recursive: true });
    // npm makes the program executable, too.
    const program = resolve('src/compose/dist/src/compose/cli/main.cjs');
    await chmod(program, 0o755);
    await symlink(program, join(folder, 'docker/cli-plugins/docker-compose'));
  });

  const docker = (...args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)('docker', args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, DOCKER_CONFIG: join(folder, 'docker'), PLUMBLINE_HOME: folder },
    });

  it('is listed by the Docker CLI', async () => {
    const { stdout } = await docker('--help');
    expect(stdout).toMatch(/compose\* +Plumbline Compose/);
  });

  it('runs commands with their flags, and with those of docker before them', async () => {
    expect((await docker('compose', '--backend', 'mock', 'config', '--services')).stdout).toBe('web\n');
    await docker('compose', '--backend', 'mock', 'up', '-d');
    expect((await docker('--debug', '-l', 'error', 'compose', '--backend', 'mock', 'ps', '-q')).stdout).not.toBe('');
    await docker('compose', '--backend', 'mock', 'down');
    const missing = docker('--context', 'compose', 'compose', 'ps').catch((error: unknown) => String(error));
    expect(await missing).toContain("The Docker context 'compose'");
    const away = docker('-H', 'unix:///nowhere.sock', 'compose', 'ps').catch((error: unknown) => String(error));
    expect(await away).toContain('/nowhere.sock');
  });

  it('has its help, also by the help of docker', async () => {
    expect((await docker('compose', '--help')).stdout).toContain('up [options]');
    expect((await docker('help', 'compose', 'up')).stdout).toContain('--abort-on-container-exit');
  });

  it('gives the exit code of the command', async () => {
    await expect(docker('compose', 'up', '--no-such-flag')).rejects.toMatchObject({ code: 2 });
  });
});
