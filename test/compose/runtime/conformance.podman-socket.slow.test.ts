/** The conformance suite over the bridge to Podman's compatible socket. */
import { engineConformance } from './suite/all.js';

await engineConformance('bridge/podman');
