/** Whether a process with this id exists, whichever user owns it. An invalid id is not alive. */
import { errorCode } from './error-code.js';
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
