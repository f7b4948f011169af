/**
 * What a worker thread does: one bcrypt computation at a time, on the thread itself. It is JavaScript so that a worker
 * starts without a loader, from the sources as well as from the built tree.
 */
import { hashSync, verifySync } from '@node-rs/bcrypt';

/** @param {{ password: string, cost: number }} task */
export function hash({ password, cost }) {
  return hashSync(password, cost);
}

/** @param {{ password: string, hashed: string }} task */
export function verify({ password, hashed }) {
  return verifySync(password, hashed);
}
