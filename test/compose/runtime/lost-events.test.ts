/** The engine ends the stream of events: its log was turned over, or it was started again. */
import { expect, it } from 'vitest';
import { bridgeBackend } from '../../../src/compose/runtime/bridge/bridge.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { transientStopMarks } from '../../../src/compose/runtime/state.js';
import { onSocket } from '../engines/on-engine.js';
import { eventually } from './conformance.js';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.js';
import { obedient } from './programs.js';

for (const name of ['bridge/docker', 'bridge/podman'] as const) {
  await onSocket(name, (engine, socket) => {
    /** The events that the proxy passes on about containers of one label, created and removed while it is cut. */
    const toldOver = async (trouble: (proxy: CuttingProxy, act: () => Promise<void>) => Promise<void>) => {
      const proxy = await cuttingProxy(socket);
      const gaveUp = new AbortController();
      const ours = { 'plt.lost': `${process.pid}-${Math.random()}` };
      const labels = { ...engine.labels, ...ours };
      const { system } = bridgeBackend({
        address: { kind: 'socket', path: proxy.path },
        marks: transientStopMarks(),
        clock: systemClock,
        environment: process.env,
      });
      const told: string[] = [];
      let happened = 0;
      const act = async (): Promise<void> => {
        const container = `plt-lost-${process.pid}-${++happened}-${Math.random().toString(36).slice(2)}`;
        const spec = { name: container, image: engine.image, command: obedient.command, labels };
        const { id } = await engine.backend.containers.create(spec);
        await engine.backend.containers.remove(id, { force: true });
      };
      const all = (): Promise<void> => eventually(() => Promise.resolve(told.length >= 2 * happened));
      try {
        const stream = await system.events({ labels: ours, signal: gaveUp.signal });
        const reading = (async () => {
          for await (const { type, name: container } of stream) told.push(`${type} ${container.split('-')[3] ?? ''}`);
        })();
        await act();
        await all();
        await trouble(proxy, act);
        await act();
        await all();
        const ended = new Error('ended by the reader');
        gaveUp.abort(ended);
        await expect(reading).rejects.toBe(ended);
        return {
          told,
          happened: Array.from({ length: happened }, (_, at) => [`created ${at + 1}`, `removed ${at + 1}`]),
        };
      } finally {
        gaveUp.abort();
        await proxy.close();
      }
    };

    for (const how of ['ended', 'broken'] as const) {
      it(`a stream that is ${how} continues: no event is missed or repeated`, async () => {
        const { told, happened } = await toldOver(async (proxy, act) => {
          proxy.cut(how);
          await act();
          await act();
        });
        expect(told).toEqual(happened.flat());
      });
    }

    it('events continue where they stopped after the engine was away', async () => {
      const { told, happened } = await toldOver(async (proxy, act) => {
        await proxy.away();
        await act();
        proxy.back();
      });
      expect(told).toEqual(happened.flat());
    });
  });
}
