import { describe, expect, it } from 'vitest';
import { createCommand } from '../../../../src/compose/runtime/native/create-arguments.js';

const spec = { name: 'web', image: 'localhost/web:1' };

describe('arguments of podman create', () => {
  it('contain no values of variables, which podman reads from its environment', () => {
    const { args, environment } = createCommand({ ...spec, environment: { PASSWORD: 'hidden value' } });
    expect(args).toContain('--env=PASSWORD');
    expect(args.join(' ')).not.toContain('hidden');
    expect(environment).toEqual({ PASSWORD: 'hidden value' });
  });

  it('contain the values of variables that podman itself would interpret', () => {
    const names = [
      'PATH',
      'HOME',
      'LD_PRELOAD',
      'CONTAINERS_CONF',
      'XDG_RUNTIME_DIR',
      'https_proxy',
      'GODEBUG',
      'GCONV_PATH',
    ];
    for (const name of names) {
      const { args, environment } = createCommand({ ...spec, environment: { [name]: 'theirs' } });
      expect(args).toContain(`--env=${name}=theirs`);
      expect(environment).toEqual({});
    }
  });

  it('contain the value of a variable whose name podman would misread', () => {
    for (const name of [' SECRET', 'SECRET\t', 'TMPDIR=/x', 'A*']) {
      const { args, environment } = createCommand({ ...spec, environment: { [name]: 'theirs' } });
      expect(args).toContain(`--env=${name}=theirs`);
      expect(environment).toEqual({});
    }
  });

  it.each([
    ['log-opt', { logging: { driver: 'k8s-file', options: { tag: 'x,path=/etc/cron.d/x' } } }],
    ['group-add', { groups: ['"keep-groups"'] }],
    ['sysctl', { sysctls: { 'net.core.somaxconn': '1,kernel.x=1' } }],
    ['network', { networks: [{ network: 'n', aliases: ['a,ip=10.0.0.1'] }] }],
    ['network', { networks: [{ network: 'n', ipv4Address: '10.0.0.1,interface_name=x' }] }],
    ['publish', { ports: [{ containerPort: 80, hostAddress: '::1]:8081:81,0.0.0.0:22:22,[::1' }] }],
  ])('never join several values of %s in one argument', (name, more) => {
    expect(() => createCommand({ ...spec, ...more })).toThrow(`${name} with ','`);
  });

  it('end with the image and its command, which is not parsed for options', () => {
    const { args } = createCommand({ ...spec, command: ['--privileged', '-v', '/:/host'] });
    expect(args.slice(-4)).toEqual([spec.image, '--privileged', '-v', '/:/host']);
  });

  it('never confuse the target of a volume with a host directory', () => {
    const mounts = [{ type: 'volume' as const, target: '/etc:/host' }];
    expect(() => createCommand({ ...spec, mounts })).toThrow("a mount target with ':'");
  });

  it('never confuse a part of a volume with another option', () => {
    const mounts = [{ type: 'volume' as const, source: 'v', target: '/v', subpath: 'a,src=/etc' }];
    expect(() => createCommand({ ...spec, mounts })).toThrow("subpath with ','");
  });

  it.each([
    [['CMD', 'curl', '-f', 'http://x'], '--health-cmd=CMD curl -f http://x'],
    [['CMD', 'test', 'two words'], '--health-cmd=["test","two words"]'],
    [['CMD-SHELL', 'curl -f x || exit 1'], '--health-cmd=curl -f x || exit 1'],
    [['NONE'], '--no-healthcheck'],
  ])('write the health check %j as %s', (test, argument) => {
    expect(createCommand({ ...spec, healthcheck: { test } }).args).toContain(argument);
  });

  it.each([
    [{ containerPort: 80 }, '80/tcp'],
    [{ containerPort: 80, hostPort: 8080 }, '8080:80/tcp'],
    [{ containerPort: 53, hostPort: 53, protocol: 'udp' as const, hostAddress: '127.0.0.1' }, '127.0.0.1:53:53/udp'],
    [{ containerPort: 80, hostAddress: '::1' }, '[::1]::80/tcp'],
  ])('publish %j as %s', (port, text) => {
    expect(createCommand({ ...spec, ports: [port] }).args).toContain(`--publish=${text}`);
  });

  it('warn of options that podman does not have', () => {
    const { warnings } = createCommand({ ...spec, domainName: 'x', deviceRequests: [{ capabilities: ['gpu'] }] });
    expect(warnings).toHaveLength(2);
  });
});
