/** The script of the threads that load compose files, compiled from the sources before the tests. */
export const loadingWorker = new URL('../../coverage/loading-worker/loading-worker.mjs', import.meta.url);
