/** Creates a mutex: runs tasks one after another, in call order. A failed task does not affect the next one. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined); // the caller gets the rejection
    return result;
  };
}
