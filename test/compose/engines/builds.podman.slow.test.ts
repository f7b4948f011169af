/** Builds with Podman. */
import { builds, cachedBuilds, namedContexts, podmanBuilds } from './builds.js';
import { onEngine, type EnginePart } from './on-engine.js';

/** Podman's cache are the images of the steps, which go with the last image. */
const caches: EnginePart = (engine) => {
  cachedBuilds(engine, (image) => engine.backend.images.remove(image, { force: true }));
};

await onEngine('native/podman', [builds, namedContexts, podmanBuilds, caches]);
