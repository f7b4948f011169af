/** Builds with the BuildKit of a current Docker Engine. */
import { engineAddress } from '../../../src/compose/runtime/bridge/address.js';
import { jsonOf, sender } from '../../../src/compose/runtime/bridge/requests.js';
import { objectOf, objectsOf, textOf } from '../../../src/compose/runtime/json.js';
import type { TestEngine } from '../../support/engines.js';
import { builds, cachedBuilds, currentBuildKit, namedContexts, pushedBuilds, withBuildx } from './builds.js';
import { onEngine, type EnginePart } from './on-engine.js';

const caches: EnginePart = (engine) => {
  cachedBuilds(engine, async (image, text) => {
    await engine.backend.images.remove(image, { force: true });
    await forgetSteps(engine, text);
  });
};

/** Removes the steps with this text from the engine's cache of builds, and no others. */
async function forgetSteps({ environment }: TestEngine, text: string): Promise<void> {
  const send = sender(await engineAddress(environment['DOCKER_HOST'] ?? '', {}));
  const usage = await jsonOf(await send({ method: 'GET', path: '/system/df' }));
  for (const { ID, Description } of objectsOf(objectOf(usage)['BuildCache'])) {
    if (!textOf(Description).includes(text)) continue;
    const query = { all: true, filters: JSON.stringify({ id: [textOf(ID)] }) };
    await jsonOf(await send({ method: 'POST', path: '/build/prune', query }));
  }
}

const parts = [builds, namedContexts, currentBuildKit, pushedBuilds, caches];
await onEngine(
  'bridge/docker-current',
  parts.map((part) => withBuildx(part)),
);
