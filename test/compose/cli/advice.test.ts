import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';

describe('a failed up says what to do', () => {
  it('about an external network that is missing', async () => {
    const { run } = await commandLine(`
      services: { web: { image: web, networks: [outside] } }
      networks: { outside: { external: true, name: proxy } }`);
    const { code, stderr } = await run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The network 'proxy' is external, so it must exist: create it, or remove 'external: true'.",
    );
  });

  it('about a port that another container publishes, and reports only the failed service as failed', async () => {
    const { run, backend, control } = await commandLine(
      'services: { web: { image: web, ports: ["8080:80"] }, other: { image: other } }',
    );
    control.addImage('holder');
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    const { id } = await backend.containers.create({ name: 'holder', image: 'holder', ports });
    await backend.containers.start(id);
    const { code, stderr } = await run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain('The container holder publishes port 8080: stop it, or publish another port.');
    expect(stderr.match(/\S+ Failed/g)).toEqual(['folder-web Failed']);
  });
});
