import { SMTPServer } from 'smtp-server';

export type Step = 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** The reply to a step for an address, such as `550 5.1.1 no such user`; null: accepted. It may come late, or never. */
export type ReplyTo = (step: Step, address: string) => Promise<string | null>;

/** A real mail server at an address of the test's choice, which may leave its callers without an answer. */
export interface TestSmtpServer {
  readonly port: number;
  readonly url: string;
  /** The recipients of the messages that came in completely, whether or not they were answered. */
  readonly recipients: readonly string[];
  stop(): Promise<void>;
}

/**
 * @param options `port` 0 picks a free one; with `answers` false no message is ever accepted or refused; `replyTo` accepts
 *   everything by default
 */
export async function startSmtpServer({
  port = 0,
  answers = true,
  replyTo = () => Promise.resolve(null),
}: {
  readonly port?: number;
  readonly answers?: boolean;
  readonly replyTo?: ReplyTo;
}): Promise<TestSmtpServer> {
  const recipients: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 0,
    onMailFrom: ({ address }, _session, callback) => {
      void replyTo('MAIL FROM', address).then((reply) => {
        callback(errorOf(reply));
      });
    },
    onRcptTo: ({ address }, _session, callback) => {
      void replyTo('RCPT TO', address).then((reply) => {
        callback(errorOf(reply));
      });
    },
    onData: (stream, session, callback) => {
      stream.resume();
      stream.on('end', () => {
        const address = session.envelope.rcptTo[0]?.address ?? '';
        recipients.push(address);
        void replyTo('DATA', address).then((reply) => {
          if (answers) callback(errorOf(reply));
        });
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

function errorOf(reply: string | null): Error | null {
  if (reply === null) return null;
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}
