import { SMTPServer } from 'smtp-server';

/** A real mail server at an address of the test's choice, which may leave its callers without an answer. */
export interface TestSmtpServer {
  readonly port: number;
  readonly url: string;
  /** The recipients of the messages that came in completely, whether or not they were answered. */
  readonly recipients: readonly string[];
  stop(): Promise<void>;
}

/**
 * @param options `port` 0 picks a free one; with `answers` false no message is ever accepted or refused
 */
export async function startSmtpServer({
  port = 0,
  answers = true,
}: {
  readonly port?: number;
  readonly answers?: boolean;
}): Promise<TestSmtpServer> {
  const recipients: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 0,
    onData: (stream, session, callback) => {
      stream.resume();
      stream.on('end', () => {
        recipients.push(session.envelope.rcptTo[0]?.address ?? '');
        if (answers) callback();
      });
    },
  });
  server.on('error', () => undefined); // a caller that was killed
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    recipients,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}
