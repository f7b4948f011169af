/** The conformance suite over the native backend, which is the podman command. */
import { engineConformance } from './suite/all.js';

await engineConformance('native/podman');
