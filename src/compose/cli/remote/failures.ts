/** The server refused or failed, or could not be reached; the message is for people. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  /** Of a refusal: the entry of the error catalogue, as `RuntimeError.notFound`, or the problem's type. */
  readonly entry: string | undefined;

  constructor(message: string, entry?: string, options?: ErrorOptions) {
    super(message, options);
    this.entry = entry;
  }
}
