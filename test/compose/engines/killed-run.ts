/** Makes one of everything on an engine, as a test does, says under which label, and waits to be killed. */
import { engineNames, TEST_LABEL, testEngine } from '../../support/engines.js';

const name = engineNames.find((each) => each === process.argv[2]);
const engine = name === undefined ? undefined : await testEngine(name);
if (engine === undefined || 'reason' in engine) throw new Error(`there is no engine ${process.argv[2] ?? ''}`);

const { backend, image, labels } = engine;
const own = `plt-killed-${process.pid}`;
await backend.internal.ensureNetwork({ name: own, labels });
await backend.volumes.create({ name: own, labels });
const { id } = await backend.containers.create({
  name: own,
  image,
  labels,
  command: ['sleep', '1000'],
  networks: [{ network: own }],
  mounts: [{ type: 'volume', source: own, target: '/data' }],
});
await backend.containers.start(id);
console.log(labels[TEST_LABEL]);
setInterval(() => undefined, 1000);
