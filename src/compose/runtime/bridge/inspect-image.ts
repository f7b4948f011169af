import { lookDespiteEnd } from '../engine/just-ended.js';
import type { EngineClient } from './client.js';
import { imageSegment } from './requests.js';

/** @returns the engine's record of the image. @throws RuntimeError.imageNotFound */
export function inspectImage(client: EngineClient, reference: string, signal?: AbortSignal): Promise<unknown> {
  const path = `/images/${imageSegment(reference)}/json`;
  return lookDespiteEnd(() => client.call({ image: reference }, { method: 'GET', path, signal }));
}
