/** Builds with Podman. */
import { builds, namedContexts, podmanBuilds } from './builds.js';
import { onEngine } from './on-engine.js';

await onEngine('native/podman', [builds, namedContexts, podmanBuilds]);
