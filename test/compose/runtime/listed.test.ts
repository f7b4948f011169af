import { describe, expect, test } from 'vitest';
import { listedContainer } from '../../../src/compose/runtime/engine/listed.js';

const entry = {
  Id: 'c0ffee',
  Names: ['/shop-db-1/alias', '/shop-web-1'],
  Image: 'web:1',
  ImageID: 'sha256:beef',
  Command: "sh -c 'serve all'",
  Created: 1_795_702_807,
  Ports: [
    { PrivatePort: 9000, Type: 'tcp' },
    { IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { IP: '::', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { IP: '127.0.0.1', PrivatePort: 53, PublicPort: 5353, Type: 'udp' },
  ],
  Labels: { kind: 'web' },
  State: 'running',
  Status: 'Up 5 minutes (healthy)',
  NetworkSettings: { Networks: { shop_default: { IPAddress: '172.18.0.6', Aliases: null } } },
  Mounts: [{ Type: 'volume', Name: 'data', Destination: '/data', RW: true }],
};

describe('An entry of a list of containers', () => {
  test('has what a summary needs', () => {
    expect(listedContainer(entry)).toEqual({
      id: 'c0ffee',
      name: 'shop-web-1',
      image: 'web:1',
      imageId: 'beef',
      state: 'running',
      uptime: '5 minutes',
      createdAt: '2026-11-26T14:20:07.000Z',
      health: { status: 'healthy' },
      labels: { kind: 'web' },
      command: ["sh -c 'serve all'"],
      entrypoint: [],
      ports: [
        { containerPort: 53, protocol: 'udp', hostAddress: '127.0.0.1', hostPort: 5353 },
        { containerPort: 80, protocol: 'tcp', hostAddress: '0.0.0.0', hostPort: 8080 },
        { containerPort: 80, protocol: 'tcp', hostAddress: '::', hostPort: 8080 },
      ],
      mounts: [{ type: 'volume', source: 'data', target: '/data', readOnly: false }],
      networks: [{ network: 'shop_default', aliases: [], ipv4Address: '172.18.0.6' }],
    });
  });

  test.each([
    ['Up 2 seconds (health: starting)', 'starting'],
    ['Up About an hour (unhealthy)', 'unhealthy'],
    ['Up Less than a second', undefined],
  ])('with the status %s has the health %s', (Status, health) => {
    expect(listedContainer({ ...entry, Status })?.health?.status).toBe(health);
  });

  test.each([
    ['does not run', { State: 'exited', Status: 'Exited (137) 2 hours ago' }],
    ['restarts', { State: 'restarting', Status: 'Restarting (1) 2 seconds ago' }],
    ['is paused', { State: 'paused', Status: 'Up 5 minutes (Paused)' }],
    ['has a status of a later version', { Status: 'Up 5 minutes (drained)' }],
    ['has no status', { Status: '' }],
    ['has an image whose name moved to another', { Image: 'sha256:beef' }],
    ['has no name', { Names: null }],
  ])('of a container that %s needs an inspection', (_what, difference) => {
    expect(listedContainer({ ...entry, ...difference })).toBeUndefined();
  });
});
