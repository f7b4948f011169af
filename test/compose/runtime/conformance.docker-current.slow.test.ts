/** The conformance suite over the bridge to a current Docker Engine. */
import { engineConformance } from './suite/all.js';

await engineConformance('bridge/docker-current');
