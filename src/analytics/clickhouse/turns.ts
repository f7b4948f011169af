/** Makes what does its work one piece after another, in the order in which it was given. A piece that fails stops no other. */
export function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined); // whoever gave it is told
    return result;
  };
}
