/** Builds with the BuildKit of a current Docker Engine. */
import { builds, currentBuildKit, namedContexts, pushedBuilds, withBuildx } from './builds.js';
import { onEngine } from './on-engine.js';

const parts = [builds, namedContexts, currentBuildKit, pushedBuilds];
await onEngine(
  'bridge/docker-current',
  parts.map((part) => withBuildx(part)),
);
